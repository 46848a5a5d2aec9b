"""MkDocs hooks: pages from above docs, the navigation of the rules, titles of blocks, drawings.

Everything here serves the site only, so that the same Markdown reads well in a repository's browser.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbconvert import MarkdownExporter
from tables import with_fitted_tables

ROOT = Path(__file__).parent.parent.parent

#: Files above docs by their paths in the repository, with their places in the site.
ADDED = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/github/check-selectors.yml": "examples/check-selectors.yml",
}

NOTEBOOKS = {
    f"examples/notebooks/{file.name}": f"notebooks/{file.stem}.md"
    for file in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
}

_LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)]*)?\))")
_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_DRAWING = re.compile(r"^!\[([^\]]*)\]\(([^)]+\.svg)\)$", re.MULTILINE)
#: Pages whose tables need the width of the table of contents.
_WIDE = {"headers.md", "filters.md", "dialects.md", "diagnostics.md", "stores/README.md"}
_RULES = re.compile(r"^## (.+)$|^\| \[([\w.-]+)\]\((\S+)\)", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the rules into the navigation, under the headings of their index."""
    index = (ROOT / "docs" / "rules" / "README.md").read_text(encoding="utf-8")
    groups: list[dict[str, list[Any]]] = []
    for heading, rule, page in _RULES.findall(index):
        if heading:
            groups.append({heading: []})
        else:
            next(iter(groups[-1].values())).append({rule: f"rules/{page}"})
    assert config.nav is not None
    config.nav = [{"Rules": ["rules/README.md", *groups]} if "Rules" in entry else entry for entry in config.nav]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and files above docs, and the notebooks with what they showed."""
    for source, place in ADDED.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text(encoding="utf-8")))
    for notebook, place in NOTEBOOKS.items():
        body, resources = MarkdownExporter().from_filename(str(ROOT / notebook), {"unique_key": Path(place).stem})
        files.append(File.generated(config, place, content=body))
        for name, picture in resources["outputs"].items():
            files.append(File.generated(config, f"notebooks/{name}", content=picture))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Point links at the site's places, title blocks by their file's name, and inline drawings."""
    place = page.file.src_uri
    if place in _WIDE:
        page.meta["hide"] = ["toc"]
    # The page's place in the repository, which its links start from.
    source = next((source for source, added in ADDED.items() if added == place), f"docs/{place}")

    def linked(match: re.Match[str]) -> str:
        target = normpath(str(PurePosixPath(source).parent / match[2]))
        within = (ADDED | NOTEBOOKS).get(target, target.removeprefix("docs/") if target.startswith("docs/") else None)
        if within is None:
            return match[0]
        return f"{match[1]}{relpath(within, str(PurePosixPath(place).parent))}{match[3]}"

    def titled(match: re.Match[str]) -> str:
        return f"```{match[1]}" if match[2] == "no-run" else f'```{match[1]} title="{match[2]}"'

    def drawn(match: re.Match[str]) -> str:
        # Inlined, a drawing has the colors of the scheme that the reader has chosen.
        drawing = (ROOT / "docs" / PurePosixPath(place).parent / match[2]).read_text(encoding="utf-8")
        return f'<figure class="drawing" tabindex="0" aria-label="{match[1]}">{drawing.strip()}</figure>'

    return _DRAWING.sub(drawn, _FENCE.sub(titled, _LINK.sub(linked, markdown)))


#: The search of Material is a dialog, and has no name.
_SEARCH = 'class="md-search" data-md-component="search" role="dialog"'


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Name the search, take empty cells out of the headers of tables, and fit wide tables to their windows."""
    output = output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"').replace("<th></th>", "<td></td>")
    return with_fitted_tables(output, is_wide=page.file.src_uri in _WIDE)
