// A benchhost target for Redis, in JavaScript. The contract is in `wit/` at the root of the repository; `resp.js` has the protocol.
//
// One instance of this module is one session of one worker, so a session's state may lie in module variables.

import { Payload } from 'benchhost:plugin/data@0.1.0';
import { Connection } from 'benchhost:plugin/tcp@0.1.0';
import { bounds, command, labelled, member, milliseconds, parse, text } from './resp.js';

const SETTINGS = {
  type: 'object',
  properties: {
    endpoint: { type: 'string', description: 'Address of the server: `tcp://host:port`.' },
    password: { type: ['string', 'null'], description: 'Password of the server.', writeOnly: true },
  },
  required: ['endpoint'],
};

const SIGNED = ['int8', 'int16', 'int32', 'int64'];
const UNSIGNED = ['uint8', 'uint16', 'uint32', 'uint64'];
const READABLE = ['utf8', 'boolean', 'float32', 'float64', ...SIGNED, ...UNSIGNED];

let endpoint;
let password;
let connection;

/** An error as a value: thrown, it becomes the error of the exported function. */
function failure(kind, message, code, retryable = false) {
  return { kind, code, message, retryable, retryAfterMs: undefined, rowsAccepted: undefined };
}

/** Errors of imported functions come wrapped; the contract's record is inside. */
function unwrapped(error) {
  return error?.payload ?? error;
}

/** An exported function. What it throws must be a record, or the component ends without a word: an exception, which is a bug, is made one. */
const exported = (work) => (...given) => {
  try {
    return work(...given);
  } catch (error) {
    throw error instanceof Error ? failure('internal', `${error}\n${error.stack}`) : error;
  }
};

/** Sends a command, bytes or a payload, and gives the reply. An error of the network ends the connection and is passed on. */
function ask(request) {
  try {
    if (!connection) {
      connection = Connection.connect(endpoint);
      if (password !== undefined) exchange(command('AUTH', password));
    }
    return exchange(request);
  } catch (error) {
    const told = unwrapped(error);
    if (told?.kind !== 'rejected' && told?.kind !== 'throttled') disconnect();
    throw told;
  }
}

/** Gives the connection back to the host, which closes it. The engine would do so only when it next collects its garbage. */
function disconnect() {
  connection?.[Symbol.dispose]();
  connection = undefined;
}

function exchange(request) {
  if (request instanceof Uint8Array) connection.write(request);
  else connection.writePayload(request);
  const reply = parse(text(connection.readUntil(new Uint8Array([13, 10]), 65536)));
  if (reply.code !== undefined) {
    throw failure(reply.busy ? 'throttled' : 'rejected', reply.message, reply.code, reply.busy);
  }
  if (reply.strange !== undefined) {
    throw failure('internal', `the server answered with what is no reply of Redis: ${reply.strange}`);
  }
  if (reply.bulk !== undefined) return reply.bulk < 0 ? '' : text(connection.readExact(reply.bulk + 2)).slice(0, -2);
  return reply.number ?? reply.ok;
}

export const about = {
  describe() {
    return {
      name: 'redis-javascript',
      version: '0.1.0',
      summary: 'Redis sorted sets, written in JavaScript',
      settingsSchema: JSON.stringify(SETTINGS),
    };
  },
};

export const session = {
  open: exported((settings, _worker) => {
    const given = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    ({ endpoint, password } = given);
  }),
  server: exported(() => {
    const facts = Object.fromEntries(ask(command('INFO', 'server')).split('\r\n').map((line) => line.split(/:(.*)/s)));
    return [['product', 'Redis'], ['version', facts.redis_version], ['mode', facts.redis_mode]];
  }),
  createTable: exported((table) => {
    for (const column of table.columns) {
      if (column.semantic !== 'timestamp' && !READABLE.includes(column.dataType)) {
        throw failure('unsupported', `column \`${column.name}\`: no text for values of type ${column.dataType}`);
      }
    }
    // A sorted set comes into being with its first member.
    ask(command('PING'));
  }),
  dropTable: exported((table) => {
    ask(command('DEL', table.name));
  }),
  countRows: exported((table, startNs, endNs) => {
    // 64-bit integers of the contract are `BigInt`s here, 32-bit ones numbers.
    return BigInt(ask(command('ZCOUNT', table.name, ...bounds(startNs, endNs))));
  }),
  close() {
    disconnect();
  },
};

export const ingest = {
  encode: exported((batch) => {
    return encoded(batch);
  }),
  send: exported((payload) => {
    // The number that comes back counts new members only, which says nothing of a payload that is sent again.
    if (payload.size() > 0n) ask(payload);
    return { pending: false, rows: undefined, serverTimeNs: undefined };
  }),
};

/** The one command that stores a batch; nothing for a batch without rows. */
function encoded(batch) {
  const table = batch.table();
  const unit = table.columns.find((column) => column.semantic === 'timestamp').dataType.replace('timestamp-', '');
  const columns = table.columns
    .map((column, position) => ({ ...column, position }))
    .filter((column) => column.semantic !== 'timestamp');
  const texts = columns.map((column) => read(batch, column));
  const parts = ['ZADD', table.name];
  try {
    const times = batch.timestamps();
    for (let row = 0; row < times.length; row++) {
      const at = milliseconds(times[row], unit);
      parts.push(at, member(texts, row, at));
    }
  } catch (problem) {
    throw failure('invalid', problem.message);
  }
  const rows = (parts.length - 2) / 2;
  return Payload.fromBytes(rows ? command(...parts) : new Uint8Array(), rows);
}

/**
 * The texts of one column, empty where NULL. Tags come as keys into a short list, which is the cheapest way to get text: each is put together
 * once.
 */
function read(batch, { name, position, semantic, dataType, nullable }) {
  let found;
  if (semantic === 'tag') {
    const words = labelled(name, batch.dictionary(position));
    const keys = batch.keys(position);
    found = new Array(keys.length);
    for (let row = 0; row < keys.length; row++) found[row] = words[keys[row]];
  } else found = labelled(name, values(batch, position, dataType));
  if (nullable) for (const row of batch.nulls(position)) found[row] = '';
  return found;
}

/** The values of one column that is no tag; any value where NULL. */
function values(batch, position, dataType) {
  if (dataType === 'utf8') return batch.strings(position);
  if (dataType === 'boolean') return batch.booleans(position);
  if (SIGNED.includes(dataType)) return batch.int64s(position);
  if (UNSIGNED.includes(dataType)) return batch.uint64s(position);
  return batch.float64s(position);
}
