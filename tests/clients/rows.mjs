// The rows that every official client writes, from `rows.json`, and how a script says which of them it wrote. The Python scripts have
// the same in `rows.py`.

import { readFileSync } from 'node:fs';

const LINE_PROTOCOL = ['tag', 'i64', 'u64', 'f64', 'bool', 'string'];
const MANY = 2500;

// The tables with what a client can write. Integers of these kinds become JavaScript's numbers in it, so those beyond 2^53 are left out.
export function tables(rounded) {
  const { tables: known } = JSON.parse(readFileSync(new URL('./rows.json', import.meta.url), 'utf8'));
  const many = Array.from({ length: MANY }, (_, n) => ({
    host: `host-${n % 7}`,
    number: String(n),
    ratio: String(n / 7),
    time: String(1_700_000_000_000_000_000n + BigInt(n) * 1000n),
  }));
  const columns = { host: 'tag', number: 'i64', ratio: 'f64' };
  known.push({ name: 'many_rows', time: 'ts', unit: 'ns', columns, rows: many });
  return known.map((table) => withLineProtocol(table, rounded));
}

function withLineProtocol(table, rounded) {
  const columns = Object.fromEntries(Object.entries(table.columns).filter(([, kind]) => LINE_PROTOCOL.includes(kind)));
  const writable = (name, text) => !rounded.includes(columns[name]) || Number.isSafeInteger(Number(text));
  const rows = table.rows
    .map((row) => Object.fromEntries(
      Object.entries(row).filter(([name, text]) => name === 'time' || (name in columns && writable(name, text))),
    ))
    // Line protocol has no row without a field.
    .filter((row) => Object.keys(row).some((name) => name !== 'time' && columns[name] !== 'tag'));
  return { ...table, columns, rows };
}

// Prints what was written: tables as they stand in `rows.json`.
export function report(written) {
  console.log(JSON.stringify({ tables: written }));
}
