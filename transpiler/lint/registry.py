"""All rules, and the choice of some by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from transpiler.diagnostics import Diagnostic, nearest
from transpiler.errors import UnsupportedFeatureError
from transpiler.lint.rule import Rule
from transpiler.lint.rules import headers, literals, logic, refusals, spelling

#: All rules in the order of their pages.
RULES: tuple[Rule, ...] = (
    *spelling.RULES,
    *literals.RULES,
    *headers.RULES,
    *logic.RULES,
    *refusals.RULES,
)
_BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})
#: What selects rules: their ids, the first parts of these, which select several at once, and severities.
_NAMES = (*_BY_ID, *dict.fromkeys(rule.id.split(".")[0] for rule in RULES), "error", "warning", "info")


def find_rule(code: str) -> Rule | None:
    """Return the rule of an id; None for a code without a page of its own."""
    return _BY_ID.get(code)


class Selection(NamedTuple):
    """The rules whose findings are reported: those selected, or all, without those ignored."""

    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, selected: Iterable[str], ignored: Iterable[str]) -> Selection:
        """Return the selection of some ids, prefixes and severities; ``UnsupportedFeatureError`` for an unknown one."""
        return cls(tuple(map(check_pattern, selected)), tuple(map(check_pattern, ignored)))

    def has(self, finding: Diagnostic) -> bool:
        """Return True if a finding is reported."""
        wanted = not self.selected or any(fits(pattern, finding) for pattern in self.selected)
        return wanted and not any(fits(pattern, finding) for pattern in self.ignored)


def check_pattern(pattern: str) -> str:
    """Return an id, the first part of ids, or a severity; ``UnsupportedFeatureError`` if no rule is called so."""
    name = full_id(pattern)
    # Layouts and Spark have findings without a page.
    if name in _NAMES or name.split(".")[0] in ("layout", "spark", "limit"):
        return name
    near = nearest(name, _NAMES) or nearest(f"lint.{name}", _BY_ID)
    hint = (
        f"did you mean {near[0]}?" if near else "docs/rules lists the rules; a prefix such as lint is all of its rules"
    )
    raise UnsupportedFeatureError.at("rule.unknown", f"there is no rule called {pattern!r}", hint=hint)


def full_id(pattern: str) -> str:
    """Return the id of a rule that is written without its ``lint.``, and anything else as it is."""
    name = pattern.strip().removesuffix(".*").removesuffix(".")
    return f"lint.{name}" if f"lint.{name}" in _BY_ID else name


def fits(pattern: str, finding: Diagnostic) -> bool:
    """Return True if an id, a first part of ids or a severity is that of a finding; an id may lack its ``lint.``."""
    pattern = full_id(pattern)
    code = finding.code
    return pattern in (code, finding.severity) or code.startswith(f"{pattern}.")
