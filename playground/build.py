"""Build the page: ``python -m playground.build OUTDIR``, or with ``--wheel DIR`` the distribution that contains it.

OUTDIR contains all files that the page loads: its own sources, Pyodide, Graphviz, and the snapshot of an interpreter
that has imported ``transpiler``. The build needs Node.js, pip and their registries. The result needs only a server of
static files, and no network.

Because of the snapshot, the page answers within a second; importing ``transpiler`` in the browser would take twice as
long. The modules in the snapshot come from this project's wheel, from SLY's wheel, and from ``playground.session``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from playground.downloads import PYODIDE, VIZ, BuildError, NpmPackage, fetch_npm, fetch_sly, program, run
from playground.licences import licences_page
from playground.session.examples import examples
from transpiler import __version__

ROOT = Path(__file__).parent.parent
HERE = Path(__file__).parent

#: The files and folders of this project from which its wheel is built.
_SOURCES = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "transpiler",
    "spark_ext",
)

#: The names of the distribution that contains the built page, and of its only package.
WHEEL_NAME, WHEEL_PACKAGE = "selector-sql-playground", "selector_sql_playground"


def build_page(target: Path, site: str | None = None) -> None:
    """Write the whole page into the folder ``target``, which may contain an earlier page; raise ``BuildError``.

    ``site`` is the address, relative to the page, of the site to which the page's title links; None for no link.
    """
    if target.exists() and any(target.iterdir()) and not (target / "core" / "snapshot.bin.gz").exists():
        raise BuildError(f"{target} holds something else than a playground: name an empty folder")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        pyodide, viz = fetch_npm(PYODIDE, folder), fetch_npm(VIZ, folder)
        wheels = [_build_wheel(folder), fetch_sly(folder)]
        modules = folder / "modules.zip"
        _write_modules(wheels, modules)
        page = folder / "page"
        shutil.copytree(HERE / "page", page)
        if site is not None:
            text = (page / "index.html").read_text(encoding="utf-8")
            back = f'<h1><a href="{escape(site)}">selector-sql</a>'
            (page / "index.html").write_text(text.replace("<h1>selector-sql", back, 1), encoding="utf-8")
        _copy(PYODIDE, pyodide, page / "pyodide")
        _copy(VIZ, viz, page / "graphviz")
        # The list of packages is for Pyodide's own loader. The page loads its packages from one archive instead, so
        # empty the list.
        lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
        (page / "pyodide" / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), encoding="utf-8")
        (page / "core").mkdir()
        _write_snapshot(pyodide, modules, folder / "requests.json", page / "core" / "snapshot.bin.gz")
        (page / "licences.html").write_text(licences_page(wheels), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(page, target)


def build_wheel(target: Path) -> Path:
    """Write the wheel that contains the page into the folder ``target``, and return its file; raise ``BuildError``."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        package = folder / WHEEL_PACKAGE
        package.mkdir()
        (package / "__init__.py").write_text('"""The built page of the playground."""\n', encoding="utf-8")
        build_page(package / "page")
        shutil.copy(ROOT / "LICENSE", folder)
        settings = (HERE / "wheel.toml").read_text(encoding="utf-8").replace("$version", __version__)
        (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
        target.mkdir(parents=True, exist_ok=True)
        _pip_wheel(folder, target, "build the wheel")
        return next(target.glob(f"{WHEEL_PACKAGE}-{__version__}-*.whl"))


def _build_wheel(folder: Path) -> Path:
    """Build this project's wheel from a copy, so that the build uses no earlier results and leaves none in the tree."""
    copy, wheels = folder / "source", folder / "wheels"
    copy.mkdir()
    for name in _SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy)
    _pip_wheel(copy, wheels, "build the wheel of the core")
    return next(wheels.glob("*.whl"))


def _pip_wheel(source: Path, target: Path, purpose: str) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(target.resolve())]
    run([*command, str(source)], source, purpose)


def _write_modules(wheels: list[Path], target: Path) -> None:
    """Write an archive of the Python modules that run in the browser: ``wheels`` and ``playground.session``."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as opened:
                for name in opened.namelist():
                    if name.startswith(("transpiler/", "sly/")):
                        archive.writestr(name, opened.read(name))
        for file in (HERE / "__init__.py", *sorted((HERE / "session").glob("*.py"))):
            archive.write(file, file.relative_to(ROOT))


def _copy(package: NpmPackage, source: Path, target: Path) -> None:
    target.mkdir()
    for name in package.files:
        shutil.copy(source / name, target)


def _write_snapshot(pyodide: Path, modules: Path, requests: Path, target: Path) -> None:
    requests.write_text(json.dumps(list(_requests())), encoding="utf-8")
    command = [program("node"), str(HERE / "snapshot.mjs"), *map(str, (pyodide, modules, requests, target))]
    run(command, requests.parent, "write the snapshot of the interpreter")


def _requests() -> Iterator[dict[str, object]]:
    """Yield a request of each kind. The build answers them before it takes the snapshot of the Python interpreter.

    The page loads this snapshot, so that all modules are already imported and the caches filled.
    """
    yield {"ask": "choices"}
    menus = examples()
    for one in menus["selectors"]:
        selector, message, dialect = one["selector"], one["message"], one["dialect"]
        yield {"ask": "judge", "selector": selector, "message": message, "dialect": dialect}
        yield {"ask": "dialects", "selector": selector, "message": message}
        yield {"ask": "message", "text": message}
    for layout in ("schema", "amqp", "kafka-headers"):
        yield {"ask": "sql", "selector": "color = 'red'", "dialect": "jms", "layout": layout, "result": "filter"}
    yield {"ask": "port", "selector": "color <> 'red'", "source": "jms", "target": "activemq"}
    one = menus["topologies"][0]
    text = one["topology"]
    yield {"ask": "topology", "text": text}
    keys = ("exchange", "routing_key", "message")
    yield {"ask": "publish", "text": text, **{key: one[key] for key in keys}}


def main() -> None:
    """Build the page, or its wheel, as the command-line arguments state."""
    parser = argparse.ArgumentParser(prog="python -m playground.build", description="Build the playground's page.")
    parser.add_argument(
        "outdir", nargs="?", type=Path, help="the folder of the page; an earlier page in it is replaced"
    )
    parser.add_argument("--site", metavar="LINK", help="the site's start page, which the title of the page leads to")
    parser.add_argument("--wheel", metavar="DIR", type=Path, help="write the distribution that carries the page there")
    given = parser.parse_args()
    if (given.outdir is None) == (given.wheel is None):
        parser.error("give OUTDIR or --wheel DIR, one of the two")
    try:
        written = build_wheel(given.wheel) if given.outdir is None else given.outdir
        if given.outdir is not None:
            build_page(given.outdir, given.site)
    except BuildError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    files = [written] if written.is_file() else [file for file in written.rglob("*") if file.is_file()]
    print(f"{written}: {sum(file.stat().st_size for file in files) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
