"""Walkers over the IR: what a node holds, a node rebuilt with other parts, and how large it would be as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import is_, mul

from transpiler.compiler.ir.column_types import Path
from transpiler.compiler.ir.nodes import (
    And,
    AnyRow,
    Apply,
    ArrayContains,
    BoolConst,
    Coalesce,
    Column,
    Compare,
    Constant,
    In,
    IsNan,
    IsNull,
    IsTrue,
    Like,
    Matches,
    NotTrue,
    Or,
    Predicate,
    RowParameter,
    SeparateMethod,
    Topic,
    Value,
    When,
    XPath,
)

Node = Predicate | Value

#: Nodes without parts.
_LEAVES = (Column, Constant, RowParameter, BoolConst)


def children(node: Node) -> tuple[Node, ...]:
    """The values and predicates directly inside a node."""
    match node:
        case Column() | Constant() | RowParameter() | BoolConst():
            return ()
        case Compare(left=left, right=right):
            return (left, right)
        case And(terms=terms) | Or(terms=terms):
            return terms
        case Coalesce(tests=tests, otherwise=otherwise):
            return (*tests, otherwise)
        case Apply(arguments=arguments):
            return arguments
        case When(condition=condition, value=value):
            return (condition, value)
        case (
            In(value=value)
            | ArrayContains(value=value)
            | Like(value=value)
            | Topic(value=value)
            | Matches(value=value)
            | XPath(value=value)
            | IsTrue(value=value)
            | IsNull(value=value)
            | IsNan(value=value)
        ):
            return (value,)
        case AnyRow(predicate=predicate, key=key):
            return (predicate,) if key is None else (predicate, key)
        case SeparateMethod(predicate=predicate) | NotTrue(predicate=predicate):
            return (predicate,)


def rebuild(node: Predicate, predicate: Callable[[Predicate], Predicate], value: Callable[[Value], Value]) -> Predicate:
    """The node with a function applied to each part; the node itself where nothing changed."""
    match node:
        case BoolConst():
            return node
        case Compare(left=left, right=right):
            new_left, new_right = value(left), value(right)
            if new_left is left and new_right is right:
                return node
            return Compare(node.operator, new_left, new_right)
        case And(terms=terms) | Or(terms=terms):
            changed = tuple(map(predicate, terms))
            if all(map(is_, changed, terms)):
                return node
            return type(node)(changed)
        case Coalesce(tests=tests, otherwise=otherwise, disjoint=apart):
            changed, last = tuple(map(predicate, tests)), predicate(otherwise)
            return node if all(map(is_, (*changed, last), children(node))) else Coalesce(changed, last, apart)
        case (
            In(value=inner)
            | ArrayContains(value=inner)
            | Like(value=inner)
            | Topic(value=inner)
            | Matches(value=inner)
            | XPath(value=inner)
            | IsTrue(value=inner)
            | IsNull(value=inner)
            | IsNan(value=inner)
        ):
            new = value(inner)
            return node if new is inner else replace(node, value=new)
        case AnyRow(predicate=inner_predicate, key=key):
            new_predicate, new_key = predicate(inner_predicate), None if key is None else value(key)
            return replace(node, predicate=new_predicate, key=new_key)
        case SeparateMethod(predicate=inner_predicate) | NotTrue(predicate=inner_predicate):
            new_predicate = predicate(inner_predicate)
            return node if new_predicate is inner_predicate else type(node)(new_predicate)


def replace_columns(node: Predicate, replacement: Callable[[Column], Value]) -> Predicate:
    """The predicate with something in the place of each column."""

    def value(inner: Value) -> Value:
        return replace_columns_in(inner, replacement)

    def predicate(inner: Predicate) -> Predicate:
        return rebuild(inner, predicate, value)

    return predicate(node)


def replace_columns_in(value: Value, replacement: Callable[[Column], Value]) -> Value:
    """The value with something in the place of each column."""
    match value:
        case Column():
            return replacement(value)
        case Apply(function=function, arguments=arguments):
            return Apply(function, tuple(replace_columns_in(part, replacement) for part in arguments), value.type)
        case When(condition=condition, value=inner):
            return When(replace_columns(condition, replacement), replace_columns_in(inner, replacement))
        case _:
            return value


def substitute_parameters(node: Predicate, values: Mapping[int, Value]) -> Predicate:
    """The predicate with something in the place of some parameters."""

    def value(inner: Value) -> Value:
        match inner:
            case RowParameter(place=place):
                return values.get(place, inner)
            case Apply(arguments=arguments):
                return replace(inner, arguments=tuple(map(value, arguments)))
            case _:
                return inner

    def predicate(inner: Predicate) -> Predicate:
        return rebuild(inner, predicate, value)

    return predicate(node) if values else node


def size(node: Node) -> int:
    """The number of nodes that the text would have: a part counts as often as it would be written."""
    return Sizes().of(node)


class Sizes:
    """The sizes of nodes that share parts, each of which is counted once."""

    def __init__(self) -> None:
        #: The size of each node by the node's identity; the node is kept with it, so that no other node gets that
        #: identity.
        self.known: dict[int, tuple[Node, int]] = {}

    def of(self, node: Node) -> int:
        """The number of nodes that the text would have."""
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
    """The node and all nodes inside it, each once."""
    visited: set[int] = set()
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if id(inner) not in visited:
            visited.add(id(inner))
            yield inner
            waiting.extend(children(inner))


def constants_in(node: Node) -> set[Constant]:
    """All constants inside a node."""
    constants: set[Constant] = set()
    for inner in descendants(node):
        match inner:
            case Constant():
                constants.add(inner)
            case In(members=members):
                constants.update(members)
            case _:
                pass
    return constants


def column_paths(node: Node) -> set[Path]:
    """The paths in a row that the node reads."""
    return {inner.path for inner in descendants(node) if isinstance(inner, Column)} | {
        inner.array for inner in descendants(node) if isinstance(inner, ArrayContains)
    }


def sql_not(predicate: Predicate) -> Predicate | None:
    """The predicate that SQL's NOT would give, NULL where this one is NULL; None where that is not plain."""
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
    """The part that decides whether a value is NULL, without conversions that keep NULL and nothing else."""
    while isinstance(value, Apply) and value.function.keeps_null:
        value = value.arguments[0]
    return value
