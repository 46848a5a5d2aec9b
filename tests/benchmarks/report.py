"""Tables on the terminal, in Markdown, and as bars in an SVG."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pyspark
from rich.console import Console
from rich.table import Table as RichTable

from tests.benchmarks.measure import Table


def machine() -> str:
    """Describe the machine that produced the figures."""
    model = "unknown"
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        model = found[1] if found else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{model}, {os.cpu_count()} cores, {memory:.0f} GB; Python {platform.python_version()}, Spark "
        f"{pyspark.__version__}, local[1]"
    )


def show(table: Table) -> None:
    """Print ``table`` on the terminal."""
    shown = RichTable(title=table.title, caption=table.note, title_justify="left", caption_justify="left")
    for index, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if index else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*row)
    Console().print(shown)


def markdown(tables: Sequence[Table], heading: str) -> str:
    """Return all tables as a Markdown page."""
    lines = ["# Speed: the figures", "", heading, ""]
    for table in tables:
        lines += [f"## {table.title}", "", table.note, ""]
        lines.append("| " + " | ".join(table.columns) + " |")
        lines.append("|---" + "|---:" * (len(table.columns) - 1) + "|")
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows]
        lines.append("")
    return "\n".join(lines)


_LABEL, _BAR, _LINE = 330, 420, 17


def svg(tables: Sequence[Table], heading: str) -> str:
    """Return the bars of all tables as SVG, each table on its own logarithmic scale. A stroke marks the target."""
    parts, top = [], 50
    for table in tables:
        if not table.bars:
            continue
        parts.append(f'<text x="10" y="{top}" class="title">{escape(table.title)}</text>')
        parts.append(f'<text x="10" y="{top + 16}" class="unit">{escape(table.unit)}</text>')
        top += 24
        # A difference of two measurements may be zero or negative.
        values = [value for _, *found in table.bars for value in found if value and value > 0] or [1.0]
        low, high = math.log10(min(values)) - 0.2, math.log10(max(values)) + 0.1
        for label, value, target in table.bars:
            parts.append(f'<text x="{_LABEL - 6}" y="{top + 12}" class="label">{escape(label)}</text>')
            width = (math.log10(max(value, 10**low)) - low) / (high - low) * _BAR
            parts.append(f'<rect x="{_LABEL}" y="{top + 3}" width="{width:.1f}" height="11"/>')
            parts.append(f'<text x="{_LABEL + width + 5:.1f}" y="{top + 12}" class="value">{value:,.4g}</text>')
            if target:
                x = _LABEL + (math.log10(target) - low) / (high - low) * _BAR
                parts.append(f'<path d="M{x:.1f} {top}v{_LINE}"/>')
            top += _LINE
        top += 34
    style = (
        "text{font:11px sans-serif;fill:#222}.title{font-weight:bold;font-size:13px}.unit{fill:#666}"
        ".label{text-anchor:end}rect{fill:#4c78a8}path{stroke:#d62728;stroke-width:2}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="840" height="{top}" viewBox="0 0 840 {top}">'
        f'<style>{style}</style><rect width="840" height="{top}" style="fill:#fff"/>'
        f'<text x="10" y="20" class="unit">{escape(heading)}</text>{"".join(parts)}</svg>\n'
    )
