"""Assertions about selectors, for tests. A failure states in one sentence why the message matched, or did not.

from transpiler.testing import assert_matches

assert_matches("color = 'red' AND JMSPriority > 4", color="red", JMSPriority=7)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from transpiler.base.diagnostics import one_line
from transpiler.base.errors import TranspilerError
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.language.filters.sets import FiltersLike, is_filters, read_filters
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.message.message import Message
from transpiler.message.receiver import ReceiverOptions
from transpiler.reference.verdicts import matches
from transpiler.tools.explanation import explain_selector
from transpiler.tools.explanation.explanation import read_message
from transpiler.tools.test_cases.boundaries import boundary_messages
from transpiler.tools.test_cases.reading import Expectation
from transpiler.tools.test_cases.running import disappointment, is_met

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "assert_matches",
    "assert_not_matches",
    "assert_unknown",
    "boundary_messages",
    "messages",
    "selectors",
]


def messages(selector: SelectorLike, dialect: str | Dialect = "jms") -> SearchStrategy[Message]:
    """Return a Hypothesis strategy for messages that test a selector.

    The messages have the names that occur in the selector, with values on both sides of its conditions, values of other
    types, or no value. The strategy needs the extra ``testing``.

    Args:
        selector: The text of a selector, or a parsed tree.
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The strategy of ``Message`` objects.

    Raises:
        TranspilerError: The errors of ``parse_selector``.
        ImportError: Hypothesis is not installed.
    """
    from transpiler.tools.test_cases.strategies import messages_for

    rules = find_dialect(dialect)
    parse_selector(selector, rules)
    return messages_for(selector, rules)


def selectors(dialect: str | Dialect = "jms") -> SearchStrategy[str]:
    """Return a Hypothesis strategy for selectors that a dialect accepts. It needs the extra ``testing``.

    Args:
        dialect: The broker's dialect, by name or as a ``Dialect``.

    Returns:
        The strategy of the selectors' texts.

    Raises:
        ImportError: Hypothesis is not installed.
    """
    from transpiler.tools.test_cases.strategies import selectors_of

    return selectors_of(find_dialect(dialect))


class MessageOptions(ReceiverOptions, total=False):
    """The keywords of the assertions that are options, not properties of the message."""

    layout: LayoutLike | None


def assert_matches(
    selector: SelectorLike | FiltersLike, message: Any = None, /, dialect: str | Dialect = "jms", **properties: Any
) -> None:
    """Assert that a selector is TRUE for a message, or that all filters accept it: that ``transpiler.matches`` is True.

    Args:
        selector: The text of a selector, a parsed tree, or filters as ``transpiler.matches`` accepts them.
        message: A ``Message``, a dict of plain properties, message JSON, or with ``layout`` a row.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        properties: The message as keywords, such as ``color="red", JMSPriority=7``, instead of ``message``. The
            keywords ``layout``, ``now`` and ``destination`` are options of ``explain_selector``; give a property with
            such a name in a dict.

    Raises:
        AssertionError: The selector is FALSE or unknown; the text states the reason in one sentence. Or a filter
            rejects the message; the text names each such filter.
        TypeError: The message is given twice.
        TranspilerError: The errors of ``explain_selector``.
    """
    __tracebackhide__ = True
    _check("matches", selector, message, dialect, properties)


def assert_not_matches(
    selector: SelectorLike | FiltersLike, message: Any = None, /, dialect: str | Dialect = "jms", **properties: Any
) -> None:
    """Assert that a selector is FALSE or unknown for a message, or that a filter rejects the message.

    Args:
        selector: The text of a selector, a parsed tree, or filters as ``transpiler.matches`` accepts them.
        message: As for ``assert_matches``.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        properties: As for ``assert_matches``.

    Raises:
        AssertionError: The selector is TRUE, or all filters accept the message.
        TypeError: The message is given twice.
        TranspilerError: The errors of ``explain_selector``.
    """
    __tracebackhide__ = True
    _check("does not match", selector, message, dialect, properties)


def assert_unknown(
    selector: SelectorLike, message: Any = None, /, dialect: str | Dialect = "jms", **properties: Any
) -> None:
    """Assert that a selector is unknown for a message.

    Args:
        selector: The text of a selector, or a parsed tree.
        message: As for ``assert_matches``.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        properties: As for ``assert_matches``.

    Raises:
        AssertionError: The selector is TRUE or FALSE.
        TypeError: The message is given twice.
        TranspilerError: The errors of ``explain_selector``.
    """
    __tracebackhide__ = True
    _check("unknown", selector, message, dialect, properties)


def _check(
    expected: Expectation,
    selector: SelectorLike | FiltersLike,
    message: Any,
    dialect: str | Dialect,
    keywords: dict[str, Any],
) -> None:
    __tracebackhide__ = True
    options = {name: keywords.pop(name) for name in MessageOptions.__annotations__ if name in keywords}
    if message is not None and keywords:
        raise TypeError("give the message as one argument or as keywords, not both")
    if message is None and options.get("layout") is not None:
        raise TypeError("a row of a layout is given as one argument")
    given = Message.of(**keywords) if message is None else message
    if is_filters(selector):
        _check_filters(expected, selector, given, dialect, options)
        return
    try:
        explanation = explain_selector(cast(SelectorLike, selector), given, dialect, **options)
    except TranspilerError as error:
        # Without the traceback, pytest shows the line of the test and the diagnostics, but no frames of this library.
        raise error.with_traceback(None) from None
    if not is_met(expected, explanation):
        raise AssertionError(_with_message(disappointment(expected, explanation), keywords or explanation.message))


def _check_filters(
    expected: Expectation, filters: FiltersLike, given: Any, dialect: str | Dialect, options: dict[str, Any]
) -> None:
    """Assert that a message is accepted by all filters (``expected`` is "matches") or rejected by one of them."""
    __tracebackhide__ = True
    if expected == "unknown":
        raise TypeError("filters are TRUE or FALSE on a message and never unknown: give assert_unknown a selector")
    layout = options.pop("layout", None)
    read = read_message(given, None if layout is None else find_layout(layout))
    try:
        named = read_filters(filters).filters
        refusing = [name or "the filter" for name, node in named if not matches(node, read, dialect, **options)]
    except TranspilerError as error:
        raise error.with_traceback(None) from None
    if (expected == "matches") is bool(refusing):
        verdict = "\n".join(f"  {name} does not let it pass" for name in refusing) or "  each filter lets it pass"
        sentence = "expected a match" if expected == "matches" else "expected no match"
        raise AssertionError(_with_message(f"{sentence}:\n{verdict}", read))


def _with_message(sentence: str, message: dict[str, Any] | Message) -> str:
    shown = message.to_dict() if isinstance(message, Message) else message
    return f"{sentence}\n  message: {one_line(json.dumps(shown, ensure_ascii=False, default=str))}"
