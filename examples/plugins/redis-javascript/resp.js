// Redis' protocol and the way rows lie in it: pure functions, which `node --test` tests without a host.
//
// A table is one sorted set. A row's score is its time in milliseconds, its member a text that tells the whole row, so that a payload which is
// sent twice stores every row once.
//
// What is done for every value is done in loops over an index: in an engine that does not compile, `for … of` and a function for each value
// cost three times as much.

/** Errors after which the same command may succeed: the server is starting, busy with a script, or moving. */
const BUSY = new Set(['LOADING', 'BUSY', 'TRYAGAIN', 'MASTERDOWN']);

const PER_MILLISECOND = { millisecond: 1n, microsecond: 1000n, nanosecond: 1000000n };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes of a text in UTF-8. */
export const utf8 = (text) => encoder.encode(text);

/** The text of bytes in UTF-8. */
export const text = (bytes) => decoder.decode(bytes);

/** Anything that takes more than one byte in UTF-8. */
const BEYOND_ASCII = /[^\x00-\x7f]/;

/** How many bytes a text takes in UTF-8. Most take one for each character, which is found out sooner than the bytes are made. */
export const size = (value) => (BEYOND_ASCII.test(value) ? utf8(value).length : value.length);

/** A command as an array of bulk strings. */
export function command(...parts) {
  let out = `*${parts.length}\r\n`;
  for (let at = 0; at < parts.length; at++) {
    const value = String(parts[at]);
    out += `$${size(value)}\r\n${value}\r\n`;
  }
  return utf8(out);
}

/** A time in whole milliseconds, as text; an `Error` when it is finer. `unit` is `second`, `millisecond` and so on. */
export function milliseconds(time, unit) {
  const whole = BigInt(time);
  if (unit === 'second') return String(whole * 1000n);
  const per = PER_MILLISECOND[unit];
  if (whole % per !== 0n) {
    throw new Error(`the time ${time} (${unit}s) is no whole millisecond, and a sorted set cannot keep it: choose a dataset with coarser times`);
  }
  return String(whole / per);
}

/** Texts of one column, to be strung together to rows: `name=value,`. */
export function labelled(name, values) {
  const texts = new Array(values.length);
  for (let row = 0; row < values.length; row++) texts[row] = `${name}=${values[row]},`;
  return texts;
}

/** One text for a row: those of its columns, NULLs left out, and the time, so that no two rows are equal. */
export function member(columns, row, time) {
  let told = '';
  for (let at = 0; at < columns.length; at++) told += columns[at][row];
  return `${told}t=${time}`;
}

/** The first millisecond of `startNs <= time < endNs`, and the first one after it. */
export function bounds(startNs, endNs) {
  const ceiling = (ns) => {
    const whole = BigInt(ns);
    const down = whole / 1000000n;
    return whole > down * 1000000n ? down + 1n : down;
  };
  return [String(ceiling(startNs)), `(${ceiling(endNs)}`];
}

/** What a reply's first line says: `{ ok }`, `{ number }`, `{ bulk: length }`, `{ code, message, busy }`, or `{ strange }`. */
export function parse(line) {
  const rest = line.slice(1).trimEnd();
  const number = /^-?\d+$/.test(rest) ? Number(rest) : null;
  if (line[0] === '+') return { ok: rest };
  if (line[0] === '-') {
    const code = rest.split(' ', 1)[0];
    return { code, message: rest, busy: BUSY.has(code) };
  }
  if (line[0] === ':' && number !== null) return { number };
  if (line[0] === '$' && number !== null) return { bulk: number };
  return { strange: line.slice(0, 100) };
}
