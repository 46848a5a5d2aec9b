"""Compare the results of a selector under the rules of several brokers, on the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from spark_ext.columns import compile_selector
from transpiler import Dialect, Layout, TranspilerError, find_dialect
from transpiler.base import html
from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.language.selector.parsing import SelectorLike


class DialectComparison(NamedTuple):
    """The rows for which the dialects differ, and the number of rows that each dialect selects.

    ``rows`` has the columns of the DataFrame and a boolean column for each dialect, such as ``matches_activemq``.
    ``matched`` has the number of selected rows for each dialect; ``changed`` is the number of ``rows``; ``refused`` has
    the error for each dialect that rejects the selector.
    """

    rows: DataFrame
    matched: Mapping[str, int]
    changed: int
    refused: Mapping[str, Diagnostic]

    def __str__(self) -> str:
        width = max(map(len, (*self.matched, *self.refused)))
        lines = [f"{name:{width}}  {count:>12,} rows" for name, count in self.matched.items()]
        lines += [f"{name:{width}}  refused: {finding.message}" for name, finding in self.refused.items()]
        return "\n".join([*lines, f"the dialects differ on {self.changed:,} rows"])

    def __repr__(self) -> str:
        return f"DialectComparison({dict(self.matched)}, changed={self.changed}, refused={list(self.refused)})"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object, str]] = [(name, count, "") for name, count in self.matched.items()]
        rows += [(name, "", finding.message) for name, finding in self.refused.items()]
        title = f"the dialects differ on {self.changed:,} rows"
        return html.heading(title) + html.table(("dialect", "rows", "refused"), rows)


def compare_dialects(
    df: DataFrame,
    selector: SelectorLike,
    dialects: Iterable[str | Dialect],
    layout: str | Layout | StructType | DataFrame | None = None,
) -> DialectComparison:
    """Find the rows for which dialects disagree, and count the rows that each dialect selects.

    A property that has no column is treated as absent. All counts take a single Spark job.

    Args:
        df: The messages.
        selector: The text of a selector, or a parsed tree.
        dialects: Names of dialects, or ``Dialect`` objects.
        layout: The columns of the DataFrame: the name of a store, a ``Layout`` or a schema; None infers it.

    Raises:
        TranspilerError: Every dialect rejects the selector, or ``dialects`` is empty.
    """
    if isinstance(dialects, str):
        raise unexpected("dialects", "several dialects, as in ['jms', 'activemq']", dialects)
    columns, refused = {}, {}
    for one in dialects:
        dialect = find_dialect(one)
        try:
            # ``lint`` is off, because warnings about the text are not differences between the dialects.
            column = compile_selector(
                selector,
                df if layout is None else layout,
                dialect,
                result="boolean",
                missing="null",
                lint=False,
            )
        except TranspilerError as error:
            refused[dialect.name] = error.diagnostics[0]
        else:
            columns[f"matches_{dialect.name.replace('-', '_')}"] = (dialect.name, column)
    if not columns:
        if refused:
            raise UnsupportedFeatureError(list(refused.values()))
        raise TranspilerError.at("argument.choice", "the list of dialects to compare is empty")
    judged = df.withColumns({name: column for name, (_, column) in columns.items()})
    first, *others = columns
    parted = sf.lit(False)
    for name in others:
        parted = parted | (sf.col(name) != sf.col(first))
    counts = judged.agg(
        *(sf.count_if(sf.col(name)).alias(name) for name in columns), sf.count_if(parted).alias("changed")
    ).collect()[0]
    return DialectComparison(
        judged.filter(parted),
        {own: counts[name] for name, (own, _) in columns.items()},
        counts.changed,
        refused,
    )
