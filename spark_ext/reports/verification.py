"""Compare Spark's results for a selector with those of the reference evaluator, on the rows of a DataFrame.

The two share only the definition of the layout: Spark evaluates the SQL, the evaluator reads ``layout.message(row)``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.plain_rows import collectable_columns, plain_row, unused_name
from spark_ext.messages.schemas import SchemaLike, message_columns
from spark_ext.reports.undecodable import Undecodable, rendered
from transpiler import Diagnostic, Dialect, Layout, Message, parse_selector, transpile_selector
from transpiler.base import html
from transpiler.base.diagnostics import clipped
from transpiler.base.errors import LayoutError, UnsupportedFeatureError
from transpiler.compiler.compile_options import RowOptions, read_options
from transpiler.compiler.layouts.layout import reads_rows
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import SelectorLike, selector_text
from transpiler.message.types import TRUTH_TEXT, Truth
from transpiler.reference.evaluate import evaluate, value_of

#: For the text of a verification. ``_MAX_LISTED``: maximum number of disagreements. ``_WIDTH``: maximum length of a
#: row, in characters.
_MAX_LISTED, _WIDTH = 5, 100

#: The seed of the sample, so that the same files give the same rows.
_SEED = 42


class Disagreement(NamedTuple):
    """A row for which Spark and the reference evaluator differ. Times in ``row`` are milliseconds since the epoch.

    ``values`` maps each name in the selector to the value that the reference evaluator read.
    """

    row: Mapping[str, Any]
    spark: Truth
    reference: Truth
    message: Message
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """The comparison of Spark's results for one selector with those of the reference evaluator.

    ``rows`` is the number of rows in the DataFrame, and ``compared`` the number of compared rows. ``answers`` counts
    the compared rows by Spark's result; None is unknown.
    """

    selector: str
    layout: str
    dialect: str
    rows: int
    compared: int
    answers: Mapping[Truth, int]
    disagreements: tuple[Disagreement, ...]
    #: Warnings about the compared rows, such as bytes that are not valid text.
    findings: tuple[Diagnostic, ...] = ()

    @property
    def agrees(self) -> bool:
        """True if Spark and the reference evaluator have the same result for every compared row."""
        return not self.disagreements

    def __repr__(self) -> str:
        return f"Verification({str(self).partition(chr(10))[0]})"

    def _repr_html_(self) -> str:
        return html.code(str(self))

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {TRUTH_TEXT[answer]}" for answer, count in self.answers.items())
        seen = f"{self.compared:,} of {self.rows:,} rows" if self.compared < self.rows else f"all {self.rows:,} rows"
        if self.agrees:
            verdict = f"Spark and the reference agree on {seen}"
        else:
            verdict = f"Spark and the reference disagree on {len(self.disagreements):,} of {self.compared:,} rows"
            verdict += f" (a sample of {self.rows:,})" if self.compared < self.rows else ""
        lines = [verdict, f"  Spark: {counts}", f"  layout {self.layout}, dialect {self.dialect}"]
        for one in self.disagreements[:_MAX_LISTED]:
            lines.append(f"Spark {TRUTH_TEXT[one.spark]}, reference {TRUTH_TEXT[one.reference]}")
            lines += [f"  {name} = {clipped(_shown(value), _WIDTH)}" for name, value in one.values.items()]
            lines.append(f"  row {clipped(json.dumps(one.row, ensure_ascii=False, default=str), _WIDTH)}")
        if len(self.disagreements) > _MAX_LISTED:
            lines.append(f"and {len(self.disagreements) - _MAX_LISTED:,} more, in .disagreements")
        lines += rendered(self.findings)
        return "\n".join(lines)


def _shown(value: object) -> str:
    return "NULL" if value is None else repr(value)


def verify(
    df: DataFrame,
    selector: SelectorLike,
    layout: Layout | SchemaLike | None = None,
    dialect: str | Dialect = "jms",
    *,
    sample: int | None = 1000,
    **options: Unpack[RowOptions],
) -> Verification:
    """Compare Spark's result for a selector with that of the reference evaluator, row by row.

    One Spark job counts the rows, and a second job reads the sample.

    Args:
        df: The messages.
        selector: The text of a selector, or a parsed tree.
        layout: The columns of the DataFrame: the name of a store, a ``Layout`` or a schema; None infers it.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        sample: Number of rows to compare, drawn at random with a fixed seed, so that the same files give the same
            rows; None compares all rows.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        now: The current time in milliseconds since the epoch; None for the time of the call, for both evaluations.
        destination: The address with which the consumer was created.

    Raises:
        TranspilerError: The errors of ``compile_selector``.
    """
    chosen = read_options("verify", RowOptions, options)
    if sample is not None and sample < 1:
        raise ValueError(f"sample must be a number of rows that is 1 or more, or None for all rows, not {sample}")
    rules, resolved = find_dialect(dialect), message_columns(df, layout).layout
    if not reads_rows(resolved):
        hint = "perhaps add a method message(row) to the layout: see docs/layouts.md"
        raise LayoutError.at(
            "verify.layout", f"the layout {resolved.name} cannot convert rows to messages in Python", hint=hint
        )
    text = selector_text(selector, rules)
    tree = parse_selector(text, rules)
    receiver = chosen.receiver.timed
    sql = transpile_selector(text, resolved, rules, result="ternary", missing=chosen.missing, **receiver.keywords).sql
    if df.isStreaming:
        hint = "perhaps verify a table of the messages that the stream has written"
        raise UnsupportedFeatureError.at(
            "verify.stream", "no sample can be drawn from a stream, because a stream does not end", hint=hint
        )
    rows = df.count()
    drawn = df if sample is None or rows <= sample else df.orderBy(sf.rand(_SEED)).limit(sample)
    answers: Counter[Truth] = Counter()
    disagreements = []
    undecodable = Undecodable(resolved, tree)
    for row, answer in _answered(drawn, sql):
        message = resolved.message(row)
        undecodable.look_at(row)
        expected = evaluate(tree, message, rules, receiver)
        answers[answer] += 1
        if answer is not expected:
            names = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.Identifier)} if tree else {}
            values = {name: value_of(node, message, rules, receiver) for name, node in names.items()}
            disagreements.append(Disagreement(plain_row(row), answer, expected, message, values))
    counts = {answer: answers[answer] for answer in TRUTH_TEXT}
    compared = sum(counts.values())
    return Verification(
        text or "",
        resolved.name,
        rules.name,
        max(rows, compared),
        compared,
        counts,
        tuple(disagreements),
        undecodable.findings(),
    )


def _answered(df: DataFrame, sql: str) -> Iterator[tuple[Mapping[str, Any], Truth]]:
    """Yield each row of ``df`` with the result of ``sql`` in Spark. Only one partition at a time is in memory."""
    name = unused_name("_selector_answer", df)
    selected = df.select(*collectable_columns(df), sf.expr(sql).alias(name))
    for row in selected.toLocalIterator():
        values = row.asDict()
        answer: Truth = values.pop(name)
        yield values, answer
