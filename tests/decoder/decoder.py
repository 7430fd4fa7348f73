"""An independent decoder of what benchhost sends to GreptimeDB and to OTLP receivers: C++ gRPC and protobuf, Arrow's C++ library, none of
benchhost's own code.

python decoder.py [--http PORT] [--grpc PORT] [--until-stdin-closes]; it prints one line of JSON with its addresses and ends on SIGTERM.
"""

import argparse
import json
import signal
import sys
import threading

import rpc
import web
from facts import Facts
from tables import Tables


def main():
    parser = argparse.ArgumentParser(description="an independent decoder of what benchhost sends")
    parser.add_argument("--http", type=int, default=0, metavar="PORT")
    parser.add_argument("--grpc", type=int, default=0, metavar="PORT")
    parser.add_argument("--until-stdin-closes", action="store_true")
    arguments = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    tables, facts = Tables(), Facts()
    services, grpc_port = rpc.serve(tables, facts, arguments.grpc)
    site, http_port = web.serve(tables, facts, arguments.http)
    addresses = {"http": f"http://127.0.0.1:{http_port}", "grpc": f"http://127.0.0.1:{grpc_port}"}
    print(json.dumps(addresses), flush=True)
    if arguments.until_stdin_closes:
        threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    ended.wait()
    site.shutdown()
    services.stop(grace=1).wait()


if __name__ == "__main__":
    main()
