"""On a phone, tables of the site fit the window, and each cell names its column."""

from __future__ import annotations

import re
import runpy
from html import escape
from pathlib import Path

import pytest

from tests.devtools import open_browser
from tests.pages import DOCS, read

FIT = runpy.run_path(str(DOCS / "site" / "tables.py"))["with_fitted_tables"]
TABLE = re.compile(r"^(\|.+)\n\|[-|]+\|\n((?:\|.+\n)+)", re.MULTILINE)


def shown(cell: str) -> str:
    """Return ``cell``, a Markdown cell with code and links, as HTML."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", escape(cell)))


def html(page: str) -> str:
    """Return the tables of ``page`` as HTML, as the site contains them."""
    tables = []
    for head, body in TABLE.findall(read(page)):
        names, *rows = [
            [shown(cell.strip()) for cell in re.split(r"(?<!\\)\|", line[1:-1])] for line in (head, *body.splitlines())
        ]
        heads = "".join(f"<th>{name}</th>" for name in names)
        cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        tables.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>")
    assert tables
    return FIT("".join(tables))


HEAD = "<table><thead><tr><th>a</th><th>b</th><th>c</th></tr></thead>"


def test_a_wide_table_is_stacked_and_a_narrow_one_is_not() -> None:
    narrow = f"{HEAD}<tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>"
    assert FIT(narrow) == narrow.replace("<table>", '<table tabindex="0">')
    wide = narrow.replace("<th>b", '<th><code>a &quot;b"</code>').replace("<td>3", f"<td>{40 * 'x'}")
    fitted = FIT(wide)
    assert fitted.startswith('<table tabindex="0" data-stacks><thead>')
    assert '<td data-name="a &quot;b&quot;">2</td>' in fitted
    two = "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody></tbody></table>"
    assert FIT(two) == two


@pytest.mark.live
@pytest.mark.parametrize("page", ["docs/dialects.md", "docs/versions.md", "docs/speed.md", "docs/filters.md"])
def test_no_table_is_wider_than_a_phone(page: str, tmp_path: Path) -> None:
    # The same settings as in the style sheet of the Material theme.
    style = "html { font-size: 125%; } * { box-sizing: border-box; }" + (DOCS / "site.css").read_text(encoding="utf-8")
    head = f'<meta name="viewport" content="width=device-width"><style>{style}</style>'
    file = tmp_path / "page.html"
    file.write_text(f'{head}<body class="md-typeset">{html(page)}</body>', encoding="utf-8")
    with open_browser(tmp_path / "profile") as browser:
        browser.resize(400, 900)
        browser.open(file.as_uri())
        browser.wait_for("document.readyState == 'complete' && !!document.querySelector('table')")
        assert browser.run("document.documentElement.scrollWidth") <= 400
        cell = "document.querySelector('[data-stacks] td:nth-child(2)')"
        assert browser.run(f"getComputedStyle({cell}, '::before').content == `\"${{{cell}.dataset.name}}: \"`")
