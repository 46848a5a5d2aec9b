"""``selector-sql playground``: its page, its server, its errors; and the command that builds the page."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
from pathlib import Path
from types import ModuleType
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner

import playground
from playground import build
from playground.downloads import BuildError, run
from playground.licences import licences_page
from transpiler import __version__
from transpiler.cli import main
from transpiler.cli import playground as command

ROOT = Path(playground.__file__).parent.parent


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return a folder with the same kinds of files as a built page."""
    folder = tmp_path / "page"
    for name, content in (("index.html", "<p>the page"), ("core/snapshot.bin.gz", "x"), ("a.mjs", ""), ("b.wasm", "")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_files_are_served_with_their_types_to_this_machine_only(page: Path) -> None:
    types = {
        "": "text/html; charset=utf-8",
        "a.mjs": "text/javascript",
        "b.wasm": "application/wasm",
        "core/snapshot.bin.gz": "application/octet-stream",
    }
    with command.page_server(page, 0) as server:
        assert server.server_address[0] == "127.0.0.1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            for name, kind in types.items():
                with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{name}") as response:
                    assert response.headers["Content-Type"] == kind
                    assert response.headers["Content-Encoding"] is None
            for name in ("core/", "../page", "nothing"):
                with pytest.raises(HTTPError, match="404"):
                    urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{name}")
        finally:
            server.shutdown()
            thread.join()


def test_the_command_prints_the_address_opens_a_browser_and_serves(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    monkeypatch.setattr(command.ThreadingHTTPServer, "serve_forever", lambda _: time.sleep(0))
    result = CliRunner().invoke(main, ["playground", "--port", "0", "--page", str(page)])
    assert (result.exit_code, len(opened)) == (0, 1)
    assert result.output == f"The playground is at {opened[0]} (Ctrl-C ends it)\n"
    assert CliRunner().invoke(main, ["playground", "--port", "0", "--no-browser", "--page", str(page)]).exit_code == 0
    assert len(opened) == 1


def test_the_installed_page_is_the_default(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType(command.PAGE_PACKAGE)
    package.__path__ = [str(page.parent)]
    monkeypatch.setitem(sys.modules, command.PAGE_PACKAGE, package)
    monkeypatch.setattr(command, "files", lambda _: page.parent)
    monkeypatch.setattr(command.ThreadingHTTPServer, "serve_forever", lambda _: time.sleep(0))
    assert CliRunner().invoke(main, ["playground", "--port", "0", "--no-browser"]).exit_code == 0


def test_the_extra_brings_the_page_of_this_version() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert f"{build.WHEEL_NAME}=={__version__}" in extras["playground"]
    assert build.WHEEL_PACKAGE == command.PAGE_PACKAGE


def test_a_page_that_is_not_there_is_an_error_with_what_to_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["playground"])
    assert result.exit_code == 2
    assert result.output == (
        "the playground's page is not installed: in a checkout, "
        "python -m playground.build --wheel dist && pip install dist/selector_sql_playground-*.whl\n"
    )
    result = CliRunner().invoke(main, ["playground", "--page", str(tmp_path)])
    assert result.exit_code == 2
    assert f"{tmp_path} is not a built page\n  hint: write one with python -m playground.build" in result.output


def test_a_port_that_is_taken_is_an_error_with_what_to_do(page: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = CliRunner().invoke(main, ["playground", "--no-browser", "--port", str(port), "--page", str(page)])
    assert result.exit_code == 2
    assert result.output == (
        f"cannot listen on 127.0.0.1:{port}: Address already in use\n"
        "  hint: give another port with --port, or 0 for a free one\n"
    )


@pytest.mark.full
def test_the_build_refuses_a_folder_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    with pytest.raises(BuildError, match="holds something else than a playground"):
        build.build_page(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "playground.build", str(tmp_path)], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"{tmp_path} holds something else than a playground: name an empty folder\n",
    )
    assert (tmp_path / "thesis.txt").exists()


def test_a_program_that_fails_is_an_error_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"(?s)cannot count: python\S* ended with 3\nno numbers"):
        run([sys.executable, "-c", "import sys; print('no numbers', file=sys.stderr); sys.exit(3)"], tmp_path, "count")


def test_all_that_is_shipped_is_on_the_page_of_licences(tmp_path: Path) -> None:
    wheels = []
    for name in ("selector_sql", "sly"):
        wheels.append(tmp_path / f"{name}.whl")
        with build.zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"{name}-1.dist-info/LICENSE", f"the licence of {name}")
    text = licences_page(wheels)
    for shipped in ("the licence of sly", "Pyodide 314", "Python Software Foundation", "Viz.js", "Graphviz", "Expat"):
        assert shipped in text
    for licence in ("Apache-2.0", "BSD-3-Clause", "MPL-2.0", "PSF-2.0", "EPL-2.0", "MIT"):
        assert f'<h2 id="{licence}">' in text
        assert f'href="#{licence}"' in text
