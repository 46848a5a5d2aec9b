"""The built page, and a server for it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.build import build_page
from transpiler.cli.playground import page_server


@pytest.fixture(scope="session")
def built_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page once. Skip the test if Node.js is not installed."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("no page can be built: Node.js is not installed")
    page = tmp_path_factory.mktemp("playground") / "page"
    build_page(page, site="../index.html")
    return page


@pytest.fixture(scope="session")
def address(built_page: Path) -> Iterator[str]:
    """Serve the page as the command does, and return its URL."""
    with page_server(built_page, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
