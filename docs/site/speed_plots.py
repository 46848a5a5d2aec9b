"""Writes the plots of the pages on speed and routing from the benchmarks: python docs/site/speed_plots.py.

Plain SVG whose colors are variables: alone, a plot has those of the reader's system on a panel of its own; inlined into
the site, the scheme's (``docs/site.css``).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log10
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RESULTS = ROOT / "tests" / "benchmarks" / "results"
IMAGES = ROOT / "docs" / "images"

#: Narrow, so that the text can be read on a telephone.
WIDTH = 480
_LEFT, _RIGHT, _TOP, _ROW = 190, 24, 80, 26
_STYLE = """<style>
.fig{--ink:#1f2933;--soft:#55616d;--grid:#d3dae1;--panel:#fbfcfd}
.fig{--a:#0b7285;--b:#b8420f;--c:#6741d9;--d:#2b7a3d}
@media (prefers-color-scheme:dark){
.fig{--ink:#e6eaee;--soft:#aab4be;--grid:#3f4955;--panel:#1b2129}
.fig{--a:#5cc8d7;--b:#ff9f6b;--c:#b9a3ff;--d:#7fd18f}}
.fig text{font:13px system-ui,sans-serif;fill:var(--ink)}
.fig .soft{fill:var(--soft)}
.fig .head{font-weight:600;font-size:15px}
.fig .end{text-anchor:end}
.fig .mid{text-anchor:middle}
.fig .grid{stroke:var(--grid)}
.fig .one{stroke:var(--soft)}
.fig .goal{stroke:var(--b);stroke-dasharray:5 4}
.fig .line{fill:none;stroke-width:2.5}
.fig .panel{fill:var(--panel)}
</style>"""


def table(heading: str) -> list[list[str]]:
    """Return the rows of the table below a heading of the results."""
    text = (RESULTS / "speed.md").read_text(encoding="utf-8")
    section = text.partition(f"## {heading}")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def number(text: str) -> float:
    """Return a number as the results write it, with commas between thousands."""
    return float(text.replace(",", ""))


class Plot:
    """A picture that parts are added to; ``height`` is in pixels."""

    def __init__(self, title: str, units: tuple[str, str], height: int) -> None:
        self.height = height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">',
            f"<title>{escape(title)}</title>",
            _STYLE,
            f'<rect class="panel" width="{WIDTH}" height="{height}" rx="10"/>',
        ]
        self.text(16, 26, title, "head")
        for number, unit in enumerate(units):
            self.text(16, 45 + 17 * number, unit, "soft")

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        """Add a text, whose left end, middle or right end is at x."""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>')

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str) -> None:
        """Add a straight line."""
        self.parts.append(f'<path class="{kind}" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"/>')

    def dot(self, x: float, y: float, color: str) -> None:
        """Add a dot."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="var(--{color})"/>')

    def legend(self, names: Sequence[str], y: float) -> None:
        """Add a legend with a color for each name, in the order a, b, c, d; two in a line where there are four."""
        across = 3 if len(names) == 3 else 2
        for number, (name, color) in enumerate(zip(names, "abcd", strict=False)):
            x, down = 22 + number % across * (130 if across == 3 else 210), number // across * 20
            self.dot(x, y + down - 4, color)
            self.text(x + 10, y + down, name, "soft")

    def write(self, name: str) -> tuple[Path, str]:
        """Return the file of the picture and its text."""
        return IMAGES / f"{name}.svg", "\n".join([*self.parts, "</svg>"]) + "\n"


def by_hand() -> tuple[Path, str]:
    """Draw the ratio of compiled filters to filters by hand, a dot for each layout."""
    ratios: dict[str, dict[str, float]] = {}
    for layout, selector, _, _, ratio, *_ in table("Compiled filters against hand-written ones"):
        ratios.setdefault(selector, {})[layout] = number(ratio)
    plot = Plot(
        "Compiled filters against filters by hand",
        ("time of the compiled filter / time of the one by hand;", "5,000,000 messages; left of 1 is faster"),
        _TOP + _ROW * len(ratios) + 66,
    )
    bottom = _TOP + _ROW * len(ratios) + 8

    def place(ratio: float) -> float:
        return _LEFT + (ratio - 0.8) / 0.4 * (WIDTH - _LEFT - _RIGHT)

    for tick in (0.8, 0.9, 1.0, 1.1, 1.2):
        plot.line(place(tick), _TOP, place(tick), bottom, "one" if tick == 1 else "grid")
        plot.text(place(tick), bottom + 17, f"{tick:.1f}", "soft mid")
    plot.line(place(1.05), _TOP, place(1.05), bottom, "goal")
    for row, (selector, found) in enumerate(ratios.items()):
        y = _TOP + _ROW * row + 18
        plot.text(_LEFT - 14, y, selector, "end")
        # One below the other, so that equal ratios do not hide each other.
        for down, color, layout in zip((-5, 0, 5), "abc", ("typed", "struct", "canonical"), strict=True):
            plot.dot(place(found[layout]), y - 4 + down, color)
    plot.legend(("typed columns", "struct", "canonical"), bottom + 42)
    plot.text(WIDTH - 16, bottom + 42, "dashed: 1.05", "soft end")
    return plot.write("speed-hand")


def _curves(
    name: str,
    words: tuple[str, tuple[str, str], str],
    lines: dict[str, list[tuple[float, float]]],
    ticks: tuple[Sequence[float], ...],
) -> tuple[Path, str]:
    """Draw lines over two logarithmic scales; ``ticks`` are those of x and of y."""
    across, up = ticks
    plot = Plot(words[0], words[1], 430)
    left, bottom, right, top = 50, 300, WIDTH - 34, _TOP + 14

    def x(value: float) -> float:
        return left + (log10(value) - log10(across[0])) / (log10(across[-1]) - log10(across[0])) * (right - left)

    def y(value: float) -> float:
        return bottom - (log10(value) - log10(up[0])) / (log10(up[-1]) - log10(up[0])) * (bottom - top)

    for tick in across:
        plot.line(x(tick), top, x(tick), bottom, "grid")
        plot.text(x(tick), bottom + 19, f"{tick:,.0f}", "soft mid")
    for tick in up:
        plot.line(left, y(tick), right, y(tick), "grid")
        plot.text(left - 8, y(tick) + 4, f"{tick:g}", "soft end")
    plot.text((left + right) / 2, bottom + 44, words[2], "soft mid")
    for color, (_, points) in zip("abcd", lines.items(), strict=False):
        path = "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in points)
        plot.parts.append(f'<path class="line" stroke="var(--{color})" d="M{path}"/>')
        for at, value in points:
            plot.dot(x(at), y(value), color)
    plot.legend(tuple(lines), bottom + 74)
    return plot.write(name)


def routing() -> tuple[Path, str]:
    """Draw the time of a route by the number of bindings."""
    selectors = table("Routing 1,000,000 messages by selectors of five shapes")
    topics = table("Routing 1,000,000 messages by binding keys of topics")
    [cases] = (row for row in table("Routes against an array") if row[0] == "typed columns" and row[3] == "5")

    def line(rows: list[list[str]], name: str) -> list[tuple[float, float]]:
        return [(number(row[1]), number(row[3])) for row in rows if row[0] == name]

    lines = {
        "selectors": line(selectors, "typed columns"),
        "topic patterns": line(topics, "different"),
        "patterns, each key once": line(topics, "10,000, matched once"),
        "selectors as an array of CASE": [(number(cases[2]), number(cases[5]))],
    }
    words = ("Routing 1,000,000 messages", ("seconds of CPU, typed columns,", "on one core"), "bindings")
    return _curves("speed-routing", words, lines, ((100, 1_000, 10_000, 100_000, 1_000_000), (0.1, 1, 10, 100)))


def pictures() -> list[tuple[Path, str]]:
    """Return the file and the text of each picture."""
    return [by_hand(), routing()]


if __name__ == "__main__":
    for path, text in pictures():
        path.write_text(text, encoding="utf-8")
