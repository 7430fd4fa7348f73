// The official JavaScript client of InfluxDB 2, @influxdata/influxdb-client.
//
// node influx2.mjs MODULES URL ORG BUCKET TOKEN

import { createRequire } from 'node:module';

import { report, tables } from './rows.mjs';

const [modules, url, org, bucket, token] = process.argv.slice(2);
const { InfluxDB, Point } = createRequire(`${modules}/`)('@influxdata/influxdb-client');

const SETTERS = {
  tag: (point, name, text) => point.tag(name, text),
  string: (point, name, text) => point.stringField(name, text),
  bool: (point, name, value) => point.booleanField(name, value),
  i64: (point, name, text) => point.intField(name, Number(text)),
  u64: (point, name, text) => point.uintField(name, text),
  f64: (point, name, text) => point.floatField(name, Number(text)),
};

const written = tables(['i64']);
const api = new InfluxDB({ url, token, timeout: 30_000 }).getWriteApi(org, bucket, 'ns', { batchSize: 1000, maxRetries: 0 });
for (const { name: measurement, columns, rows } of written) {
  for (const { time, ...cells } of rows) {
    const point = new Point(measurement).timestamp(time);
    for (const [name, cell] of Object.entries(cells)) {
      SETTERS[columns[name]](point, name, cell);
    }
    api.writePoint(point);
  }
}
await api.close();
report(written);
