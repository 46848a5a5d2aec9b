"""Compare dialects on one selector and one message: acceptance, result, and the rule that causes each difference.

The rule is determined by experiment (``questions``): it is the question for which a dialect, given the answer of
``jms``, no longer differs from ``jms``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.language.selector.printer import print_tree
from transpiler.message.message import Message, MessageLike, as_message
from transpiler.message.types import Truth
from transpiler.reference.evaluate import Verdict, judge
from transpiler.tools.dialect_tools.questions import QUESTIONS, answer, find_rule


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of a selector in one dialect.

    ``refused`` is the error if the dialect rejects the selector, else None. ``verdict`` is the selector's result for
    the message; None if the selector is rejected or if there is no message. ``rule`` names the dialect rule that makes
    the result differ from the result in ``jms``; None if the two results are the same.
    """

    dialect: Dialect
    refused: Diagnostic | None
    verdict: Verdict | None
    rule: str | None
    #: The selector as this dialect parses it, in canonical text; None if ``jms`` parses it the same way.
    reading: str | None = None

    @property
    def truth(self) -> Truth:
        """The result for the message: True, False, or None if it is unknown or there is no result."""
        return None if self.verdict is None else self.verdict.truth


def compare_dialects(
    selector: SelectorLike, message: MessageLike | None = None, dialects: Iterable[str | Dialect] = tuple(DIALECTS)
) -> list[Compared]:
    """Evaluate ``selector`` in each dialect, for ``message`` if it is given.

    Args:
        selector: The text of a selector, or a parsed tree.
        message: The message to judge: a ``Message``, a dict of plain properties, or message JSON. Without a message,
            the results only state which dialects accept the selector.
        dialects: Names of dialects, or ``Dialect`` objects.

    Returns:
        For each dialect the error or the result, and the rule that causes a difference from ``jms``.
    """
    sent = None if message is None else as_message(message)
    standard = _outcome(selector, sent, JMS)
    result = []
    for dialect in map(find_dialect, dialects):
        refused, verdict = _outcome(selector, sent, dialect)
        parts = _differs((refused, verdict), standard)
        rule = _rule(selector, sent, dialect, standard) if parts and dialect is not JMS else None
        result.append(Compared(dialect, refused, verdict, rule, _reading(selector, dialect)))
    return result


_Outcome = tuple[Diagnostic | None, Verdict | None]


def _outcome(selector: SelectorLike, message: Message | None, dialect: Dialect) -> _Outcome:
    try:
        tree = parse_selector(selector, dialect)
    except TranspilerError as error:
        return error.diagnostics[0], None
    return None, None if message is None else judge(tree, message, dialect)


def _differs(one: _Outcome, other: _Outcome) -> bool:
    """Return True if a selector's outcomes ``one`` and ``other`` differ between two dialects.

    They differ if only one dialect rejects the selector, or if the results are different.
    """
    if (one[0] is None) is not (other[0] is None):
        return True
    return one[1] != other[1] and (one[1] is None or other[1] is None or one[1].truth is not other[1].truth)


def _reading(selector: SelectorLike, dialect: Dialect) -> str | None:
    try:
        own, standard = parse_selector(selector, dialect), parse_selector(selector, JMS)
    except TranspilerError:
        return None
    return None if own is None or own == standard else print_tree(own, dialect)


def _rule(selector: SelectorLike, message: Message | None, dialect: Dialect, standard: _Outcome) -> str:
    def agree(_: Dialect, changed: Dialect) -> bool:
        return not _differs(_outcome(selector, message, changed), standard)

    name = find_rule(JMS, dialect, agree)
    return "several rules together" if name is None else f"{QUESTIONS[name]}: {answer(getattr(dialect, name))}"
