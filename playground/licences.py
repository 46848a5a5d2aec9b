"""The page that lists the third-party software in the playground, with the texts of the licences."""

from __future__ import annotations

import zipfile
from html import escape
from pathlib import Path
from typing import NamedTuple

from playground.downloads import PYODIDE, VIZ
from transpiler import __version__

_TEXTS = Path(__file__).parent / "licences"


class _Shipped(NamedTuple):
    """A piece of software in the page. ``licence`` names a file in ``licences``, or a licence text in a wheel."""

    name: str
    version: str
    licence: str
    copyright: str
    source: str


_SHIPPED = (
    _Shipped(
        "selector-sql",
        __version__,
        "Apache-2.0",
        "the authors of selector-sql",
        "the project of this page",
    ),
    _Shipped("SLY", "0.5", "BSD-3-Clause", "2016-2022 David M. Beazley (Dabeaz LLC)", "https://github.com/dabeaz/sly"),
    _Shipped(
        "Pyodide",
        PYODIDE.version,
        "MPL-2.0",
        "the Pyodide contributors and Mozilla",
        f"https://github.com/pyodide/pyodide/tree/{PYODIDE.version}",
    ),
    _Shipped(
        "CPython, in Pyodide, with its standard library",
        "3.14",
        "PSF-2.0",
        "2001 Python Software Foundation",
        "https://github.com/python/cpython",
    ),
    _Shipped(
        "The C library of Emscripten (musl and others), in Pyodide and Viz.js",
        "",
        "MIT",
        "2010 the Emscripten authors; 2005-2020 Rich Felker, et al.",
        "https://github.com/emscripten-core/emscripten",
    ),
    _Shipped("Viz.js", VIZ.version, "MIT", "Michael Daines", "https://github.com/mdaines/viz-js"),
    _Shipped(
        "Graphviz, in Viz.js",
        "16.1.0",
        "EPL-2.0",
        "AT&T and the Graphviz contributors",
        "https://gitlab.com/graphviz/graphviz/-/tree/16.1.0",
    ),
    _Shipped(
        "Expat, in Viz.js",
        "2.8.5",
        "MIT",
        "1998-2000 Thai Open Source Software Center Ltd and Clark Cooper; 2001-2026 Expat maintainers",
        "https://github.com/libexpat/libexpat",
    ),
)


def licences_page(wheels: list[Path]) -> str:
    """Return the page as HTML. ``wheels`` are those of this project and of SLY, which contain their licence texts."""
    own, sly = (_licence_of(wheel) for wheel in wheels)
    texts = {"Apache-2.0": own, "BSD-3-Clause": sly}
    texts |= {file.stem: file.read_text(encoding="utf-8") for file in sorted(_TEXTS.glob("*.txt"))}
    rows = "\n".join(_row(one) for one in _SHIPPED)
    sections = "\n".join(
        f'<h2 id="{name}">{name}</h2>\n<pre tabindex="0" aria-label="Text of {name}">{escape(text.strip())}</pre>'
        for name, text in texts.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'">
<title>Licences of the playground</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<main class="prose">
<h1>Licences of the playground</h1>
<p>The <a href="./">playground</a> is made of these parts. None of them was changed; the memory that the page starts
from was written by Pyodide after it had imported selector-sql and SLY.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Parts">
<table>
<thead><tr><th scope="col">Part</th><th scope="col">Licence</th><th scope="col">Copyright</th>
<th scope="col">Source</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
{sections}
</main>
</body>
</html>
"""


def _row(one: _Shipped) -> str:
    cells = (f"{one.name} {one.version}".strip(), one.copyright, one.source)
    name, copyright_, source = map(escape, cells)
    link = f'<a href="{source}">{source}</a>' if source.startswith("https:") else source
    return (
        f'<tr><th scope="row">{name}</th><td><a href="#{one.licence}">{one.licence}</a></td>'
        f"<td>{copyright_}</td><td>{link}</td></tr>"
    )


def _licence_of(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith("LICENSE") and ".dist-info/" in name)
        return opened.read(name).decode("utf-8")
