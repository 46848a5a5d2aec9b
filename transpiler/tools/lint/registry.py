"""The registry of all rules: selection of rules by id, and their findings about the tree of a selector."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import chain, groupby
from types import MappingProxyType
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, OptionFix, nearest
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.base.source import Source, Span
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import JMS, Dialect
from transpiler.tools.lint.rule import Context, Finder, Rule, Violation
from transpiler.tools.lint.rules import absence, headers, literals, logic, refusals, spelling

#: All rules in the order of their pages.
RULES: tuple[Rule, ...] = (
    *spelling.RULES,
    *literals.RULES,
    *absence.RULES,
    *headers.RULES,
    *logic.RULES,
    *refusals.RULES,
)
_BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})
#: The names by which a user can select rules: ids, first parts of ids, and severities.
_NAMES = (*_BY_ID, *dict.fromkeys(rule.id.split(".")[0] for rule in RULES), "error", "warning", "info")

#: Title and explanation, by code, of the findings that an example selector alone cannot show: about the check itself,
#: the messages' tables, limits and IDs.
WITHOUT_EXAMPLE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "check.unread": (
            "A selector that is not read, or in part",
            "At this place a selector begins that is known at run time only, is a constant that no checked file "
            "declares, has a placeholder without a value, or is in another language. What is certain about the known "
            "part is reported; the rest is not checked. Check the directory that declares a constant; give a key a "
            "value in application.properties or application.yml; or write the selector as one text. --unread lists "
            "these places.",
        ),
        "check.unknown-rule": (
            "A comment that ignores a rule that does not exist",
            "The comment selector-sql: ignore[…] names a rule that does not exist, so that it ignores nothing. "
            "Correct the name, or take the comment out. selector-sql rule lists the rules.",
        ),
        "id.binary": (
            "A message ID that promises bytes",
            "A message ID that begins with ID:AMQP_BINARY: has two hexadecimal digits for each byte behind it. This "
            "one does not, so no message has it.",
        ),
        "id.ulong": (
            "A message ID that promises a number",
            "A message ID that begins with ID:AMQP_ULONG: has the decimal digits of a number below 2 to the 64th "
            "behind it, without leading zeros. This one does not, so no message has it.",
        ),
        "id.uuid": (
            "A message ID that promises a UUID",
            "A message ID that begins with ID:AMQP_UUID: has 8-4-4-4-12 hexadecimal digits behind it. This one does "
            "not, so no message has it.",
        ),
        "layout.ambiguous": (
            "A name that two columns have",
            "Spark does not tell upper from lower case in the names of columns, and two columns differ in nothing "
            "else. Rename one of them, or set spark.sql.caseSensitive to true.",
        ),
        "layout.bytes": (
            "Bytes that are no text",
            "A property is read as text in UTF-8, and some of its rows hold other bytes. The selector reads no value "
            "in these rows. The hint names the option types= that reads the encoding in which they are written.",
        ),
        "layout.collation": (
            "A column with a collation",
            "Brokers compare texts by their characters. A column with a collation, such as one that ignores case, "
            "compares them otherwise, so the selector would select other messages. Create the table with the "
            "collation UTF8_BINARY, or cast the column before.",
        ),
        "layout.column-type": (
            "A column of a type that properties do not have",
            "Properties are texts, numbers, booleans and bytes. The column has another type, or a form that has to "
            "be named: the hint shows the cast, or the layout that reads it.",
        ),
        "layout.header-default": (
            "A header field that the layout does not have",
            "The layout has no place for this header field, so that the field has its default value, or is missing, "
            "in every message. Name the column or key that has it with headers=, or the option --layout-option of "
            "the commands.",
        ),
        "layout.header-type": (
            "A column of another type than its header field",
            "A column is called like a header field, and its type is none in which that field is kept. The hint "
            "names the reading, for instance stores.time, that makes the field of it.",
        ),
        "layout.headers": (
            "A wrong place of a header field",
            "The option headers= maps names of header fields to columns or keys. A name is no header field, or a "
            "place is not one that stores can read.",
        ),
        "layout.no-analysis": (
            "A DataFrame whose columns are not known yet",
            "In the query function of a pipeline Spark analyzes a DataFrame later, so its columns are unknown when "
            "the selector is compiled. Give layout= a schema, or the name of a layout.",
        ),
        "layout.no-struct": (
            "A struct column that is not in the schema",
            "The layout reads properties inside of a struct, and the schema has no struct column of that name. The "
            "hint lists the columns, or names the layout that reads a column of that name and of another type.",
        ),
        "layout.option": (
            "A wrong option of a layout",
            "An option of a layout has a value that it does not take. The message says which values it takes.",
        ),
        "layout.promoted": (
            "A promoted property that cannot be a column",
            "The layout of AMQP messages can keep some properties in typed columns of their own. One of them has a "
            "type or a name that such a column cannot have.",
        ),
        "layout.reading": (
            "A value that could be read in two ways",
            "The table has a second place, or a second form, in which this name could be meant. The message says "
            "which one is read, and the hint how to read the other one.",
        ),
        "layout.rows": (
            "A layout that reads no rows in Python",
            "This function reads single rows in Python, to show the message in them. The layout only makes SQL. Use "
            "the layout of the store that wrote the table.",
        ),
        "layout.schema": (
            "A schema that is not one",
            "A schema is a text of Spark's DDL, such as 'color STRING, weight BIGINT', a StructType or its JSON, a "
            "DataFrame, or a file with one of these texts.",
        ),
        "layout.time": (
            "A pattern or a zone of times that cannot be read",
            "The pattern has letters that are not read, or there is no time zone of that name.",
        ),
        "layout.types": (
            "A wrong type of a property",
            "The option types= maps names of properties to a type or a policy for text. The hint lists both.",
        ),
        "layout.unknown": (
            "A layout that does not exist",
            "No layout has this name. selector-sql sql --help lists the layouts; a schema describes any other table.",
        ),
        "layout.variant-key": (
            "A key that no path of a VARIANT can name",
            "Spark's paths into a VARIANT write a key in single or in double quotes. A key with both kinds of quotes "
            "cannot be written. Rename the property.",
        ),
        "limit.broadcast": (
            "A topology that is too large to broadcast",
            "Spark sends the table of the bindings to each executor, up to a size and within a time that its "
            "settings limit. The message names the setting. Raise it, or route by parts of the topology.",
        ),
        "limit.regex": (
            "A regular expression that cannot be searched",
            "The regular expression is outside of the subset that is evaluated, or a search in this text would take "
            "longer than is allowed.",
        ),
        "limit.size": (
            "A selector that becomes too much SQL",
            "Over this layout the selector becomes more SQL operations than Spark plans in reasonable time. Split "
            "it, or keep the properties that it computes with in typed columns.",
        ),
        "limit.ways": (
            "Too many ways through the exchanges",
            "Filters that read where a message has come from are judged for each way through the exchanges. There "
            "are more ways than are computed, so some answers are only possible. Take cycles out of the topology.",
        ),
        "limit.xpath": (
            "An XPath that is too large for Spark",
            "Spark compiles an XPath in each row, so its size is limited. The reference evaluator, which selector-sql "
            "match asks, has no such limit.",
        ),
        "name.unreadable": (
            "A name that only the broker can read",
            "The broker computes this value and no message has it: the size in its memory, for instance. The broker "
            "takes the selector; it cannot be evaluated elsewhere. Keep the value in a column of another name, and "
            "compare that.",
        ),
        "spark.no-session": (
            "No active Spark session",
            "A Column of Spark is made in a session. Create one with SparkSession.builder.getOrCreate(), or take the "
            "text of the SQL from transpile_selector.",
        ),
    }
)

#: The last parts of ids, by which a user can also select rules.
_LAST_PARTS = frozenset(code.rpartition(".")[2] for code in (*_BY_ID, *WITHOUT_EXAMPLE))

_OF_NODE: dict[type[ast.Expression], list[tuple[Rule, Finder]]] = {}
for _rule in RULES:
    for _node in _rule.nodes:
        if _rule.find is not None:
            _OF_NODE.setdefault(_node, []).append((_rule, _rule.find))
#: The rules that are called for each class of node if only warnings and errors are wanted.
_WARNING_OF_NODE = {
    node: [(rule, find) for rule, find in rules if rule.severity != "info"] for node, rules in _OF_NODE.items()
}
_OF_ROOT = [(rule, rule.find) for rule in RULES if rule.find is not None and not rule.nodes]


def find_rule(code: str) -> Rule | None:
    """Return the rule with the id ``code``; None if the code belongs to no rule."""
    return _BY_ID.get(code)


class Selection(NamedTuple):
    """The user's selection of rules: those ``selected``, or all rules if this is empty, without those ``ignored``."""

    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, selected: Iterable[str], ignored: Iterable[str]) -> Selection:
        """Return a selection by ids, prefixes and severities; raise ``UnsupportedFeatureError`` for an unknown name."""
        return cls(tuple(map(check_pattern, selected)), tuple(map(check_pattern, ignored)))

    def has(self, finding: Diagnostic) -> bool:
        """Return True if the selection includes ``finding``."""
        wanted = not self.selected or any(fits(pattern, finding) for pattern in self.selected)
        return wanted and not any(fits(pattern, finding) for pattern in self.ignored)


def check_pattern(pattern: str) -> str:
    """Return the full id or name by which ``pattern`` selects rules: the id of a rule, a part of ids, or a severity.

    Raise ``UnsupportedFeatureError`` if ``pattern`` selects no rule.
    """
    name = full_id(pattern)
    if name in _NAMES or name in _LAST_PARTS or name in WITHOUT_EXAMPLE or name == "check":
        return name
    near = nearest(name, _NAMES) or [
        one for last in nearest(name, sorted(_LAST_PARTS)) for one in _NAMES if one.endswith(f".{last}")
    ]
    hint, fix = (
        "the command selector-sql rule lists all rules; a prefix such as lint selects all rules that begin with it",
        None,
    )
    if near:
        hint, fix = f"did you mean {near[0]}?", OptionFix("rule", repr(near[0]))
    raise UnsupportedFeatureError.at("rule.unknown", f"there is no rule called {pattern!r}", hint=hint, fix=fix)


def full_id(pattern: str) -> str:
    """Return the id of the rule that ``pattern`` names, with the prefix ``lint.`` if ``pattern`` omits it.

    A pattern that names no single rule is returned without a final ``.*``: ``selector.*`` → ``selector``.
    """
    name = pattern.strip().removesuffix(".*").removesuffix(".")
    return f"lint.{name}" if f"lint.{name}" in _BY_ID else name


def fits(pattern: str, finding: Diagnostic) -> bool:
    """Return True if ``pattern`` selects ``finding``: it is its id, the id's first or last part, or its severity."""
    pattern = full_id(pattern)
    code = finding.code
    return pattern in (code, finding.severity, code.rpartition(".")[2]) or code.startswith(f"{pattern}.")


def lint(
    tree: ast.Expression,
    source: Source,
    dialect: Dialect = JMS,
    *,
    known: tuple[str, ...] | None = None,
    proofs: bool = True,
) -> list[Diagnostic]:
    """Return the findings about ``tree``, in the order of the text.

    If ``proofs`` is False, rules that have to prove something are left out, because they are slow. ``known`` are the
    properties that exist, such as the columns of a table. It is empty if the layout accepts any name, and None if there
    is no layout.
    """
    context = Context(tree, source, dialect, known)
    of_node = _OF_NODE if proofs else _WARNING_OF_NODE
    diagnostics = [
        _finding(rule, violation, source)
        for node in ast.walk(tree)
        for rule, find in of_node.get(type(node), ())
        for violation in find(node, context)
    ]
    diagnostics += [
        _finding(rule, violation, source) for rule, find in _OF_ROOT if proofs for violation in find(tree, context)
    ]
    return without_lesser(diagnostics) if diagnostics else diagnostics


def _finding(rule: Rule, violation: Violation, source: Source) -> Diagnostic:
    known = rule if violation.rule is None else _BY_ID[violation.rule]
    severity = violation.severity or known.severity
    return Diagnostic(known.id, severity, violation.message, source, violation.span, violation.hint, violation.fix)


def without_lesser(*groups: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings of all ``groups`` in the order of the text, without repetitions.

    A finding is also dropped if a more specific rule (see ``Rule.instead_of``) has a finding at the same span.
    """
    findings = sorted(chain(*groups), key=_span_of)
    replacing = _replacing(findings)
    kept: list[Diagnostic] = []
    for _, at_one_span in groupby(findings, _span_of):
        distinct: list[Diagnostic] = []
        for finding in at_one_span:
            if finding not in distinct and not _is_replaced(finding, replacing):
                distinct.append(finding)
        kept += distinct
    return kept


def _span_of(finding: Diagnostic) -> Span:
    return finding.span or Span(0, 0)


class _Spans(NamedTuple):
    """Spans in the order of their start, so that binary search finds the spans that overlap another span.

    ``starts[i]`` is the start of span ``i``, ``ends[i]`` the largest end among spans 0 to ``i``.
    """

    starts: list[int]
    ends: list[int]


def _replacing(findings: Iterable[Diagnostic]) -> dict[str, _Spans]:
    """Return for each rule code the spans in which a more specific rule made a finding.

    In these spans, findings with that code are dropped. ``findings`` are sorted by the start of their spans.
    """
    found: dict[str, _Spans] = {}
    for finding in findings:
        rule = find_rule(finding.code)
        for code in rule.instead_of if rule is not None and finding.span is not None else ():
            assert finding.span is not None
            spans = found.setdefault(code, _Spans([], []))
            spans.starts.append(finding.span.start)
            spans.ends.append(max(finding.span.end, spans.ends[-1] if spans.ends else 0))
    return found


def _is_replaced(finding: Diagnostic, replacing: dict[str, _Spans]) -> bool:
    """Return True if ``finding`` overlaps a more specific finding that replaces it.

    ``replacing`` has, by the code of the replaced findings, the spans of the more specific ones.
    """
    spans = replacing.get(finding.code)
    if spans is None or finding.span is None:
        return False
    before = bisect_left(spans.starts, finding.span.end)
    return before > 0 and spans.ends[before - 1] > finding.span.start
