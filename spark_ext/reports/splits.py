"""Split the rows of a DataFrame by the three results of a selector, with the reason, using only native columns."""

from __future__ import annotations

from typing import NamedTuple, Unpack

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import SchemaLike, check_frame, message_columns
from spark_ext.reports.match_explanations import Parts
from spark_ext.routing.new_columns import check_new
from transpiler import Dialect, Layout, parse_selector, transpile_selector
from transpiler.compiler.compile_options import RowOptions, SelectorOptions, read_options
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.parsing import SelectorLike, selector_text

#: ``RESULT``: the column with the result of each row. ``MATCHED``, ``NOT_MATCHED`` and ``UNKNOWN``: its values.
RESULT = "result"
MATCHED, NOT_MATCHED, UNKNOWN = "matched", "not matched", "unknown"

#: A temporary column: the struct of the whole row while its result is computed.
_ROW = "_split_row"


class Split(NamedTuple):
    """The rows of a DataFrame, split by the result of a selector.

    ``rows`` has all rows, with the column ``result``: ``matched``, ``not matched`` or ``unknown``. Written with
    ``partitionBy("result")``, all three results take a single pass. The other three DataFrames contain the rows of one
    result, without that column.
    """

    rows: DataFrame
    matched: DataFrame
    not_matched: DataFrame
    unknown: DataFrame


def split(
    df: DataFrame,
    selector: SelectorLike,
    layout: Layout | SchemaLike | None = None,
    dialect: str | Dialect = "jms",
    *,
    reason: str | None = None,
    **options: Unpack[RowOptions],
) -> Split:
    """Split the rows of a DataFrame into those for which a selector is TRUE, FALSE and unknown.

    Args:
        df: The messages, of a table or a stream.
        selector: The text of a selector, or a parsed tree.
        layout: The layout of the messages; None infers it from ``df``.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        reason: The name of a column to add, with the first part of the selector that rejected a row, such as
            ``color = 'red' is unknown: color is missing``; NULL in rows that match. None adds no column.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        now: The time of UTC() and JMSExpiration, in milliseconds since the epoch; None for the time of the call.
        destination: The address with which the consumer was created.

    Raises:
        TranspilerError: The errors of ``compile_selector``, or ``df`` already has a column with a name to be added.
    """
    chosen = read_options("split", RowOptions, options)
    check_frame("df", df)
    check_new(df, {"result": RESULT, "reason": reason}, {"reason": reason})
    rules, resolved = find_dialect(dialect), message_columns(df, layout).layout
    text = selector_text(selector, rules)
    tree = parse_selector(text, rules)
    receiver = chosen.receiver.timed
    settings = SelectorOptions(missing=chosen.missing, now=receiver.now, destination=receiver.destination)
    sql = transpile_selector(text, resolved, rules, **SelectorOptions({**settings, "result": "ternary"})).sql
    result = f"CASE WHEN {sql} THEN '{MATCHED}' WHEN ({sql}) IS NULL THEN '{UNKNOWN}' ELSE '{NOT_MATCHED}' END"
    if reason is None:
        rows = df.withColumn(RESULT, sf.expr(result))
    else:
        parts = Parts(tree, rules, resolved, settings)
        judged = df.select(sf.struct("*").alias(_ROW), sf.expr(result).alias(RESULT), *parts.judged())
        keyed = judged.select(_ROW, RESULT, parts.reason().alias(reason), *parts.key())
        rows = keyed.select(f"{_ROW}.*", RESULT, reason)
    return Split(rows, *(rows.filter(f"{RESULT} = '{one}'").drop(RESULT) for one in (MATCHED, NOT_MATCHED, UNKNOWN)))
