"""``explain_selector`` explains in one sentence why a message matches a selector or does not, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from transpiler.base import html
from transpiler.base.arguments import check_keywords
from transpiler.base.diagnostics import caret_block, clipped, shortened
from transpiler.base.source import Source, Span
from transpiler.compiler.layouts.json_rows import message_from_json, message_from_json_row
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector, selector_text
from transpiler.message.message import Message
from transpiler.message.receiver import Receiver, ReceiverOptions
from transpiler.message.types import TRUTH_TEXT, Truth
from transpiler.tools.explanation.deciding import common_node, decide, leaves
from transpiler.tools.explanation.parts import Evaluation, Part, build_parts
from transpiler.tools.explanation.sentences import sentence
from transpiler.tools.explanation.wording import value_text

#: Version number of the JSON that ``Explanation.to_dict`` returns.
VERSION = 1

#: Limits of the output: lines of the selector in the text form, and subexpressions in the HTML form.
_MAX_LINES, _MAX_PARTS = 6, 200

_NO_SELECTOR = "there is no selector, and so every message matches"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The result of a selector for one message, and the subexpressions that decide it.

    - ``verdict`` is True, False, or None for unknown; ``reason`` is one sentence on why.
    - ``thrown`` is the text of the exception that the broker would throw, and ``consequence`` the effect of the
      exception in the broker; both are None if nothing is thrown.
    - ``tree`` contains the subexpressions, each with its own result or value; it is None if the selector is blank.
    - ``decisive`` is the smallest subexpression that contains all deciding ones.
    """

    selector: str
    dialect: str
    message: Message = field(repr=False)
    verdict: Truth
    reason: str
    thrown: str | None = None
    consequence: str | None = None
    tree: Part | None = field(default=None, repr=False)
    decisive: Part | None = field(default=None, repr=False)

    @property
    def matches(self) -> bool:
        """True if the broker would deliver the message."""
        return self.verdict is True

    @property
    def deciding(self) -> tuple[Part, ...]:
        """The deciding subexpressions.

        They determine whether the message matches, whatever the results of all others are.
        """
        return tuple(part for part in self.parts() if part.decides)

    def parts(self) -> Iterator[Part]:
        """Yield all subexpressions, in the order of the text."""
        return iter(()) if self.tree is None else self.tree.walk()

    @property
    def outcome(self) -> str:
        """The result in words: ``matches``, or ``does not match`` with a note if the result is unknown or thrown."""
        if self.verdict is True:
            return "matches"
        note = " (throws)" if self.thrown is not None else " (unknown)" if self.verdict is None else ""
        return f"does not match{note}"

    @property
    def headline(self) -> str:
        """The result and the reason in one line."""
        return f"{self.outcome}: {self.reason}"

    def marked(self) -> list[str]:
        """Return the lines of the selector that contain deciding subexpressions, each with carets below it."""
        return _underlined(Source(self.selector), [part.span for part in self.deciding])

    def __str__(self) -> str:
        lines = [self.headline, *self.marked()]
        if self.consequence is not None:
            lines.append(f"  in {self.dialect}: {self.consequence}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation of {clipped(self.selector, 40)!r}: {self.headline}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: ``matches``, ``verdict`` (null for unknown), ``reason``, ``decisive`` and the tree."""
        result: dict[str, Any] = {
            "version": VERSION,
            "selector": self.selector,
            "dialect": self.dialect,
            "matches": self.matches,
            "verdict": self.verdict,
            "reason": self.reason,
        }
        if self.thrown is not None:
            result |= {"thrown": self.thrown, "consequence": self.consequence}
        if self.decisive is not None:
            span = self.decisive.span
            result["decisive"] = {"text": self.decisive.text, "start": span.start, "end": span.end}
        result["tree"] = None if self.tree is None else self.tree.to_dict()
        result["message"] = self.message.to_dict()
        return result

    def _repr_html_(self) -> str:
        """Return HTML: the result and reason, the selector with deciding subexpressions marked, and the folded tree."""
        deciding = ((part.span.start, part.span.end, part.verdict) for part in self.deciding)
        rows = [html.badged(self.outcome, self.verdict, self.reason), html.marked(self.selector, deciding)]
        if self.consequence is not None:
            rows.append(html.text(f"in {self.dialect}: {self.consequence}"))
        if self.tree is not None:
            rows.append(html.folded("all parts", _lines(self.tree)))
        return "".join(rows)


def _underlined(source: Source, spans: Sequence[Span]) -> list[str]:
    """Return the lines of ``source`` in which ``spans`` begin, each with a line of carets below it.

    Of a long line, only a window around its first span is included. A span of several lines is underlined only in its
    first line.
    """
    by_line: dict[int, list[Span]] = {}
    for span in sorted(spans):
        by_line.setdefault(source.position(span.start).line, []).append(span)
    width = len(str(max(by_line, default=1)))
    lines = []
    for line, inside in list(by_line.items())[:_MAX_LINES]:
        start = inside[0].start - (source.position(inside[0].start).column - 1)
        spans_of_line = [Span(span.start - start, span.end - start) for span in inside]
        lines += caret_block(source.line_at(inside[0].start), str(line).rjust(width), spans_of_line)
    if len(by_line) > _MAX_LINES:
        lines.append(f"  {' ' * width} | and {len(by_line) - _MAX_LINES} more lines")
    return lines


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


def explain_selector(
    selector: SelectorLike,
    message: Message | Mapping[str, Any] | object,
    dialect: str | Dialect = "jms",
    *,
    layout: LayoutLike | None = None,
    **options: Unpack[ReceiverOptions],
) -> Explanation:
    """Explain with the reference evaluator why ``message`` matches ``selector`` or does not.

    Args:
        selector: The text of a selector, or a parsed tree. A blank text or None matches every message.
        message: A ``Message``, a dict of plain properties (``{"color": "red", "JMSPriority": 7}``), or message JSON.
            With a ``layout``, a row in this layout: a dict or a ``pyspark.sql.Row``.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        layout: The layout of the row ``message``; None if ``message`` is not a row.
        now: The current time in milliseconds since the epoch; by default the system's time.
        destination: The address that the consumer was created with.

    Returns:
        The result, the result of each subexpression, and one sentence on which of them decided.

    Raises:
        TranspilerError: What ``parse_selector`` raises, ``LayoutError``, and ``DecodeError`` for an invalid message.
        TypeError: ``message`` has another type.
    """
    check_keywords("explain_selector", ReceiverOptions, options)
    rules = find_dialect(dialect)
    text = selector_text(selector, rules)
    tree = parse_selector(text, rules)
    read = read_message(message, None if layout is None else find_layout(layout))
    return explain_tree(tree, text or "", read, rules, Receiver(**options))


def explain_tree(
    tree: ast.Expression | None, text: str, message: Message, dialect: Dialect, receiver: Receiver
) -> Explanation:
    """Explain the result of ``tree``, the parsed selector ``text``, for ``message``.

    If ``tree`` is None, the selector is blank and matches every message.
    """
    if tree is None:
        return Explanation(text, dialect.name, message, True, _NO_SELECTOR)
    evaluation = Evaluation(message, dialect, receiver, Source(text))
    verdict = evaluation.verdict(tree)
    # The prefix that converts strings applies to the whole selector, so every condition in it is evaluated with this
    # conversion.
    evaluation.convert = isinstance(tree, ast.ConvertStrings)
    decision = decide(tree, evaluation)
    deciding = frozenset(id(node) for node in leaves(decision))
    root = build_parts(tree, evaluation, deciding)
    common = common_node(decision)
    decisive = next(part for part in root.walk() if part.span == common.span)
    reason = sentence(decision, evaluation)
    consequence = dialect.on_throw if verdict.thrown is not None else None
    return Explanation(
        text, dialect.name, message, verdict.truth, reason, verdict.thrown, consequence or None, root, decisive
    )


def read_message(message: Message | Mapping[str, Any] | object, layout: Layout | None = None) -> Message:
    """Return the ``Message`` for plain properties, message JSON, or a row in ``layout``; else raise ``TypeError``."""
    if isinstance(message, Message):
        return message
    if isinstance(message, Mapping):
        return message_from_json(message) if layout is None else message_from_json_row(message, layout)
    if layout is not None and hasattr(message, "asDict"):
        return layout.message(message)
    expected = "a Message, or a dict of its properties" if layout is None else "a row: a dict or a pyspark Row"
    raise TypeError(f"expected {expected}, found {type(message).__name__}")
