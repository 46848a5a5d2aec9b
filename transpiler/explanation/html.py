"""An explanation as a small piece of HTML, for notebooks: inline styles only, legible on light and on dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from transpiler.explanation.parts import TRUTH_TEXT, Part
from transpiler.explanation.wording import value_text

if TYPE_CHECKING:
    from transpiler.explanation.explanation import Explanation

#: Colours of middle lightness, which stand out from white and from black; a colour is never the only sign.
_GOOD, _BAD, _OPEN = "#2f9e44", "#e03131", "#e67700"
_COLOURS = {True: _GOOD, False: _BAD, None: _OPEN}

#: Parts that the tree shows.
_MAX_PARTS = 200

_MONO = "font-family:ui-monospace,monospace"


def badge(text: str, colour: str) -> str:
    """Return a short text in a frame."""
    style = f"color:{colour};border:1px solid {colour};border-radius:4px;padding:0 .4em;font-weight:600"
    return f'<span style="{style}">{escape(text)}</span>'


def explanation_html(explanation: Explanation) -> str:
    """Return the verdict with its reason, the selector with what decides marked, and the tree folded away."""
    head = f"{badge(explanation.outcome, _COLOURS[explanation.verdict])} {escape(explanation.reason)}"
    rows = [
        f"<div>{head}</div>",
        f'<pre style="{_MONO};margin:.4em 0;white-space:pre-wrap">{_marked(explanation)}</pre>',
    ]
    if explanation.consequence is not None:
        rows.append(f"<div>in {escape(explanation.dialect)}: {escape(explanation.consequence)}</div>")
    if explanation.tree is not None:
        rows.append(f"<details><summary>all parts</summary>{_tree(explanation.tree)}</details>")
    return f'<div style="max-width:60em;line-height:1.5">{"".join(rows)}</div>'


def _marked(explanation: Explanation) -> str:
    pieces, end = [], 0
    for part in explanation.deciding:
        if part.span.start < end:
            continue
        colour = _COLOURS[part.verdict]
        style = f"text-decoration:underline wavy {colour};text-underline-offset:.25em;font-weight:600"
        pieces.append(escape(explanation.selector[end : part.span.start]))
        pieces.append(f'<span style="{style}">{escape(part.text)}</span>')
        end = part.span.end
    return "".join(pieces) + escape(explanation.selector[end:])


def _tree(tree: Part) -> str:
    lines: list[str] = []
    pending = [(tree, 0)]
    while pending and len(lines) < _MAX_PARTS:
        part, depth = pending.pop()
        if not part.kind.endswith("literal"):
            lines.append(_line(part, depth))
        pending.extend((inner, depth + 1) for inner in part.parts[::-1])
    return f'<div style="{_MONO};font-size:.9em">{"".join(lines)}{"…" if pending else ""}</div>'


def _line(part: Part, depth: int) -> str:
    if part.thrown is not None:
        shown, colour = f"throws: {part.thrown}", _BAD
    elif part.is_condition:
        shown, colour = TRUTH_TEXT[part.verdict], _COLOURS[part.verdict]
    else:
        shown, colour = "NULL" if part.value is None else value_text(part.value), "inherit"
    text = escape(part.text if len(part.text) <= 80 else f"{part.text[:79]}…")
    said = f'<span style="color:{colour}">{escape(shown)}</span>'
    return f'<div style="padding-left:{1.5 * depth}em">{text} → {said}</div>'
