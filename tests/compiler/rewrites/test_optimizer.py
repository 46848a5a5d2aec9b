"""The optimizer's short cuts leave nothing undone: at the end no law has anything to say about any part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark_ext.strategies import HEADERS, NAMES, selectors
from transpiler import TranspilerError, print_selector
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import BIGINT, BOOLEAN, DOUBLE, STRING, TIMESTAMP, ColumnType, Key
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import find_layout
from transpiler.compiler.rewrites.optimizer import LAWS, is_settled, optimize
from transpiler.language.selector.ast import Comparison, Expression
from transpiler.language.selector.dialects import find_dialect
from transpiler.language.selector.pattern import Wildcard

PATTERNS = ((), ("a",), (Wildcard.ANY,), (Wildcard.ONE,), ("a", Wildcard.ANY), (Wildcard.ANY, "a", Wildcard.ONE))
CONSTANTS = (
    ir.constant(5),
    ir.constant(2.5),
    ir.constant("a"),
    ir.constant(True),
    ir.Constant(5, ColumnType(kind=STRING.kind)),
)


def column_tests() -> Iterator[ir.Predicate]:
    for kind, path in product((BIGINT, DOUBLE, STRING, BOOLEAN, TIMESTAMP), (("a",), ("m", Key("a"), "long"))):
        column = ir.Column(path, kind)
        yield from (ir.Compare(operator, column, right) for operator, right in product(Comparison, CONSTANTS))
        yield from (ir.Compare(operator, column, ir.Column(("b",), kind)) for operator in Comparison)
        for negated in (False, True):
            yield from (ir.Like(column, pattern, negated) for pattern in PATTERNS)
            yield from (ir.IsNull(column, negated), ir.IsTrue(column, negated), ir.IsNan(column, negated))
            yield from (
                ir.In(column, members, negated) for members in (CONSTANTS[:1], CONSTANTS[:3], CONSTANTS[:1] * 2)
            )


def unfinished(predicate: ir.Predicate) -> list[tuple[str, object]]:
    """The laws that would change a part, and that part."""
    nodes = [node for node in ir.descendants(predicate) if isinstance(node, get_args(ir.Predicate))]
    return [(law.__name__, node) for node in nodes for law in LAWS if law(node) != node]


def test_what_passes_for_settled_is() -> None:
    settled = [node for node in column_tests() if is_settled(node)]
    assert {type(node) for node in settled} == {ir.Compare, ir.Like, ir.IsNull, ir.IsNan, ir.IsTrue}
    assert [(law.__name__, node) for node in settled for law in LAWS if law(node) != node] == []


@pytest.mark.parametrize("dialect", ["jms", "activemq", "qpid-cpp", "rabbitmq"])
@given(data=st.data())
def test_nothing_is_left_for_any_rule(dialect: str, data: st.DataObject) -> None:
    tree: Expression = data.draw(selectors(NAMES + HEADERS))
    lowering = SelectorLowering(find_layout("amqp"), "error", Source(print_selector(tree)), find_dialect(dialect))
    try:
        lowered = lowering.selector(tree)
    except TranspilerError:
        return
    assert unfinished(optimize(lowered)) == []
    assert unfinished(optimize(ir.NotTrue(lowered))) == []
