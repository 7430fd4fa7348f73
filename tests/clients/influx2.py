"""The official Python client of InfluxDB 2, influxdb-client.

python influx2.py URL ORG BUCKET TOKEN
"""

import sys

from influxdb_client import InfluxDBClient, Point, WritePrecision
from influxdb_client.client.write_api import SYNCHRONOUS
from rows import LINE_PROTOCOL, batches, points, report, tables


def main(url, org, bucket, token):
    written = tables(LINE_PROTOCOL)
    with InfluxDBClient(url=url, token=token, org=org, timeout=30_000) as client:
        api = client.write_api(write_options=SYNCHRONOUS)
        for table in written:
            for batch in batches(points(table, Point, WritePrecision.NS)):
                api.write(bucket=bucket, record=batch, write_precision=WritePrecision.NS)
    report(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
