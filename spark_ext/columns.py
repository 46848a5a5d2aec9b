"""Selectors as Columns: Spark parses the emitted SQL in one call, and no Python code runs on the executors."""

from __future__ import annotations

import warnings
from typing import Unpack

from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

from spark_ext.messages.schemas import SchemaLike, message_columns
from transpiler import Dialect, Layout, transpile_address, transpile_filter, transpile_selector
from transpiler.base.arguments import check_keywords
from transpiler.base.errors import UnsupportedFeatureError
from transpiler.compiler.compile_options import FilterOptions, SelectorOptions, SqlOptions
from transpiler.compiler.lowering.jms_type_sql import Choices, destination_choices, message_choices
from transpiler.compiler.rewrites.optimizer import optimize
from transpiler.compiler.sql import emit_choice
from transpiler.compiler.transpiled import Transpiled
from transpiler.language.filters.sets import FiltersLike
from transpiler.language.selector.parsing import SelectorLike
from transpiler.message.jms_types import DESTINATION, REPLY_TO
from transpiler.topology.qpid_address.address import Address, NodeType

#: A layout, the name of a layout, or a schema or DataFrame with its columns. None is the canonical layout.
LayoutLike = Layout | SchemaLike | None


class SelectorWarning(UserWarning):
    """Warning about a selector that can be compiled, but probably does not mean what its author intended."""


def compile_selector(
    selector: SelectorLike,
    layout: LayoutLike = None,
    dialect: str | Dialect = "jms",
    *,
    lint: bool = True,
    **options: Unpack[SelectorOptions],
) -> Column:
    """Compile a selector to one native expression, by default for the columns of the canonical schema.

    The Column can be used in ``df.filter`` and in any other expression. Its negation with ``~`` does not select the
    remaining rows, because the Column may be NULL; with ``result="boolean"`` it is never NULL. Warnings about the
    selector are ``SelectorWarning``s.

    Args:
        selector: The text of a selector, or a parsed tree. A blank text, and None, select every message.
        layout: The columns of the table: the DataFrame, which pipelines do not analyze, another schema (a
            ``StructType``, its JSON, or DDL text such as ``"color STRING, weight BIGINT"``), the name of a store, or a
            ``Layout``.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        lint: Whether to emit the warnings of ``selector-sql check``, too.
        result: ``"filter"`` is TRUE if the selector is TRUE, and otherwise FALSE or NULL; ``"boolean"`` is TRUE or
            FALSE, never NULL; ``"ternary"`` is NULL if the selector is unknown.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        now: The time of UTC() and JMSExpiration, in milliseconds since the epoch; None for the time of the query or
            micro-batch.
        destination: The address with which the consumer was created. It is the JMSDestination of a message that does
            not have its own.
        alias: The name of the DataFrame in a join, as in ``df.alias("o")``.

    Raises:
        TranspilerError: The errors of ``transpiler.transpile_selector``.
    """
    check_keywords("compile_selector", SelectorOptions, options)
    return _column(transpile_selector(selector, _layout(layout), dialect, lint=lint, **options))


def compile_filter(
    filters: FiltersLike,
    layout: LayoutLike = None,
    dialect: str | Dialect = "jms",
    **options: Unpack[FilterOptions],
) -> Column:
    """Compile a filter or a filter set to one native expression, by default for the columns of the canonical schema.

    With ``unknown="ignore"``, there is a ``SelectorWarning`` for each filter that is left out.

    Args:
        filters: A filter object, a mapping of names to filters, JSON text, or AMQP 1.0 bytes.
        layout: The columns of the table, as for ``compile_selector``.
        dialect: The dialect of the JMS selectors in ``filters``, by name or as a ``Dialect``.
        result: As for ``compile_selector``. A filter is never unknown, so ``"ternary"`` has no NULL either.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        connection: The receiver's connection, for no-local filters.
        unknown: ``"error"``, or ``"ignore"`` to leave out filters with an unknown descriptor.
        now: The current time, as for ``compile_selector``.
        destination: The consumer's address, as for ``compile_selector``.
        alias: The name of the DataFrame, as for ``compile_selector``.

    Raises:
        TranspilerError: The errors of ``transpiler.transpile_filter``.
    """
    check_keywords("compile_filter", FilterOptions, options)
    return _column(transpile_filter(filters, _layout(layout), dialect, **options))


def _column(transpiled: Transpiled) -> Column:
    for finding in transpiled.diagnostics:
        # Let the warning point to the caller of the public function, who wrote the selector.
        warnings.warn(finding.render(), SelectorWarning, stacklevel=3)
    return _expression(transpiled.sql)


def compile_address(
    address: str | Address,
    node_type: NodeType,
    layout: LayoutLike = None,
    dialect: str | Dialect = "jms",
    **options: Unpack[SqlOptions],
) -> Column:
    """Compile the condition of a receiver with a Qpid address, by default for the columns of the canonical schema.

    Args:
        address: The address, as text or parsed.
        node_type: The kind of node that the address names: ``"queue"``, or the type of an exchange: ``"direct"``,
            ``"topic"``, ``"fanout"``, ``"headers"`` or ``"xml"``.
        layout: The columns of the table, as for ``compile_selector``.
        dialect: The dialect of the link's selector, by name or as a ``Dialect``.
        result: As for ``compile_selector``.
        missing: The meaning of a name that has no column: ``"error"``, or ``"null"`` for an absent property.
        alias: The name of the DataFrame, as for ``compile_selector``.

    Returns:
        The condition for messages that were sent to the node of the address.

    Raises:
        TranspilerError: The errors of ``transpiler.transpile_address``.
    """
    check_keywords("compile_address", SqlOptions, options)
    return _column(transpile_address(address, node_type, _layout(layout), dialect, **options))


def message_type(layout: LayoutLike = None) -> Column:
    """Return a Column with the JMS class of each message, such as ``TextMessage``, by default for the canonical schema.

    Source: the JMS mapping, section 3.3.4.

    Args:
        layout: A layout with message annotations or a body, as for ``compile_selector``.

    Raises:
        LayoutError: The layout has neither message annotations nor a body.
    """
    return _choice(message_choices(_layout(layout)), "Message")


def destination_type(layout: LayoutLike = None, *, consumer: str | None = None) -> Column:
    """Return a Column with the kind of each message's JMSDestination, by default for the canonical schema.

    The kind is ``queue``, ``topic``, ``temporary-queue`` or ``temporary-topic``. Source: the JMS mapping, section 5.1.

    Args:
        layout: A layout with message annotations, as for ``compile_selector``.
        consumer: The kind of the consumer's own destination, for messages without an annotation; None gives NULL.
    """
    return _choice(destination_choices(_layout(layout), DESTINATION), consumer)


def reply_to_type(layout: LayoutLike = None, *, consumer: str | None = None) -> Column:
    """Return a Column with the kind of each message's JMSReplyTo, by default for the canonical schema.

    Args:
        layout: A layout with message annotations, as for ``compile_selector``.
        consumer: The kind of the consumer's own destination, for messages without an annotation; None gives NULL.
    """
    return _choice(destination_choices(_layout(layout), REPLY_TO), consumer)


def _choice(choices: Choices, otherwise: str | None) -> Column:
    return _expression(emit_choice([(optimize(predicate), name) for predicate, name in choices], otherwise))


def _layout(layout: LayoutLike) -> Layout:
    return message_columns(None, layout).layout


def _expression(sql: str) -> Column:
    try:
        # Raise an error if there is no active session. PySpark's own error about the Column would not say what to do.
        SparkSession.active()
    except PySparkException:
        raise UnsupportedFeatureError.at(
            "spark.no-session",
            "a Column can only be created in an active Spark session, but no session is active",
            hint="perhaps create a session with SparkSession.builder.getOrCreate(); transpile_selector "
            "returns SQL text without a session",
        ) from None
    return sf.expr(sql)
