"""selector-sql playground: serve the built page of the playground on this machine.

The page is data: a folder that ``python -m playground.build`` has written. The distribution selector-sql-playground,
which the extra ``playground`` brings, carries one.
"""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from transpiler.cli.group import fail
from transpiler.cli.manual import Example, ManualCommand

#: The package of the distribution that carries the page.
PAGE_PACKAGE = "selector_sql_playground"

#: The one address that is listened to: nobody else on the network sees the page.
HOST = "127.0.0.1"

#: The files of a page: the document, and the snapshot that the build writes last.
_NEEDED = ("index.html", "core/snapshot.bin.gz")

_NOT_INSTALLED = (
    "the playground's page is not installed: in a checkout, "
    "python -m playground.build --wheel dist && pip install dist/selector_sql_playground-*.whl"
)


@click.command(
    cls=ManualCommand,
    short_help="Try selectors and topologies in a browser.",
    examples=[
        Example("Open the playground in a browser", "selector-sql playground"),
        Example("Serve a page that was built in a checkout", "selector-sql playground --page build/playground"),
    ],
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port; 0 is a free one."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    help="A folder that python -m playground.build has written  [default: the page of the extra]",
)
def playground(port: int, no_browser: bool, page: Path | None) -> None:
    """Serve the playground on 127.0.0.1, and open it in a browser; Ctrl-C ends it.

    Type a selector and a message, and see its errors, its verdict part by part, its SQL and what other brokers make of
    it; or paste RabbitMQ's definitions.json, and see where a message goes. All of it runs in the browser.
    """
    folder = _installed_page() if page is None else page
    if any(not (folder / name).is_file() for name in _NEEDED):
        fail(f"{folder} is no built page\n  hint: write one with python -m playground.build {folder}, in a checkout")
    try:
        server = page_server(folder, port)
    except OSError as error:
        hint = "give another port with --port, or 0 for a free one"
        fail(f"cannot listen on {HOST}:{port}: {error.strerror}\n  hint: {hint}")
    with server:
        address = f"http://{HOST}:{server.server_port}/"
        click.echo(f"The playground is at {address} (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(address)
        # Control-C is the way to end this command, and no failure.
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _installed_page() -> Path:
    try:
        page = files(PAGE_PACKAGE) / "page"
    except ModuleNotFoundError:
        fail(_NOT_INSTALLED)
    return Path(str(page))


def page_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a folder's files on this machine only; ``OSError`` where the port is taken."""
    return _Server((HOST, port), partial(_Handler, directory=str(folder)))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A port that another program listens on is an error, and not shared.
    allow_reuse_port = False


class _Handler(SimpleHTTPRequestHandler):
    # The types of the files that the page loads, whatever the system's table says: browsers refuse modules of others.
    extensions_map = {  # noqa: RUF012
        **SimpleHTTPRequestHandler.extensions_map,
        ".css": "text/css",
        ".gz": "application/octet-stream",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript",
        ".json": "application/json",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }
    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        """Let the browser ask before it shows a file that it has: another version may be installed by then."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:  # noqa: ARG002
        """Refuse to list a folder."""
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no line for a request."""
