// Run by `node --test`, without a host and without a server.

import assert from 'node:assert/strict';
import test from 'node:test';

import { bounds, command, labelled, member, milliseconds, parse, size, text, utf8 } from './resp.js';

test('a command says how many bytes each part has', () => {
  assert.equal(text(command('SET', 'ä😀', 1)), '*3\r\n$3\r\nSET\r\n$6\r\nä😀\r\n$1\r\n1\r\n');
  for (const value of ['', 'a', 'ä', '€', '😀', 'a😀b']) assert.equal(size(value), Buffer.byteLength(value));
  assert.deepEqual(Buffer.from(utf8('ä€😀')), Buffer.from('ä€😀'));
});

test('times are whole milliseconds or refused', () => {
  assert.deepEqual([milliseconds(7, 'second'), milliseconds(-5000n, 'microsecond')], ['7000', '-5']);
  assert.throws(() => milliseconds(1500, 'microsecond'), /no whole millisecond/);
});

test('a row is told without its NULLs', () => {
  const columns = [labelled('host', ['a', 'b']), labelled('v', new Float64Array([1.5, 0]))];
  columns[1][1] = '';
  assert.deepEqual([member(columns, 0, '10'), member(columns, 1, '10')], ['host=a,v=1.5,t=10', 'host=b,t=10']);
});

test('a range has its start and not its end', () => {
  assert.deepEqual(bounds(1n, 2000000n), ['1', '(2']);
  assert.deepEqual(bounds(-1000000, 2000001), ['-1', '(3']);
});

test('replies are told apart', () => {
  assert.deepEqual(parse('+PONG\r\n'), { ok: 'PONG' });
  assert.deepEqual(parse(':-12\r\n'), { number: -12 });
  assert.deepEqual(parse('$-1\r\n'), { bulk: -1 });
  assert.deepEqual(parse('-LOADING wait\r\n'), { code: 'LOADING', message: 'LOADING wait', busy: true });
  assert.deepEqual(parse('HTTP/1.1 400\r\n'), { strange: 'HTTP/1.1 400\r\n' });
});
