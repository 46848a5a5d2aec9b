"""Mapping of a name to the names that read the same message field in another dialect."""

from __future__ import annotations

from collections.abc import Iterator

from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.translation.message_fields import fields_of_name, is_property


def names_in(node: ast.Identifier, source: Dialect, target: Dialect) -> list[ast.Identifier]:
    """Return the names of the dialect ``target`` that read the same message field as ``node`` in ``source``.

    The likeliest name comes first. Names that work only because a client library of ``target`` rewrites selectors are
    not included.
    """
    same = ast.Identifier(node.name)
    if is_property(node, source):
        return [same] if is_property(same, target) else []
    message_fields = fields_of_name(node, source)
    if not message_fields:
        # The source dialect always reads the name as NULL, so its counterpart must be NULL in the target dialect, too.
        return [same] if not fields_of_name(same, target) else []
    names = [
        name
        for name in _field_names(target)
        if message_fields[0] in fields_of_name(name, target) and name.name not in target.fields.rewritten_for_clients
    ]
    return sorted(names, key=lambda name: (name.name != node.name, not name.name.startswith("JMS")))


def _field_names(dialect: Dialect) -> Iterator[ast.Identifier]:
    yield from (ast.Identifier(name) for name in dialect.fields.table)
    yield from (ast.Identifier(field, section=section) for section, field in dialect.fields.sections)
