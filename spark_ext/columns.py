"""Selectors as Columns: the emitted text goes to Spark in one call, and nothing of Python runs on the executors."""

from __future__ import annotations

import warnings
from typing import Literal

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from spark_ext.schemas import infer_layout
from transpiler import Dialect, Layout, transpile_selector
from transpiler.errors import UnsupportedFeatureError


class SelectorWarning(UserWarning):
    """A selector compiles, and something in it is probably not what was meant."""


def compile_selector(
    selector: str,
    layout: str | Layout | StructType | DataFrame | None = None,
    *,
    dialect: str | Dialect = "jms",
    result: Literal["filter", "boolean", "ternary"] = "filter",
    missing: Literal["error", "null"] = "error",
) -> Column:
    """A selector as one native expression, for ``df.filter`` and anywhere else that takes a Column.

    ``layout`` is None for the canonical schema, a preset's name, a ``Layout``, a ``StructType`` or a DataFrame. Doubts
    about the selector are ``SelectorWarning``s. Raises ``TranspilerError``.
    """
    if layout is None:
        layout = "amqp"
    elif not isinstance(layout, str):
        layout = infer_layout(layout)
    transpiled = transpile_selector(selector, layout, dialect=dialect, result=result, missing=missing)
    for finding in transpiled.diagnostics:
        warnings.warn(finding.render(), SelectorWarning, stacklevel=2)
    if SparkSession.getActiveSession() is None:
        raise UnsupportedFeatureError.at(
            "spark.no-session",
            "there is no active Spark session to build a Column in",
            hint="create one with SparkSession.builder.getOrCreate(), or use transpile_selector for the text alone",
        )
    return sf.expr(transpiled.sql)
