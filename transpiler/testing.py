"""Assertions on selectors, for tests: a failure says in one sentence why the message matched, or did not.

from transpiler.testing import assert_matches

assert_matches("color = 'red' AND JMSPriority > 4", color="red", JMSPriority=7)
"""

from __future__ import annotations

import json
from typing import Any

from transpiler.base.diagnostics import one_line
from transpiler.base.errors import TranspilerError
from transpiler.compiler.presets import LayoutLike
from transpiler.language.selector.dialects import Dialect
from transpiler.message.message import Message
from transpiler.tools.explanation import explain_selector
from transpiler.tools.test_cases.boundaries import boundary_messages
from transpiler.tools.test_cases.reading import Expectation
from transpiler.tools.test_cases.running import disappointment, is_met

__all__ = ["assert_matches", "assert_not_matches", "assert_unknown", "boundary_messages"]


def assert_matches(
    selector: str,
    message: Any = None,
    /,
    *,
    dialect: str | Dialect = "jms",
    layout: LayoutLike | None = None,
    now: int | None = None,
    destination: str | None = None,
    **properties: Any,
) -> None:
    """Assert that a selector is TRUE on a message.

    The message is a ``Message``, a dict of plain properties, message JSON, or with ``layout`` a row; or it is written
    as keywords, ``color="red", JMSPriority=7``. A property whose name is a parameter's is given in a dict. Raises
    ``AssertionError``, ``TypeError`` where a message is given twice, and what ``explain_selector`` raises.
    """
    __tracebackhide__ = True
    _check("matches", selector, message, properties, dialect, layout, now, destination)


def assert_not_matches(
    selector: str,
    message: Any = None,
    /,
    *,
    dialect: str | Dialect = "jms",
    layout: LayoutLike | None = None,
    now: int | None = None,
    destination: str | None = None,
    **properties: Any,
) -> None:
    """Assert that a selector is FALSE or unknown on a message; the parameters are those of ``assert_matches``."""
    __tracebackhide__ = True
    _check("does not match", selector, message, properties, dialect, layout, now, destination)


def assert_unknown(
    selector: str,
    message: Any = None,
    /,
    *,
    dialect: str | Dialect = "jms",
    layout: LayoutLike | None = None,
    now: int | None = None,
    destination: str | None = None,
    **properties: Any,
) -> None:
    """Assert that a selector is unknown on a message; the parameters are those of ``assert_matches``."""
    __tracebackhide__ = True
    _check("unknown", selector, message, properties, dialect, layout, now, destination)


def _check(
    expected: Expectation,
    selector: str,
    message: Any,
    properties: dict[str, Any],
    dialect: str | Dialect,
    layout: LayoutLike | None,
    now: int | None,
    destination: str | None,
) -> None:
    __tracebackhide__ = True
    if message is not None and properties:
        raise TypeError("give the message as one argument or as keywords, not both")
    if message is None and layout is not None:
        raise TypeError("a row of a layout is given as one argument")
    given = Message.of(**properties) if message is None else message
    try:
        explanation = explain_selector(selector, given, dialect, layout=layout, now=now, destination=destination)
    except TranspilerError as error:
        # Pytest shows the test's own line and the diagnostics, and no frame of this library.
        raise error.with_traceback(None) from None
    if not is_met(expected, explanation):
        shown = properties or explanation.message.to_dict()
        written = one_line(json.dumps(shown, ensure_ascii=False, default=str))
        raise AssertionError(f"{disappointment(expected, explanation)}\n  message: {written}")
