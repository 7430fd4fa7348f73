// Names, statements and answers of InfluxDB 1: functions of text alone, which `node --test` runs without a host.

// The earliest time that the server knows, and the first that it does not, in nanoseconds.
const FIRST_NS = -(2n ** 63n) + 2n;
const END_NS = 2n ** 63n - 2n;

/** A name in a statement, in quotes. */
export function identifier(name) {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

/** A text as the value of a parameter in a URL. `encodeURIComponent` leaves a few marks as they are, which is harmless there. */
export const percentEncoded = (text) => encodeURIComponent(text);

/** Counts the values of `field` from `startNs` to before `endNs`. Undefined where the server can hold no row of that time. */
export function countStatement(table, field, startNs, endNs) {
  const start = startNs > FIRST_NS ? startNs : FIRST_NS;
  const end = endNs < END_NS ? endNs : END_NS;
  if (start >= end) return undefined;
  return `SELECT COUNT(${identifier(field)}) FROM ${identifier(table)} WHERE time >= ${start} AND time < ${end}`;
}

/** The answer to a statement: `{ result }`, `{ refusal }`, or neither where it is no answer of such a server. */
export function parsed(answer) {
  let told;
  try {
    told = JSON.parse(answer);
  } catch {
    return {};
  }
  const result = Array.isArray(told?.results) ? (told.results[0] ?? {}) : undefined;
  const refusal = told?.error ?? result?.error;
  return refusal === undefined ? { result } : { refusal: String(refusal) };
}

/** The count in the result of such a statement, a `BigInt`: 0 where there is no series, undefined where it is another. */
export function count(result) {
  if (result.series === undefined) return 0n;
  // A row is the time and the count.
  const number = result.series?.[0]?.values?.[0]?.[1];
  // JSON has no integers: a count that is not exact any more is none.
  return Number.isSafeInteger(number) && number >= 0 ? BigInt(number) : undefined;
}

/** The header `Retry-After` in milliseconds, a `BigInt`, where it is a number of seconds. */
export function retryAfterMs(header) {
  const seconds = header?.trim() ?? '';
  return /^\d{1,15}$/.test(seconds) ? BigInt(seconds) * 1000n : undefined;
}
