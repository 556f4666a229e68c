"""Serve the files of one page on the loopback address, and nothing else."""

import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from instinct.errors import BadInput, InstinctError

ADDRESS, PAGE = "127.0.0.1", "index.html"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".csv": "text/csv; charset=utf-8",
    ".tex": "text/plain; charset=utf-8",
}
"""The files of a page by the end of their names."""
NAME = re.compile(r"[\w-][\w.-]*", re.ASCII)


class PageServer(ThreadingHTTPServer):
    """A server of the files of the page in one folder."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        super().__init__((ADDRESS, port), PageHandler)


class PageHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with files that belong to the page."""

    server: PageServer
    server_version, sys_version = "instinct", ""

    def do_GET(self) -> None:
        """Send a file of the page."""
        self.answer(with_body=True)

    def do_HEAD(self) -> None:
        """Send what a GET would send, without the file itself."""
        self.answer(with_body=False)

    def answer(self, *, with_body: bool) -> None:
        """Send a file, or say that there is none.

        Other names of this host are refused, so that no web page can read the files by renaming
        its own host to this one.
        """
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in (ADDRESS, "localhost"):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        path = page_file(self.server.folder, urlsplit(self.path).path)
        try:
            content = b"" if path is None else path.read_bytes()
        except OSError:
            path = None
        if path is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", TYPES[path.suffix])
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        """Say nothing about requests."""


def page_file(folder: Path, address: str) -> Path | None:
    """Return the file of the page at an address; None if it is none.

    A file lies in the folder itself, is no link, and has one of the endings of a page's files.
    """
    name = unquote(address).removeprefix("/") or PAGE
    path = folder / name
    if not NAME.fullmatch(name) or path.suffix not in TYPES:
        return None
    return path if path.is_file() and not path.is_symlink() else None


def page_server(folder: Path, port: int = 0) -> PageServer:
    """Open the server of the page in a folder; port 0 takes a free one."""
    if not (folder / PAGE).is_file():
        raise BadInput("has no page; run the study or write its report first", file=folder)
    try:
        return PageServer(folder, port)
    except OSError as error:
        raise InstinctError(f"port {port} cannot be opened: {error.strerror}") from error
