"""Selectors as Columns: the emitted text goes to Spark in one call, and nothing of Python runs on the executors."""

from __future__ import annotations

import warnings
from typing import Literal

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import SchemaLike, shown_layout
from transpiler import Dialect, Layout, transpile_address, transpile_filter, transpile_selector
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.lowering.jms_type_sql import Choices, destination_choices, message_choices
from transpiler.compiler.presets import find_layout
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.sql import emit_choice
from transpiler.compiler.transpiled import Transpiled
from transpiler.language.filters.sets import FiltersLike
from transpiler.message.jms_types import DESTINATION, REPLY_TO
from transpiler.topology.qpid_address.address import Address, NodeType

#: The name of a layout, or an example of it; None is the canonical one.
LayoutLike = Layout | SchemaLike | None


class SelectorWarning(UserWarning):
    """A selector compiles, and something in it is probably not what was meant."""


def compile_selector(
    selector: str,
    layout: LayoutLike = None,
    *,
    dialect: str | Dialect = "jms",
    result: Literal["filter", "boolean", "ternary"] = "filter",
    missing: Literal["error", "null"] = "error",
    now: int | None = None,
    destination: str | None = None,
    alias: str | None = None,
    lint: bool = True,
) -> Column:
    """Compile a selector to one native expression, for ``df.filter`` and anywhere else that takes a Column.

    ``~`` of it does not select the other rows, for it may be NULL; with ``result="boolean"`` it never is.
    ``layout`` is None for the canonical schema, a preset's name, a ``Layout``, or a schema: a ``StructType``, its JSON,
    DDL text such as ``"color STRING, weight BIGINT"``, or a DataFrame, which pipelines do not analyze. ``now``
    is the time of UTC() and JMSExpiration, in milliseconds since the epoch; without it, the time of the query or
    micro-batch. ``destination`` is the consumer's, and JMSDestination where a message has none. ``alias`` is the name
    of the DataFrame in a join, as in ``df.alias("o")``. Doubts about the selector are ``SelectorWarning``s,
    with ``lint`` those of ``selector-sql check`` too. Raises ``TranspilerError``.
    """
    resolved = _layout(layout)
    transpiled = transpile_selector(
        selector,
        resolved,
        dialect=dialect,
        result=result,
        missing=missing,
        now=now,
        destination=destination,
        alias=alias,
        lint=lint,
    )
    return _column(transpiled)


def compile_filter(
    filters: FiltersLike,
    layout: LayoutLike = None,
    *,
    dialect: str | Dialect = "jms",
    result: Literal["filter", "boolean", "ternary"] = "filter",
    missing: Literal["error", "null"] = "error",
    connection: str | None = None,
    unknown: Literal["error", "ignore"] = "error",
    now: int | None = None,
    destination: str | None = None,
    alias: str | None = None,
) -> Column:
    """Compile a filter, or a filter set, to one native expression.

    ``filters`` is a filter object, a mapping of names to filters, JSON text, or AMQP 1.0 bytes; ``connection`` is the
    receiver's, for no-local. Filters that ``unknown="ignore"`` leaves out are ``SelectorWarning``s. Otherwise as
    ``compile_selector``; raises ``TranspilerError``.
    """
    resolved = _layout(layout)
    return _column(
        transpile_filter(
            filters,
            resolved,
            dialect=dialect,
            result=result,
            missing=missing,
            connection=connection,
            unknown=unknown,
            now=now,
            destination=destination,
            alias=alias,
        )
    )


def _column(transpiled: Transpiled) -> Column:
    for finding in transpiled.diagnostics:
        # The caller's caller wrote the selector.
        warnings.warn(finding.render(), SelectorWarning, stacklevel=3)
    return _expression(transpiled.sql)


def compile_address(
    address: str | Address,
    node_type: NodeType,
    layout: LayoutLike = None,
    *,
    dialect: str | Dialect = "jms",
    result: Literal["filter", "boolean", "ternary"] = "filter",
    missing: Literal["error", "null"] = "error",
    alias: str | None = None,
) -> Column:
    """Return the condition of a receiver with a Qpid address on messages sent to the address's node, as a Column.

    ``node_type`` is what the name resolves to: ``queue``, ``direct``, ``topic``, ``fanout``, ``headers`` or ``xml``.
    """
    resolved = _layout(layout)
    return _column(
        transpile_address(address, node_type, resolved, dialect=dialect, result=result, missing=missing, alias=alias)
    )


def message_type(layout: LayoutLike = None) -> Column:
    """Return the JMS class of each message, such as ``TextMessage``: the JMS mapping, section 3.3.4.

    ``LayoutError`` where the layout has neither message annotations nor a body.
    """
    return _choice(message_choices(find_layout(_layout(layout))), "Message")


def destination_type(layout: LayoutLike = None, *, consumer: str | None = None) -> Column:
    """Return the kind of each message's JMSDestination.

    It is ``queue``, ``topic``, ``temporary-queue`` or ``temporary-topic``. ``consumer`` is the kind
    where the message does not say, that of the consumer's own destination. Source: the JMS mapping, section 5.1.
    """
    return _choice(destination_choices(find_layout(_layout(layout)), DESTINATION), consumer)


def reply_to_type(layout: LayoutLike = None, *, consumer: str | None = None) -> Column:
    """Return the kind of each message's JMSReplyTo, likewise."""
    return _choice(destination_choices(find_layout(_layout(layout)), REPLY_TO), consumer)


def _choice(choices: Choices, otherwise: str | None) -> Column:
    return _expression(emit_choice([(optimize(predicate), name) for predicate, name in choices], otherwise))


def _layout(layout: LayoutLike) -> str | Layout:
    if layout is None:
        return "amqp"
    return layout if isinstance(layout, str) else shown_layout(layout)


def _expression(sql: str) -> Column:
    if SparkSession.getActiveSession() is None:
        raise UnsupportedFeatureError.at(
            "spark.no-session",
            "there is no active Spark session to build a Column in",
            hint="perhaps create one with SparkSession.builder.getOrCreate(); transpile_selector gives the text alone",
        )
    return sf.expr(sql)
