"""A small HTTP endpoint: `/metrics` for Prometheus, `/status` as JSON, `/health` that answers 200 while all is well, else 503."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Thread
from urllib.parse import urlsplit

from nestling.common.errors import Problem, SyncError
from nestling.executors.sync.metrics import Metrics, prometheus

HEALTHY = ("following", "standing by")


def _is_local(host: str) -> bool:
    """Whether a host, with a port or without, is this machine's own address."""
    for read in (str, lambda given: urlsplit(f"//{given}").hostname or ""):
        with suppress(ValueError):
            name = read(host)
            return name == "localhost" or ip_address(name).is_loopback
    return False


@contextmanager
def served(metrics: Metrics, design: str, host: str, port: int) -> Iterator[int]:
    """Serve while the block runs; yields the port (0 asks for a free one). Raises `SyncError` when it is taken.

    What listens for this machine alone answers no page that reaches it under a name of its own (DNS rebinding): the status
    shows keys of documents.
    """
    is_local = _is_local(host)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if is_local and not _is_local(self.headers.get("Host", host)):
                self._answer(
                    403, "text/plain; charset=utf-8", "use an address of this machine, or listen on another one\n"
                )
                return
            snapshot = metrics.snapshot()
            match self.path:
                case "/metrics":
                    self._answer(200, "text/plain; version=0.0.4; charset=utf-8", prometheus(snapshot, design))
                case "/status":
                    self._answer(200, "application/json", json.dumps(snapshot, default=str) + "\n")
                case "/health":
                    healthy = snapshot["state"] in HEALTHY
                    self._answer(200 if healthy else 503, "text/plain; charset=utf-8", f"{snapshot['state']}\n")
                case _:
                    self._answer(404, "text/plain; charset=utf-8", "not found: use /metrics, /status or /health\n")

        def log_message(self, *_: object) -> None:
            return

        def _answer(self, code: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        move = "choose another with --listen"
        raise SyncError(Problem(f"cannot listen on {host}:{port}: {error.strerror}", next_move=move)) from error
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
