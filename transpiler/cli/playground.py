"""selector-sql playground: serve the built page of the playground on this machine.

The page is a folder of files that ``python -m playground.build`` has written. The extra ``playground`` installs the
distribution selector-sql-playground, which contains such a folder.
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

#: The package that contains the page, in the distribution selector-sql-playground.
PAGE_PACKAGE = "selector_sql_playground"

#: The only address on which the server listens, so that no other machine on the network can see the page.
HOST = "127.0.0.1"

#: The files that a complete page has: the HTML document, and the file that the build writes last.
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
        fail(f"{folder} is not a built page\n  hint: write one with python -m playground.build {folder}, in a checkout")
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
        # Control-C is the normal way to end this command, so it is not an error.
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _installed_page() -> Path:
    try:
        page = files(PAGE_PACKAGE) / "page"
    except ModuleNotFoundError:
        fail(_NOT_INSTALLED)
    return Path(str(page))


def page_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server for the files of ``folder``, on this machine only. Raise ``OSError`` if the port is in use."""
    return _Server((HOST, port), partial(_Handler, directory=str(folder)))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Do not share the port: if another program listens on it, the server must fail to start.
    allow_reuse_port = False


class _Handler(SimpleHTTPRequestHandler):
    # The MIME types of the page's files. They do not depend on the system's table, because browsers reject modules with
    # a wrong type.
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
        """Make the browser check cached files for changes, because another version may have been installed."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:  # noqa: ARG002
        """Answer 404, because folders are not listed."""
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing for a request, unlike the method of the base class."""
