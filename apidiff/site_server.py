"""Serves a built site on the loopback interface: its files, and nothing that a link in it leads to."""

from __future__ import annotations

import http.server
import io
import os
import re
import socket
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from apidiff.database.regular_files import read_regular
from apidiff.errors import ApidiffError
from apidiff.real_path import real_path
from apidiff.standard_streams import print_text

# Letters that no name of a file has; a byte that is no text is a letter from U+DC80 to U+DCFF.
_NO_FILE_NAME = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
_MOST_OF_A_PAGE = 2**20  # bytes: that of no address has a twentieth


class _Server(http.server.ThreadingHTTPServer):
    """A thread for each connection.

    One that the other side gives up, whose file cannot be read to its end, or that gets no thread ends silently.
    """

    request_queue_size = 128  # connections that wait; those behind try again, seconds later
    _most = 256  # connections at once, which a browser needs six of

    def get_request(self) -> tuple[socket.socket, object]:
        try:
            return super().get_request()
        except OSError:  # as many files are open as may be: asked again at once, it would say so again
            time.sleep(0.1)
            raise

    def verify_request(self, request: object, client_address: object) -> bool:  # noqa: ARG002 - as the base class calls it
        return threading.active_count() < self._most

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        if not isinstance(error, OSError) and str(error) != "can't start new thread":
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files of the site, without a line on the terminal for each. Records and examples are shown, not downloaded."""

    timeout = 30.0  # seconds for which a connection may say nothing

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".yaml": "text/plain; charset=utf-8",
        ".py": "text/plain; charset=utf-8",
    }

    def translate_path(self, path: str) -> str:
        """The file of an address; no file has a zero byte in its name, or half of a pair of UTF-16."""
        return _NO_FILE_NAME.sub("%00", super().translate_path(path))

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Find the file of the address; what is no address, such as ``a://[/``, has none. A pipe would be waited for.

        No link is followed out of the site: whatever this user can read would be shown, such as a key.
        """
        try:
            path = self.translate_path(self.path)
            # Not by a Path, which raises where it is too long.
            irregular = os.path.lexists(path) and not (os.path.isfile(path) or os.path.isdir(path))  # noqa: PTH112, PTH113
            # Of a folder one of these is shown.
            shown = [path, *(os.path.join(path, name) for name in ("index.html", "index.htm"))]  # noqa: PTH118 - as above
            if irregular or any(map(self._leads_out, shown)):
                self.send_error(http.HTTPStatus.NOT_FOUND)
                return None
            del self.headers["If-Modified-Since"]  # with which the base class compares times that no date says
            return super().send_head()
        except ValueError:
            self.send_error(http.HTTPStatus.BAD_REQUEST)
            return None

    def _leads_out(self, path: str) -> bool:
        """Whether there is something at ``path`` that does not lie in the folder of the site."""
        if not os.path.exists(path):  # noqa: PTH110 - as above
            return False
        return not real_path(path).is_relative_to(real_path(self.directory))

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Write a time; that of a file may be one that no date says."""
        try:
            return super().date_time_string(timestamp)
        except (OSError, OverflowError, ValueError):
            return super().date_time_string(0)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the site's own page where there is none at the address, as hosts of static sites do."""
        page, body = Path(self.directory) / "404.html", b""
        with suppress(OSError):  # one that cannot be read is as good as none
            if code == http.HTTPStatus.NOT_FOUND and page.is_file() and not self._leads_out(str(page)):
                body = read_regular(page, _MOST_OF_A_PAGE + 1)
        if not 0 < len(body) <= _MOST_OF_A_PAGE:
            super().send_error(code, message, explain)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def start_server(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Serve ``site`` on the loopback interface, on ``port`` or, where that is taken, on a free one.

    Raises ApidiffError where there is no site. The caller runs ``serve_forever``; ``server_port`` is the port in use.
    """
    if not (site / "index.html").is_file():
        raise ApidiffError(f"{site} holds no site. Build it first: make site")
    handler = partial(_Handler, directory=str(site))
    try:
        return _Server(("127.0.0.1", port), handler)
    except OSError:
        return _Server(("127.0.0.1", 0), handler)


def serve_site(site: Path, port: int) -> None:
    """Serves ``site`` until Ctrl+C, and says where. Raises what `start_server` does."""
    with start_server(site, port) as server:
        print_text(f"Serving {site} on http://127.0.0.1:{server.server_port}/ (Ctrl+C ends it)\n")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            while thread.is_alive():  # a signal that another thread takes would not end one wait for it
                thread.join(1.0)
        except KeyboardInterrupt:
            return
        finally:
            server.shutdown()
