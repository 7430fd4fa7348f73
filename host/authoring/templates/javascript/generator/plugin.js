// A dataset of benchhost: readings of some hosts, one a second each, without an end.
//
// The host calls the functions below, which are the exports of the world `generator` in `wit/`. Every value is a function of the seed and the
// row's position alone, so any instance may make any rows in any order, and they are the same every time. `Math.random` would not do.
//
// The contract in JavaScript: 64-bit integers are `BigInt`s, enums are strings (`'utf8'`), what there may be or not is `undefined`.

import { Dictionary } from 'benchhost:plugin/data@0.1.0';
import { Readings } from './rows.js';

/** The most hosts. */
const MOST_HOSTS = 1_000_000;

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const SETTINGS = {
  type: 'object',
  properties: {
    hosts: { type: 'integer', description: 'How many hosts report.', default: 10, minimum: 1, maximum: MOST_HOSTS },
  },
};

// The one table. A column is named by its position in it.
const [HOST, VALUE, COUNT] = [0, 1, 2];
const TABLE = {
  name: '@NAME@',
  columns: [
    { name: 'host', semantic: 'tag', dataType: 'utf8', nullable: false },
    { name: 'value', semantic: 'field', dataType: 'float64', nullable: false },
    { name: 'count', semantic: 'field', dataType: 'int64', nullable: true },
    { name: 'ts', semantic: 'timestamp', dataType: 'timestamp-millisecond', nullable: false },
  ],
};

/** An error as a value: thrown, it becomes the error of the exported function. For none of these is trying again of any use. */
function failure(kind, message) {
  return { kind, code: undefined, message, retryable: false, retryAfterMs: undefined, rowsAccepted: undefined };
}

/**
 * An exported function. What is thrown must be the record of an error, or the component ends without a word: so an exception, which is a bug here,
 * is made one, and tells its place.
 */
const exported = (work) => (...given) => {
  try {
    return work(...given);
  } catch (error) {
    throw error instanceof Error ? failure('internal', `${error}\n${error.stack}`) : error;
  }
};

/** What one instance keeps, once `open` has made it. */
let current;

export const about = {
  describe() {
    return {
      name: '@NAME@',
      version: '0.1.0',
      summary: 'Readings of hosts, one a second each',
      settingsSchema: JSON.stringify(SETTINGS),
    };
  },
};

export const dataset = {
  open: exported((settings, seed) => {
    const hosts = Number(settings.find(({ name }) => name === 'hosts')?.value);
    if (!(Number.isInteger(hosts) && hosts >= 1 && hosts <= MOST_HOSTS)) {
      throw failure('invalid', `\`hosts\` is missing, or not from 1 to ${MOST_HOSTS}`);
    }
    const names = Array.from({ length: hosts }, (_, host) => `host_${host}`);
    // The hosts' names. Made once: a batch holds numbers that point into it.
    current = { readings: new Readings(seed, hosts), names: new Dictionary(names) };
    return { tables: [TABLE], rows: undefined, series: BigInt(hosts), seekable: true };
  }),

  fill: exported((_table, firstRow, rows, into) => {
    if (current === undefined) throw failure('internal', 'the dataset is not open');
    const { readings, names } = current;
    const first = Number(firstRow);
    if (!readings.has(first + rows)) throw failure('invalid', `rows from ${firstRow} on lie past the end of time`);

    // Typed arrays cross to the host as they are, one call for a whole column.
    const times = new BigInt64Array(rows);
    const keys = new Uint32Array(rows);
    const values = new Float64Array(rows);
    const counts = new BigInt64Array(rows);
    const nulls = [];
    for (let at = 0; at < rows; at++) {
      const row = first + at;
      times[at] = BigInt(readings.time(row));
      keys[at] = readings.host(row);
      values[at] = readings.value(row);
      // A column is appended whole, with any value where there is none, and the rows that have none are named.
      const count = readings.count(row);
      if (count === undefined) nulls.push(at);
      else counts[at] = BigInt(count);
    }
    into.appendTimestamps(times);
    into.appendKeys(HOST, names, keys);
    into.appendFloat64s(VALUE, values);
    into.appendInt64s(COUNT, counts);
    into.markNulls(COUNT, Uint32Array.from(nulls));
  }),
};
