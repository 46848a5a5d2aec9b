"""The optimizer is complete: after it, no law changes any subexpression."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark_ext.strategies import HEADERS, NAMES, selectors
from transpiler import TranspilerError, print_selector
from transpiler.base.source import Source
from transpiler.compiler import ir
from transpiler.compiler.lowering.selectors import SelectorLowering
from transpiler.compiler.presets import find_layout
from transpiler.compiler.rewrites.optimizer import LAWS, optimize
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import find_dialect


def unfinished(predicate: ir.Predicate) -> list[tuple[str, object]]:
    """Return each law that would still change a subexpression, with that subexpression."""
    nodes = [node for node in ir.descendants(predicate) if isinstance(node, get_args(ir.Predicate))]
    return [(law.__name__, node) for node in nodes for law in LAWS.get(type(node), ()) if law(node) != node]


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
