// A target of benchhost: rows as line protocol over HTTP, as InfluxDB 1 takes them.
//
// The host calls the functions below, which are the exports of the world `target` in `wit/`. Rows, request bodies and connections live in the
// host; here are only handles to them. One instance of this module is one session of one worker, so nothing is ever shared.
//
// The contract in JavaScript: 64-bit integers are `BigInt`s, enums are strings (`'timed-out'`), what there may be or not is `undefined`.

import { LineProtocol } from 'benchhost:plugin/encode@0.1.0';
import { Client } from 'benchhost:plugin/http@0.1.0';
import { count, countStatement, identifier, parsed, percentEncoded, retryAfterMs } from './influx.js';

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
const SETTINGS = {
  type: 'object',
  properties: {
    endpoint: { type: 'string', description: 'Address of the server: `http://host:port`.' },
    database: {
      type: 'string',
      description: 'Name of the database; it is made when it is not there.',
      default: 'benchhost',
    },
  },
  required: ['endpoint'],
};

/** An error as a value: thrown, it becomes the error of the exported function. */
function failure(kind, message, more = {}) {
  return { kind, code: undefined, message, retryable: false, retryAfterMs: undefined, rowsAccepted: undefined, ...more };
}

/**
 * An exported function. An error of an imported one comes wrapped, and is thrown on as the record that it holds. Any other thing that is
 * thrown would end the component without a word, so an exception, which is a bug here, is made a record too, and tells its place.
 */
const exported = (work) => (...given) => {
  try {
    return work(...given);
  } catch (error) {
    throw error?.payload ?? (error instanceof Error ? failure('internal', `${error}\n${error.stack}`) : error);
  }
};

/** What one session keeps, once `open` has made it. */
let current;

function opened() {
  if (current === undefined) throw failure('internal', 'there is no open session');
  return current;
}

/** Sends an InfluxQL statement and gives its result, which is empty where there is nothing of that name. */
function query(method, statement) {
  const { client, database } = opened();
  const path = `/query?db=${percentEncoded(database)}&epoch=ns&q=${percentEncoded(statement)}`;
  const answer = using(client.send(method, path, [], undefined), (response) => text(accepted(response), 2 ** 32 - 1));
  const { result, refusal } = parsed(answer);
  if (refusal !== undefined) {
    // An error may come with status 200. That something is not there is none for those who remove it or count in it.
    if (refusal.includes('not found')) return {};
    throw failure('rejected', refusal);
  }
  if (result === undefined) throw failure('internal', `the server answered a statement with: ${answer.slice(0, 200)}`);
  return result;
}

/** The response, if its status is 2xx; otherwise throws the error that it stands for. */
function accepted(response) {
  const status = response.status();
  if (status >= 200 && status < 300) return response;
  let kind = status >= 500 ? 'unavailable' : 'rejected';
  if (status === 429 || status === 503) kind = 'throttled';
  throw failure(kind, text(response, 200), {
    code: String(status),
    // The host sends the same payload again, after its own back-off where the server names no time.
    retryable: kind !== 'rejected',
    retryAfterMs: retryAfterMs(response.header('Retry-After')),
  });
}

/** At most `most` bytes of an answer's body. */
function text(response, most) {
  return using(response.body(), (body) => new TextDecoder().decode(body.read(0n, most)));
}

/** Gives `use` a handle, and the handle back to the host. The engine would give it back only when it next collects its garbage. */
function using(handle, use) {
  try {
    return use(handle);
  } finally {
    handle[Symbol.dispose]();
  }
}

export const about = {
  describe() {
    return {
      name: '@NAME@',
      version: '0.1.0',
      summary: 'Line protocol over HTTP, as InfluxDB 1 takes it',
      settingsSchema: JSON.stringify(SETTINGS),
    };
  },
};

export const session = {
  open: exported((settings, _worker) => {
    const { endpoint, database } = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    if (endpoint === undefined || database === undefined) {
      throw failure('invalid', 'the setting `endpoint` or `database` is missing');
    }
    const client = Client.connect(endpoint);
    current = {
      client,
      database,
      // The request that carries every batch. The host has checked and copied it once.
      write: client.prepare('POST', `/write?db=${percentEncoded(database)}&precision=ns`, []),
      // It remembers what it can reuse between batches.
      encoder: new LineProtocol('nanosecond'),
    };
  }),
  server: exported(() => {
    const version = (response) => accepted(response).header('X-Influxdb-Version') ?? 'unknown';
    return [['product', 'InfluxDB'], ['version', using(opened().client.send('GET', '/ping', [], undefined), version)]];
  }),
  createTable: exported((_table) => {
    // A measurement comes into being with its first row.
    query('POST', `CREATE DATABASE ${identifier(opened().database)}`);
  }),
  dropTable: exported((table) => {
    query('POST', `DROP MEASUREMENT ${identifier(table.name)}`);
  }),
  countRows: exported((table, startNs, endNs) => {
    // `COUNT` counts values, so it counts rows only where every row has one.
    const field = table.columns.find(({ semantic, nullable }) => semantic === 'field' && !nullable);
    if (field === undefined) {
      throw failure('unsupported', `rows of \`${table.name}\` cannot be counted: no field has a value in every row`);
    }
    const statement = countStatement(table.name, field.name, startNs, endNs);
    if (statement === undefined) return 0n;
    const result = query('GET', statement);
    const counted = count(result);
    if (counted === undefined) throw failure('internal', `no count in the answer: ${JSON.stringify(result).slice(0, 200)}`);
    return counted;
  }),
  close() {
    current = undefined;
  },
};

export const ingest = {
  encode: exported((batch) => opened().encoder.encode(batch)),
  send: exported((payload) => {
    const response = opened().write.send(payload);
    // Undefined is the usual answer to a write: 2xx without a body.
    if (response !== undefined) using(response, accepted);
    // The server does not say how many rows it stored.
    return { pending: false, rows: undefined, serverTimeNs: undefined };
  }),
};
