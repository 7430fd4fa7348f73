"""The official Python client of InfluxDB 3, influxdb3-python, by both of its write paths.

python influx3.py URL DATABASE TOKEN v2|v3
"""

import sys

from influxdb_client_3 import InfluxDBClient3, Point, WriteOptions, WritePrecision, WriteType, write_client_options
from rows import LINE_PROTOCOL, batches, points, report, tables


def main(url, database, token, path):
    written = tables(LINE_PROTOCOL)
    options = WriteOptions(
        write_type=WriteType.synchronous, write_precision=WritePrecision.NS, use_v2_api=path == "v2", accept_partial=False, timeout=30_000
    )
    with InfluxDBClient3(
        host=url, database=database, token=token, write_client_options=write_client_options(write_options=options)
    ) as client:
        for table in written:
            for batch in batches(points(table, Point, WritePrecision.NS)):
                client.write(record=batch)
    report(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
