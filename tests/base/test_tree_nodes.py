"""The children of the nodes of both trees are derived from their fields."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import get_args

import pytest

from transpiler import parse_selector
from transpiler.base.comparison import Comparison
from transpiler.base.tree_nodes import Part
from transpiler.compiler import ir
from transpiler.compiler.ir import traversal
from transpiler.compiler.ir.column_types import BIGINT
from transpiler.language.selector import ast

NODES = [
    *((kind, ast._PARTS, "Expression") for kind in get_args(ast.Expression)),
    *((kind, traversal._PARTS, "Predicate|Value") for kind in get_args(traversal.Node)),
]


@pytest.mark.parametrize(("kind", "parts", "types"), NODES, ids=lambda one: getattr(one, "__name__", ""))
def test_every_field_with_nodes_is_among_the_children(
    kind: type, parts: dict[type, tuple[Part, ...]], types: str
) -> None:
    named = {part.name for part in parts[kind]}
    held = (
        {item.name for item in fields(kind) if re.search(rf"\b({types})\b", str(item.type))}
        if is_dataclass(kind)
        else set()
    )
    assert named == held


def test_the_operands_of_a_selector_come_in_the_order_of_the_text() -> None:
    tree = parse_selector("NOT (a BETWEEN b AND c) OR d LIKE 'x' ESCAPE '!' AND e IN ('y', 'z') AND f IS NULL")
    assert tree is not None
    assert [name.name for name in ast.names_of(tree)] == list("abcdef")
    assert ast.exchanged(tree, lambda part: part) == tree
    assert ast.exchanged(tree, lambda _: ast.Identifier("x")) == ast.Or((ast.Identifier("x"),) * 2)


def test_a_node_is_rebuilt_of_its_changed_parts_and_else_the_same() -> None:
    column, one = ir.Column(("a",), BIGINT), ir.Constant(1, BIGINT)
    node = ir.And((ir.Compare(Comparison.EQ, column, one), ir.AnyRow(ir.IsNull(column), ((one,),), column)))
    assert traversal.rebuild(node, lambda part: part, lambda part: part) is node
    assert ir.replace_columns(node, lambda _: one) == ir.And(
        (ir.Compare(Comparison.EQ, one, one), ir.AnyRow(ir.IsNull(one), ((one,),), one))
    )
    shown = ir.Compare(Comparison.EQ, ir.When(ir.IsNull(ir.RowParameter(0, BIGINT)), column), one)
    assert traversal.substitute_parameters(shown, {0: column}).left.condition == ir.IsNull(column)
