"""Check the links of the built site: python docs/site/check_links.py build/site.

Links to pages and anchors of the site must lead somewhere; links to other hosts must be well formed and are not
followed. What a page loads by itself (scripts, styles, pictures, fonts) must be of the site.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

#: Attributes by which a browser loads something without being asked.
_LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
#: Links of the head that name a page and load nothing.
_NAMED_ONLY = {"canonical", "prev", "next", "alternate"}


class Page(HTMLParser):
    """The anchors of a page, and its links with the tag and attribute of each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the tag names and what it links to."""
        attributes = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := attributes.get(key))}
        named_only = tag == "link" and attributes.get("rel") in _NAMED_ONLY
        for key in ("href", "src"):
            if value := attributes.get(key):
                self.links.append(("a" if named_only else tag, key, value))


@cache
def read(path: Path) -> Page:
    """Return a page of the site."""
    return Page(path.read_text(encoding="utf-8"))


def faults(site: Path) -> Iterator[str]:
    """Yield what is wrong with the links of the site, a line for each."""
    for path in sorted(site.rglob("*.html")):
        for tag, key, link in read(path).links:
            fault = _fault(site, path, (tag, key), link)
            if fault is not None:
                yield f"{path.relative_to(site)}: {link}: {fault}"
    for style in sorted(site.rglob("*.css")):
        text = style.read_text(encoding="utf-8")
        if "url(http" in text or "url(//" in text or "@import" in text:
            yield f"{style.relative_to(site)}: it loads from another host"


def _fault(site: Path, page: Path, place: tuple[str, str], link: str) -> str | None:
    try:
        parts = urlsplit(link)
    except ValueError as error:
        return f"it is no URL: {error}"
    if parts.scheme or parts.netloc:
        return _outer_fault(parts, place)
    # The page of errors is shown for any address, so its links begin at the root.
    start = site / parts.path.lstrip("/") if parts.path.startswith("/") else page.parent / parts.path
    target = Path(unquote(str(start))) if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    # Material writes an anchor of this name by a script.
    if anchor and anchor != "__skip" and target.suffix == ".html" and anchor not in read(target.resolve()).anchors:
        return "the page has no such anchor"
    return None


def _outer_fault(parts: SplitResult, place: tuple[str, str]) -> str | None:
    if parts.scheme in ("data", "mailto", "javascript"):
        return None
    if place in _LOADED:
        return "the page would load it from another host"
    if parts.scheme not in ("http", "https") or "." not in parts.netloc or " " in parts.geturl():
        return "it is not well formed"
    return None


def main() -> int:
    """Print the faults and return the exit code."""
    site = Path(sys.argv[1])
    found = list(faults(site))
    for fault in found:
        print(fault, file=sys.stderr)
    pages = sum(1 for _ in site.rglob("*.html"))
    if not pages:
        print(f"{site} has no pages", file=sys.stderr)
        return 1
    print(f"{pages} pages, {len(found)} broken links")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
