"""The search of the built site finds options, names in camel case and words with hyphens."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.devtools import open_browser

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[1]
TOGGLE, QUERY = "[data-md-toggle=search]", "[data-md-component=search-query]"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build the site, serve it, and return its URL. Skip the test if MkDocs is not installed."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("no site can be built: the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", folder], cwd=ROOT, check=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("JmsListener", "selector-places"),
        ("createConsumer", "selector-places"),
        ("--baseline", "commands"),
        ("baseline", "commands"),
    ],
)
def test_what_people_look_for_is_found(site: str, tmp_path: Path, query: str, page: str) -> None:
    with open_browser(tmp_path / "profile") as opened:
        opened.resize(1280, 900)
        opened.open(f"{site}index.html")
        opened.wait_for("document.readyState === 'complete'")
        opened.run(f"document.querySelector('{TOGGLE}').click()")
        opened.run(f"document.querySelector('{QUERY}').focus()")
        opened.type(query)
        found = "[...document.querySelectorAll('.md-search-result__link')].map((link) => link.getAttribute('href'))"
        opened.wait_for(f"{found}.some((address) => address.includes('{page}'))")
        assert opened.run(f"document.querySelector('{QUERY}').matches(':focus')")
        assert opened.failures == []
