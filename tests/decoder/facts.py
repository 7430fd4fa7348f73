"""How things were sent, beside what was sent: calls, users, compressions, and what went wrong."""

import threading
from collections import Counter


class Facts:
    """Counts and notes. Every method may be called by several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls = Counter()
        self.batches = Counter()
        self.users = Counter()
        self.metadata = {}
        self.requests = Counter()
        self.notes = []

    def call(self, method, context):
        """Notes a gRPC call; gives its metadata."""
        metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        with self.lock:
            self.calls[method] += 1
            self.metadata[method] = metadata
        return metadata

    def batch(self, compression):
        with self.lock:
            self.batches[compression] += 1

    def user(self, name, password):
        with self.lock:
            self.users[f"{name}:{password}"] += 1

    def web(self, path, headers):
        with self.lock:
            self.requests[path] += 1
            self.metadata[path] = {name.lower(): value for name, value in headers.items()}

    def note(self, words):
        with self.lock:
            self.notes.append(words)

    def describe(self):
        with self.lock:
            return {
                "calls": self.calls,
                "batches": self.batches,
                "users": self.users,
                "metadata": self.metadata,
                "requests": self.requests,
                "notes": self.notes,
            }
