"""Explain which rows of a DataFrame match a selector, and which part of the selector rejected the remaining rows.

One aggregation over native columns counts the rows by the first part of the selector that is not TRUE, or if the
outermost operator is OR, by the first alternative that is TRUE. No Python code runs on the executors. For a few rows of
each group, the reference evaluator explains on the driver why they are in the group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Unpack

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sf

from spark_ext.messages.plain_rows import collectable_columns, plain_row
from spark_ext.messages.schemas import SchemaLike, message_columns
from spark_ext.reports.match_report import MatchExample, MatchExplanation, RowGroup
from spark_ext.reports.undecodable import Undecodable
from transpiler import Dialect, Layout, parse_selector, print_selector, transpile_selector
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.compiler.compile_options import RowOptions, SelectorOptions, read_options
from transpiler.compiler.layouts.layout import reads_rows
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import SelectorLike, selector_text
from transpiler.routing.found_values import found_values, places_of, tests_of
from transpiler.tools.explanation import explain_selector

#: ``_MAX_PARTS``: maximum number of parts of a selector; the last combines all remaining terms. ``_MAX_NAMES``: maximum
#: number of names in one part whose absence is counted.
_MAX_PARTS, _MAX_NAMES = 40, 8

#: Minimum number of rows that are fetched from a group to choose examples from, because some rows may be similar.
_MIN_CANDIDATES = 8


def explain_matches(
    df: DataFrame,
    selector: SelectorLike,
    layout: Layout | SchemaLike | None = None,
    dialect: str | Dialect = "jms",
    *,
    examples: int = 3,
    **options: Unpack[RowOptions],
) -> MatchExplanation:
    """Count all rows by the first part of a selector that rejected them, with examples.

    The parts are the terms of the outermost AND, in order. Rows for which a part is unknown are counted separately from
    rows for which it is FALSE, by the first of the part's names that is missing. If the outermost operator is OR, the
    matching rows are counted by the first alternative that is TRUE. One Spark job reads each row once.

    Args:
        df: The messages.
        selector: The text of a selector, or a parsed tree.
        layout: The columns of the DataFrame: the name of a store, a ``Layout`` or a schema; None infers it.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        examples: Maximum number of example messages for each group.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        now: The current time in milliseconds since the epoch; None for the time of the call, for all rows.
        destination: The address with which the consumer was created.

    Raises:
        TranspilerError: The errors of ``compile_selector``.
    """
    chosen = read_options("explain_matches", RowOptions, options)
    if examples < 0:
        raise ValueError(f"examples must be a number of messages that is 0 or more, not {examples}")
    rules, resolved = find_dialect(dialect), message_columns(df, layout).layout
    if examples and not reads_rows(resolved):
        hint = "perhaps pass examples=0, or add a method message(row) to the layout"
        raise LayoutError.at(
            "layout.rows", f"the layout {resolved.name} cannot convert rows to messages in Python", hint=hint
        )
    text = selector_text(selector, rules)
    tree = parse_selector(text, rules)
    if df.isStreaming:
        hint = "perhaps explain a table of the messages that the stream has written"
        raise UnsupportedFeatureError.at(
            "explain.stream", "the rows of a stream cannot be counted, because a stream does not end", hint=hint
        )
    receiver = chosen.receiver.timed
    settings = SelectorOptions(missing=chosen.missing, now=receiver.now, destination=receiver.destination)
    # Compile the whole selector first, so that an error about a name has its location in the whole text.
    transpile_selector(text, resolved, rules, **settings)
    parts = Parts(tree, rules, resolved, settings)
    undecodable = Undecodable(resolved, tree)

    def example(row: Row, part: int | None) -> MatchExample:
        read = plain_row(row)
        undecodable.look_at(read)
        message = resolved.message(read)
        asked = parts.asked(part)
        explanation = explain_selector(asked, message, rules, **receiver.keywords)
        return MatchExample(message.to_dict(), explanation.reason)

    rows_of: dict[tuple[Any, ...], int] = {}
    candidates: dict[tuple[Any, ...], list[Row]] = {}
    places = places_of(parts.asked_names(), resolved, rules)
    tests = tests_of(places)
    passed = [0] * len(tests)
    for counted in _count(df, parts, tests, examples).collect():
        passed = [before + counted[f"found{number}"] for number, before in enumerate(passed)]
        key = (counted["part"], counted["verdict"], counted["absent"])
        rows_of[key] = rows_of.get(key, 0) + counted["rows"]
        if examples:
            candidates.setdefault(key, []).append(counted["example"])
    groups = tuple(
        RowGroup(
            None if part is None else parts.texts[part],
            verdict,
            None if absent is None else parts.names[absent],
            rows_of[part, verdict, absent],
            _unlike([example(row, part) for row in candidates.get((part, verdict, absent), ())], examples),
        )
        for part, verdict, absent in sorted(rows_of, key=_order)
    )
    return MatchExplanation(
        text or "",
        resolved.name,
        rules.name,
        parts.are_alternatives,
        groups,
        df.sparkSession,
        undecodable.findings(),
        found_values(places, sum(rows_of.values()), passed, "part", names=len(parts.names)),
    )


def _order(key: tuple[int | None, bool | None, int | None]) -> tuple[bool, int, bool, int]:
    """Return a sort key for the group ``key``, which has the part of the selector, its result and the missing name.

    Groups of matching rows come first, then groups by part, those without a part last. For each part, FALSE comes
    before unknown.
    """
    part, verdict, absent = key
    return verdict is not True, 10**6 if part is None else part, verdict is None, -1 if absent is None else absent


def _unlike(examples: list[MatchExample], most: int) -> tuple[MatchExample, ...]:
    """Choose at most ``most`` of ``examples``; examples with a reason that has not occurred yet come first."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, int, MatchExample]] = []
    for example in examples:
        ranked.append((seen[example.reason], len(ranked), example))
        seen[example.reason] += 1
    return tuple(example for *_, example in sorted(ranked, key=itemgetter(0, 1))[:most])


class Parts:
    """The parts of a selector by which rows are counted, and the Columns that compute their results."""

    def __init__(
        self, tree: ast.Expression | None, dialect: Dialect, layout: Layout, settings: SelectorOptions
    ) -> None:
        self._dialect, self._layout, self._settings = dialect, layout, settings
        self._converts = isinstance(tree, ast.ConvertStrings)
        self._condition = tree.condition if isinstance(tree, ast.ConvertStrings) else tree
        self.are_alternatives = isinstance(self._condition, ast.Or)
        self._terms = _terms(self._condition)
        self.texts = [print_selector(term, dialect) for term in self._terms]
        self._names_of = [_names(term) for term in self._terms]
        #: The identifier of each name in the parts, by its printed text.
        self._identifiers = {print_selector(name, dialect): name for names in self._names_of for name in names}
        self.names = list(self._identifiers)

    def asked_names(self) -> dict[str, tuple[int, ast.Identifier | None]]:
        """Return a dictionary: name -> number of parts that contain the name, and the identifier of the name."""
        return {
            text: (sum(name in names for names in self._names_of), name) for text, name in self._identifiers.items()
        }

    def asked(self, part: int | None) -> ast.Expression | None:
        """Return the condition whose result explains the rows of ``part``.

        It is the term of the outermost AND with that number; the whole selector if ``part`` is None or the terms are
        alternatives of an OR.
        """
        condition = self._condition if part is None or self.are_alternatives else self._terms[part]
        return ast.ConvertStrings(condition) if self._converts and condition is not None else condition

    def judged(self) -> list[Column]:
        """Return the Columns to compute for each row: the result of each part, and whether each name is missing.

        They are called ``truth0``, ``absent0`` and so on. If the parts are alternatives, ``whole`` is the selector's
        result.
        """
        columns = [self._ternary(term).alias(f"truth{number}") for number, term in enumerate(self._terms)]
        if self.are_alternatives and self._condition is not None:
            columns.append(self._ternary(self._condition).alias("whole"))
        absent = (ast.IsNull(identifier) for identifier in self._identifiers.values())
        return columns + [self._ternary(test).alias(f"absent{number}") for number, test in enumerate(absent)]

    def key(self) -> list[Column]:
        """Return Columns that identify the group of a row: the part's index, the result, the missing name's index."""
        truths = [sf.col(f"truth{number}") for number in range(len(self._terms))]
        holds = [truth.eqNullSafe(sf.lit(True)) for truth in truths]
        if self.are_alternatives:
            whole = sf.col("whole")
            part = sf.when(whole, _first(holds))
            absent = sf.when(whole.isNull(), self._first_absent(self.names))
            return [part.alias("part"), whole.alias("verdict"), absent.alias("absent")]
        part = _first([~hold for hold in holds])
        verdict, absent = sf.lit(True), _no_number()
        for number in reversed(range(len(self._terms))):
            mine = part.eqNullSafe(sf.lit(number))
            verdict = sf.when(mine, truths[number]).otherwise(verdict)
            names = [print_selector(name, self._dialect) for name in self._names_of[number]]
            absent = sf.when(mine & truths[number].isNull(), self._first_absent(names)).otherwise(absent)
        return [part.alias("part"), verdict.alias("verdict"), absent.alias("absent")]

    def reason(self) -> Column:
        """Return a Column with the reason why a row does not match, as text; NULL if the row matches."""
        part, verdict, absent = self.key()
        names = _texts(absent, self.names)
        if self.are_alternatives:
            missing = sf.concat(sf.lit("no alternative is true: "), names, sf.lit(" is missing"))
            return sf.when(~verdict, sf.lit("no alternative is true")).when(
                verdict.isNull(), sf.coalesce(missing, sf.lit("no alternative is true"))
            )
        texts = _texts(part, self.texts)
        missing = sf.concat(texts, sf.lit(" is unknown: "), names, sf.lit(" is missing"))
        unknown = sf.coalesce(missing, sf.concat(texts, sf.lit(" is unknown")))
        return sf.when(~verdict, sf.concat(texts, sf.lit(" is false"))).when(verdict.isNull(), unknown)

    def _first_absent(self, names: Sequence[str]) -> Column:
        numbers = [self.names.index(name) for name in names[:_MAX_NAMES]]
        return sf.coalesce(*(sf.when(sf.col(f"absent{number}"), sf.lit(number)) for number in numbers), _no_number())

    def _ternary(self, condition: ast.Expression) -> Column:
        whole = ast.ConvertStrings(condition) if self._converts else condition
        text = print_selector(whole, self._dialect)
        options: SelectorOptions = {"result": "ternary", **self._settings}
        return sf.expr(transpile_selector(text, self._layout, self._dialect, **options).sql)


def _texts(number: Column, texts: Sequence[str]) -> Column:
    """Return a Column with the text at the index ``number``; NULL if ``number`` is NULL."""
    chosen = [sf.when(number == sf.lit(position), sf.lit(text)) for position, text in enumerate(texts)]
    return sf.coalesce(*chosen, sf.lit(None).cast("string"))


def _terms(condition: ast.Expression | None) -> tuple[ast.Expression, ...]:
    """Return the parts of ``condition``, at most ``_MAX_PARTS``; the last combines all further parts."""
    match condition:
        case None:
            return ()
        case ast.And(terms=terms) | ast.Or(terms=terms) if len(terms) > _MAX_PARTS:
            return (*terms[: _MAX_PARTS - 1], replace(condition, terms=terms[_MAX_PARTS - 1 :]))
        case ast.And(terms=terms) | ast.Or(terms=terms):
            return terms
        case _:
            return (condition,)


def _names(condition: ast.Expression) -> list[ast.Identifier]:
    """Return the first ``_MAX_NAMES`` different names in ``condition``."""
    nodes = (node for node in ast.walk(condition) if isinstance(node, ast.Identifier))
    return list(dict.fromkeys(nodes))[:_MAX_NAMES]


def _first(conditions: Sequence[Column]) -> Column:
    """Return the index of the first condition that is TRUE; NULL if no condition is TRUE."""
    numbers = [sf.when(condition, sf.lit(number)) for number, condition in enumerate(conditions)]
    return sf.coalesce(*numbers, _no_number())


def _no_number() -> Column:
    return sf.lit(None).cast("int")


def _count(df: DataFrame, parts: Parts, tests: Sequence[str], examples: int) -> DataFrame:
    """Count the rows of each group in one aggregation.

    If ``examples`` is not 0, the rows of each group are spread over a few numbered shares, and one row of each share is
    returned as an example. The columns ``found0``, ``found1``, … count the rows that pass each of the SQL ``tests``.
    """
    shares = max(_MIN_CANDIDATES, 2 * examples) if examples else 1
    share = (sf.monotonically_increasing_id() % shares).alias("share")
    passed = [sf.expr(test).alias(f"found{number}") for number, test in enumerate(tests)]
    judged = df.select(sf.struct(*collectable_columns(df)).alias("example"), share, *parts.judged(), *passed)
    found = [f"found{number}" for number in range(len(tests))]
    keyed = judged.select("example", "share", *parts.key(), *found)
    counts = [sf.count(sf.lit(1)).alias("rows"), *(sf.count_if(sf.col(name)).alias(name) for name in found)]
    if examples:
        # ``collect_list`` is here only to make Spark aggregate in a hash table. Without it, Spark would sort all rows,
        # because an example has no fixed size.
        hashed = sf.collect_list(_no_number()).alias("nothing")
        counts += [sf.first("example").alias("example"), hashed]
    return keyed.groupBy("part", "verdict", "absent", "share").agg(*counts)
