"""An explanation in a notebook: the verdict, the selector with what decides marked, and the tree folded away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from transpiler import html
from transpiler.diagnostics import shortened
from transpiler.explanation.parts import Part
from transpiler.explanation.wording import value_text
from transpiler.message.types import TRUTH_TEXT

if TYPE_CHECKING:
    from transpiler.explanation.explanation import Explanation

#: Parts that the tree shows.
_MAX_PARTS = 200


def explanation_html(explanation: Explanation) -> str:
    """Return the verdict with its reason, the selector with what decides marked, and the tree folded away."""
    deciding = ((part.span.start, part.span.end, part.verdict) for part in explanation.deciding)
    rows = [
        html.badged(explanation.outcome, explanation.verdict, explanation.reason),
        html.marked(explanation.selector, deciding),
    ]
    if explanation.consequence is not None:
        rows.append(html.text(f"in {explanation.dialect}: {explanation.consequence}"))
    if explanation.tree is not None:
        rows.append(html.folded("all parts", _lines(explanation.tree)))
    return "".join(rows)


def _lines(tree: Part) -> Iterator[tuple[int, str, str, str]]:
    pending, shown = [(tree, 0)], 0
    while pending and shown < _MAX_PARTS:
        part, depth = pending.pop()
        if not part.kind.endswith("literal"):
            yield depth, shortened(part.text, 80), *_value(part)
            shown += 1
        pending.extend((inner, depth + 1) for inner in part.parts[::-1])
    if pending:
        yield 0, "…", f"more than {_MAX_PARTS} parts", "inherit"


def _value(part: Part) -> tuple[str, str]:
    if part.thrown is not None:
        return f"throws: {part.thrown}", html.COLOURS[False]
    if part.is_condition:
        return TRUTH_TEXT[part.verdict], html.COLOURS[part.verdict]
    return "NULL" if part.value is None else value_text(part.value), "inherit"
