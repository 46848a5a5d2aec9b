"""Traversal of the IR: the children of a node, a node rebuilt with other children, and the size of its SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import is_, mul
from typing import Any, TypeVar, get_args

from transpiler.base.tree_nodes import parts_of
from transpiler.compiler.ir.column_types import Path
from transpiler.compiler.ir.nodes import (
    And,
    Apply,
    ArrayContains,
    BoolConst,
    Column,
    Compare,
    Constant,
    In,
    IsNan,
    IsNull,
    IsTrue,
    Like,
    Matches,
    Or,
    Predicate,
    RowParameter,
    SeparateMethod,
    Topic,
    Value,
)

Node = Predicate | Value

#: The classes of nodes that have no children.
_LEAVES = (Column, Constant, RowParameter, BoolConst)


#: The fields that contain values or predicates, for each class of nodes.
_PARTS = parts_of((*get_args(Predicate), *get_args(Value)), "Predicate", "Value")

AnyNode = TypeVar("AnyNode", Predicate, Value)


def children(node: Node) -> tuple[Node, ...]:
    """Return the values and predicates directly inside ``node``."""
    inside: list[Node] = []
    for name, _, several in _PARTS[type(node)]:
        part = getattr(node, name)
        if several:
            inside += part
        elif part is not None:
            inside.append(part)
    return tuple(inside)


def rebuild(
    node: AnyNode, predicate: Callable[[Predicate], Predicate], value: Callable[[Value], Value] | None = None
) -> AnyNode:
    """Return ``node`` with its children replaced by the results of ``predicate`` and ``value`` for them.

    If ``value`` is None, the children that are values stay. If no child changes, return the same object.
    """
    changed: dict[str, Any] = {}
    for name, kind, several in _PARTS[type(node)]:
        part = getattr(node, name)
        change: Callable[[Any], Any] | None = predicate if kind == "Predicate" else value
        if part is None or change is None:
            continue
        new = tuple(map(change, part)) if several else change(part)
        if not all(map(is_, new, part)) if several else new is not part:
            changed[name] = new
    # Nodes that are a NamedTuple have no children, so ``changed`` is empty for them.
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


def replace_columns(node: Predicate, replacement: Callable[[Column], Value]) -> Predicate:
    """Return the predicate ``node`` with each column replaced by the value that ``replacement`` returns for it."""

    def value(inner: Value) -> Value:
        return replacement(inner) if isinstance(inner, Column) else rebuild(inner, predicate, value)

    def predicate(inner: Predicate) -> Predicate:
        return rebuild(inner, predicate, value)

    return predicate(node)


def replace_columns_in(value: Value, replacement: Callable[[Column], Value]) -> Value:
    """Return ``value`` with each column replaced by the value that ``replacement`` returns for it."""
    if isinstance(value, Column):
        return replacement(value)
    return rebuild(
        value, lambda part: replace_columns(part, replacement), lambda part: replace_columns_in(part, replacement)
    )


def substitute_parameters(node: Predicate, values: Mapping[int, Value]) -> Predicate:
    """Return ``node`` with row parameters replaced by ``values``, which maps their indices to values."""

    def value(inner: Value) -> Value:
        return values.get(inner.index, inner) if isinstance(inner, RowParameter) else rebuild(inner, predicate, value)

    def predicate(inner: Predicate) -> Predicate:
        return rebuild(inner, predicate, value)

    return predicate(node) if values else node


def size(node: Node) -> int:
    """Return the number of nodes in the SQL of ``node``. A shared child counts each time that the SQL contains it."""
    return Sizes().of(node)


class Sizes:
    """A calculator of the sizes of nodes; the size of a child that nodes share is computed only once."""

    def __init__(self) -> None:
        #: Each node and its size, by the ``id`` of the node. The node is stored so that no other node gets this ``id``.
        self.known: dict[int, tuple[Node, int]] = {}

    def of(self, node: Node) -> int:
        """Return the number of nodes in the SQL of ``node``."""
        known = self.known.get(id(node))
        if known is None:
            sizes = (1 if isinstance(part, _LEAVES) else self.of(part) for part in children(node))
            mentions = node.function.mentions if isinstance(node, Apply) else ()
            count = 1 + sum(map(mul, mentions, sizes) if mentions else sizes)
            if isinstance(node, In):
                count += len(node.members)
            elif isinstance(node, SeparateMethod):
                count *= 2
            known = self.known[id(node)] = (node, count)
        return known[1]


def descendants(node: Node) -> Iterator[Node]:
    """Yield ``node`` and all nodes inside it, each object once."""
    visited: set[int] = set()
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if id(inner) not in visited:
            visited.add(id(inner))
            yield inner
            waiting.extend(children(inner))


def column_paths(node: Node) -> set[Path]:
    """Return the paths that ``node`` reads in a row."""
    return {inner.path for inner in descendants(node) if isinstance(inner, Column)} | {
        inner.array for inner in descendants(node) if isinstance(inner, ArrayContains)
    }


def sql_not(predicate: Predicate) -> Predicate | None:
    """Return a predicate equal to SQL's ``NOT predicate``: TRUE and FALSE are swapped, NULL stays NULL.

    Return None if the negation cannot be written without NOT.
    """
    match predicate:
        case Compare(operator=operator, left=left, right=right):
            return Compare(operator.negated, left, right)
        case IsTrue(value=value, negated=negated):
            return IsTrue(value, not negated)
        case In(value=value, members=members, negated=negated):
            return In(value, members, not negated)
        case Like() | Topic() | Matches():
            return replace(predicate, negated=not predicate.negated)
        case IsNull(value=value, negated=negated):
            return IsNull(value, not negated)
        case IsNan(value=value, negated=negated):
            return IsNan(value, not negated)
        case BoolConst(value=value):
            return BoolConst(not value)
        case And(terms=terms) | Or(terms=terms):
            turned = [sql_not(term) for term in terms]
            kept = tuple(term for term in turned if term is not None)
            if len(kept) < len(terms):
                return None
            return Or(kept) if isinstance(predicate, And) else And(kept)
        case _:
            return None


def without_conversions(value: Value) -> Value:
    """Strip the outer conversions of ``value``: ``CAST(a AS DOUBLE)`` becomes ``a``.

    Only conversions that never turn a value into NULL are stripped, so the result is NULL in the same rows as
    ``value``.
    """
    while isinstance(value, Apply) and value.function.keeps_null:
        value = value.arguments[0]
    return value


def columns_in(node: Node) -> Iterator[Column]:
    """Yield the columns that ``node``, a value or predicate, reads; a column may occur several times."""
    if isinstance(node, Column):
        yield node
    for part in children(node):
        yield from columns_in(part)
