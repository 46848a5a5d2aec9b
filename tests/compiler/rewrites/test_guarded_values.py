"""A value whose guard becomes TRUE is optimized at once, so that a second optimization changes nothing."""

from __future__ import annotations

from tests.compiler.rewrites.nodes import N, compare
from transpiler.compiler import ir
from transpiler.compiler.rewrites.optimizer import optimize


def test_what_a_guard_uncovers_is_settled() -> None:
    hidden = ir.When(ir.Compare(compare(N, "<", 5).operator, ir.constant(5), N), N)
    settled = optimize(compare(ir.When(ir.TRUE, hidden), "=", 5))
    assert settled == optimize(settled)
    assert settled == compare(ir.When(compare(N, ">", 5), N), "=", 5)
