"""The decoder's HTTP side: GreptimeDB's `/v1/sql`, OTLP logs, and what was decoded.

GET /decoded/tables: databases, tables, columns, numbers of rows, as JSON. GET /decoded/rows?db=D&table=T: the rows, a JSON object a line.
GET /decoded/facts: how it was sent.
"""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from google.protobuf.message import DecodeError
from otlp import export
from sql import execute
from tables import Refused


def serve(tables, facts, port):
    """Starts it; gives the server and its port."""
    handler = type("Handler", (Handler,), {"tables": tables, "facts": facts})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_address[1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is two writes: without this each would wait for the client to acknowledge the first.
    disable_nagle_algorithm = True
    tables = None
    facts = None

    def log_message(self, *_):
        """Nothing is printed for each request."""

    def do_GET(self):
        self.route(b"")

    def do_POST(self):
        body = self.body()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.route(body)

    def body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while length := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(length))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def route(self, body):
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        if self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
            query.update(parse_qsl(body.decode(), keep_blank_values=True))
        database = query.get("db") or self.headers.get("x-greptime-db-name") or "public"
        try:
            match url.path:
                case "/health" | "/v1/health" | "/ready":
                    self.reply(200, {})
                case "/status":
                    self.reply(200, {"commit": "", "branch": "", "rustc_version": "", "hostname": "", "version": "1.0.2"})
                case "/v1/sql":
                    self.sql(database, query.get("sql", ""))
                case "/decoded/tables":
                    self.reply(200, self.tables.describe())
                case "/decoded/facts":
                    self.reply(200, self.facts.describe())
                case "/decoded/rows":
                    self.send(200, "application/x-ndjson", self.tables.lines(database, query["table"]))
                case path if path.endswith("/v1/logs"):
                    self.facts.web(path, self.headers)
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    self.send(200, "application/x-protobuf", export(self.tables, body, headers))
                case _:
                    self.reply(404, {"error": f"the decoder has no {url.path}"})
        except Refused as refused:
            said = {"code": refused.code, "error": refused.words, "execution_time_ms": 0}
            self.reply(400, said, {"x-greptime-err-code": str(refused.code)})
        except (DecodeError, ValueError) as error:
            self.facts.note(f"{url.path}: {error}")
            self.reply(400, {"error": str(error)})
        except Exception as error:
            # A mistake of the decoder's own: whoever asked must see it.
            self.reply(500, {"error": repr(error)})
            raise

    def sql(self, database, text):
        outcome = execute(self.tables, database, text)
        if outcome[0] == "affected":
            output = {"affectedrows": outcome[1]}
        else:
            _, names, kinds, rows = outcome
            columns = [{"name": name, "data_type": kind} for name, kind in zip(names, kinds)]
            output = {"records": {"schema": {"column_schemas": columns}, "rows": rows, "total_rows": len(rows)}}
        self.reply(200, {"output": [output], "execution_time_ms": 0})

    def reply(self, status, document, headers=None):
        self.send(status, "application/json", json.dumps(document).encode(), headers or {})

    def send(self, status, kind, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
