"""Parse the text of a selector filter, in the dialect that its kind prescribes."""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.language.filters.kinds import JmsSelector, SqlFilter
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import DIALECTS, Dialect
from transpiler.language.selector.parsing import parse_selector

#: The dialect that an ``amqp:sql-filter`` is written in, whatever the dialect of the selectors beside it.
SQL_DIALECT = DIALECTS["rabbitmq"]


def dialect_of(node: JmsSelector | SqlFilter, dialect: Dialect) -> Dialect:
    """Return the dialect of a filter's text."""
    return dialect if isinstance(node, JmsSelector) else SQL_DIALECT


def source_of(node: JmsSelector | SqlFilter) -> Source:
    """The text, by the name that errors call it."""
    return Source(node.text, f"{node.path}.value")


def parse_text(node: JmsSelector | SqlFilter, dialect: Dialect) -> ast.Expression | None:
    """Parse and check the text; None if it is blank, which every message passes.

    Raises what ``parse_selector`` raises; the path of the filter is the source's name.
    """
    try:
        return parse_selector(node.text, dialect_of(node, dialect))
    except TranspilerError as error:
        source = source_of(node)
        raise type(error)([replace(finding, source=source) for finding in error.diagnostics]) from None
