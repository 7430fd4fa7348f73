// The official JavaScript client of InfluxDB 3, @influxdata/influxdb3-client, by both of its write paths.
//
// node influx3.mjs MODULES URL DATABASE TOKEN v2|v3

import { createRequire } from 'node:module';

import { report, tables } from './rows.mjs';

const BATCH = 1000;

const [modules, host, database, token, path] = process.argv.slice(2);
const { InfluxDBClient, Point } = createRequire(`${modules}/`)('@influxdata/influxdb3-client');

const SETTERS = {
  tag: (point, name, text) => point.setTag(name, text),
  string: (point, name, text) => point.setStringField(name, text),
  bool: (point, name, value) => point.setBooleanField(name, value),
  i64: (point, name, text) => point.setIntegerField(name, Number(text)),
  u64: (point, name, text) => point.setUintegerField(name, text),
  f64: (point, name, text) => point.setFloatField(name, Number(text)),
};

const written = tables(['i64', 'u64']);
// The client takes the path of version 3 only for writes that are not waited for.
const writeOptions = { precision: 'ns', noSync: path === 'v3' };
const client = new InfluxDBClient({ host, token, database, timeout: 30_000, writeOptions });
for (const { name: measurement, columns, rows } of written) {
  const points = rows.map(({ time, ...cells }) => {
    const point = Point.measurement(measurement).setTimestamp(time);
    for (const [name, cell] of Object.entries(cells)) {
      SETTERS[columns[name]](point, name, cell);
    }
    return point;
  });
  for (let at = 0; at < points.length; at += BATCH) {
    await client.write(points.slice(at, at + BATCH), database);
  }
}
await client.close();
report(written);
