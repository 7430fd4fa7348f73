// Run by `node --test`, without a host.

import assert from 'node:assert/strict';
import test from 'node:test';

import { Readings, START_MS } from './rows.js';

const readings = new Readings(42n, 3);
const range = (count) => [...Array(count).keys()];

test('hosts take turns, and time goes on after the last', () => {
  const told = [2, 3, 4].map((row) => [readings.host(row), readings.time(row)]);
  assert.deepEqual(told, [[2, START_MS], [0, START_MS + 1000], [1, START_MS + 1000]]);
  assert.ok(readings.has(10 ** 12));
  assert.ok(!readings.has(2 ** 53) && !new Readings(42n, 1).has(2 ** 52));
});

test('values are in range and depend on seed and row alone', () => {
  const values = (seed, rows) => rows.map((row) => new Readings(seed, 3).value(row));
  assert.ok(values(42n, range(1000)).every((value) => value >= 0 && value <= 100));
  assert.deepEqual(values(42n, range(1000)), values(42n, range(1000).reverse()).reverse());
  // Each half of the seed counts, and each half of a position.
  assert.notDeepEqual(values(42n, range(1000)), values(43n, range(1000)));
  assert.notDeepEqual(values(42n, range(1000)), values(42n + 2n ** 32n, range(1000)));
  assert.notDeepEqual(values(42n, range(1000)), values(42n, range(1000).map((row) => row + 2 ** 32)));
});

test('about one count in ten is missing', () => {
  const counts = range(10_000).map((row) => readings.count(row));
  const missing = counts.filter((count) => count === undefined).length;
  assert.ok(missing > 900 && missing < 1100, `${missing}`);
  assert.ok(counts.every((count) => count === undefined || (Number.isInteger(count) && count >= 0 && count < 1000)));
});
