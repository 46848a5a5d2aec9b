"""The rule by which two dialects differ on a condition, determined by experiment.

One dialect is tried with one answer of the other's record after the other; the question after which both agree is the
rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from transpiler.dialect_tools.questions import QUESTIONS, answer
from transpiler.selector.dialects import Dialect

#: The questions whose answers matter at evaluation; those that explain too much come last.
EVALUATED = (
    *(
        "float_order type_ladder unlike_types null_equality ordering integer_arithmetic division remainder not_numbers "
        "bare_name between like_not_string in_not_string wildcards escapes logic evaluation signs unary_plus"
    ).split(),
    "types",
    "fields",
)


class Rule(NamedTuple):
    """A rule on which two dialects differ, and both answers; ``name`` is None where several rules differ together."""

    name: str | None
    question: str
    answers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.question}: {'; '.join(self.answers)}" if self.answers else self.question


def find_rule(
    left: Dialect, right: Dialect, agree: Callable[[Dialect, Dialect], bool], names: Iterable[str] = EVALUATED
) -> str | None:
    """Return the name of the first question after which the dialects agree, if one has the other's answer."""
    for name in names:
        own, other = getattr(left, name), getattr(right, name)
        if own != other and (
            agree(replace(left, **{name: other}), right) or agree(left, replace(right, **{name: own}))
        ):
            return name
    return None


def rule_of(name: str, left: Dialect, right: Dialect) -> Rule:
    """Return the question of a rule and both dialects' answers."""
    answers = [f"{answer(getattr(dialect, name))} in {dialect.title}" for dialect in (left, right)]
    return Rule(name, QUESTIONS[name], (", ".join(answers),))
