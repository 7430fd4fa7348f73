// Run by `node --test`, without a host and without a server.

import assert from 'node:assert/strict';
import test from 'node:test';

import { count, countStatement, identifier, parsed, percentEncoded, retryAfterMs } from './influx.js';

test('names and parameters cannot break out', () => {
  assert.equal(identifier('a"b\\c'), '"a\\"b\\\\c"');
  assert.equal(percentEncoded('a b&ä=1'), 'a%20b%26%C3%A4%3D1');
});

test('a range has its start and not its end', () => {
  assert.equal(countStatement('t', 'f', -5n, 7n), 'SELECT COUNT("f") FROM "t" WHERE time >= -5 AND time < 7');
  assert.equal(countStatement('t', 'f', 7n, 7n), undefined);
  assert.equal(countStatement('t', 'f', -(2n ** 63n), -(2n ** 63n) + 1n), undefined);
});

test('a count is found, or none is made up', () => {
  const counted = (answer) => count(parsed(answer).result);
  assert.equal(counted('{"results":[{"series":[{"name":"t","columns":["time","count"],"values":[[0,1200]]}]}]}'), 1200n);
  assert.equal(counted('{"results":[{"statement_id":0}]}'), 0n);
  for (const strange of ['[[0,"x"]]', '[[0,-1]]', '[[0,1e300]]', '[[0]]', '[]', '7']) {
    assert.equal(counted(`{"results":[{"series":[{"values":${strange}}]}]}`), undefined, strange);
  }
});

test('a refusal is told apart from a name', () => {
  assert.deepEqual(parsed('{"results":[{"statement_id":0,"error":"database not found: x"}]}'), { refusal: 'database not found: x' });
  assert.deepEqual(parsed('{"error":"no"}'), { refusal: 'no' });
  assert.equal(parsed('{"results":[{"series":[{"name":"\\"error\\":\\"no"}]}]}').refusal, undefined);
});

test('what is no answer is neither', () => {
  for (const strange of ['', '<html>', '7', 'null', '[]', '{}']) {
    const { result, refusal } = parsed(strange);
    assert.deepEqual([result, refusal], [undefined, undefined], strange);
  }
});

test('a wait is in milliseconds', () => {
  assert.equal(retryAfterMs(' 3 '), 3000n);
  for (const strange of [undefined, '', '-3', 'Wed, 21 Oct 2026 07:28:00 GMT', '9'.repeat(30)]) {
    assert.equal(retryAfterMs(strange), undefined);
  }
});
