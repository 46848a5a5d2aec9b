"""Split long predicates into blocks: Spark compiles each block to a method that is short enough for HotSpot's compiler.

The SQL contains each block twice, so nested blocks would double the SQL at every level. A deep predicate is therefore
split by Shannon expansion around a subexpression ``core``: ``f(core)`` equals ``f(FALSE) OR f(TRUE) AND core`` if ``f``
consists of AND and OR. ``f(FALSE)`` and ``f(TRUE)`` are blocks without nested blocks, and only the core is split
further.
"""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.compiler.ir.column_types import Key
from transpiler.compiler.spark_plan import tuning
from transpiler.compiler.spark_plan.guarded_conversions import guard_conversions


def split_methods(node: ir.Predicate) -> ir.Predicate:
    """Split ``node`` into blocks, which Spark compiles to separate Java methods, if one method would be too long.

    The result holds in the same rows. A predicate that contains one very long test is not split, because the method of
    that test would remain too long. Nor is a predicate split if its SQL would grow too much, or if it contains
    conversions behind a test of their type: Spark evaluates a block in advance, and so before that test.
    """
    splitter = _Splitter()
    if splitter.weight(node) <= tuning.METHOD_BYTES or splitter.has_long_test(node):
        return node
    if guard_conversions(node, is_part=True) is not node:
        return node
    divided = splitter.cut(node)[0]
    sizes = ir.Sizes()
    return divided if sizes.of(divided) <= tuning.MAX_GROWTH * sizes.of(node) else node


class _Splitter:
    """The splitting of one predicate into blocks (separate Java methods), with a cache of estimated code sizes."""

    def __init__(self) -> None:
        #: Each node and its weight, by the ``id`` of the node. The node is kept so that no other node gets this ``id``.
        self.weights: dict[int, tuple[ir.Node, int]] = {}

    def weight(self, node: ir.Node) -> int:
        """Return the estimated size of the code for ``node`` in one method, in bytes of bytecode."""
        match node:
            case ir.Constant() | ir.BoolConst():
                return tuning.CONSTANT_BYTES
            case ir.Column(path=path):
                return tuning.NODE_BYTES + tuning.LOOKUP_BYTES * sum([isinstance(step, Key) for step in path])
        known = self.weights.get(id(node))
        if known is None:
            weight = tuning.NODE_BYTES + sum(map(self.weight, ir.children(node)))
            known = self.weights[id(node)] = (node, weight)
        return known[1]

    def has_long_test(self, node: ir.Predicate) -> bool:
        """Return True if a single test in ``node`` is so long that a separate method is not worthwhile."""
        if self.weight(node) <= tuning.LONG_TEST_BYTES:
            return False
        match node:
            case ir.And(terms=parts) | ir.Or(terms=parts):
                return any(map(self.has_long_test, parts))
            case ir.Coalesce(tests=tests, otherwise=otherwise):
                return any(map(self.has_long_test, (*tests, otherwise)))
            case ir.NotTrue(predicate=inner):
                return self.has_long_test(inner)
            case _:
                return True

    def cut(self, node: ir.Predicate) -> tuple[ir.Predicate, int]:
        """Return ``node`` split into blocks, and the size in bytes of the code that remains in the calling method."""
        weight = self.weight(node)
        if weight <= tuning.METHOD_BYTES:
            return node, weight
        match node:
            case ir.NotTrue(predicate=inner):
                inside, weight = self.cut(inner)
                return ir.NotTrue(inside), weight + tuning.NODE_BYTES
            case ir.Coalesce(disjoint=True):
                return self.cut(_plain(node))
            case ir.Coalesce(tests=tests, otherwise=otherwise):
                blocks = [self.small(test) for test in tests]
                result = ir.Coalesce(tuple(test for test, _ in blocks), otherwise)
                return result, sum(weight for _, weight in blocks) + self.weight(otherwise) + tuning.NODE_BYTES
            case ir.And() | ir.Or():
                core = self.core(node)
                return self.level(node) if core is node else self.around(node, core)
            case _:
                return node, weight

    def core(self, node: ir.Chain) -> ir.And | ir.Or:
        """Return the smallest AND or OR inside ``node`` without which the rest of ``node`` fits into one method.

        The result is ``node`` itself if its largest term is too small for that.
        """
        core = node
        while True:
            heaviest = max(core.terms, key=self.weight)
            if not isinstance(heaviest, ir.Chain) or self.weight(node) - self.weight(heaviest) > tuning.METHOD_BYTES:
                return core
            core = heaviest

    def around(self, node: ir.Predicate, core: ir.Predicate) -> tuple[ir.Predicate, int]:
        """Return the Shannon expansion of ``node`` around the subexpression ``core``, and its code size in bytes.

        If f(x) is ``node`` with x in place of ``core``, the expansion is f(FALSE) OR (f(TRUE) AND core). Each of the
        three parts that is long becomes a separate method.
        """
        inside, weight = self.small(core) if self.weight(core) <= tuning.METHOD_BYTES else self.cut(core)
        without, within = self.small(_replaced(node, core, ir.FALSE)), self.small(_replaced(node, core, ir.TRUE))
        whole = ir.any_of(without[0], ir.all_of(within[0], inside))
        weight += without[1] + within[1] + 2 * tuning.NODE_BYTES
        return (whole, weight) if weight <= tuning.METHOD_BYTES else (ir.SeparateMethod(whole), tuning.CALL_BYTES)

    def level(self, node: ir.Chain) -> tuple[ir.Predicate, int]:
        """Split the terms of ``node`` and group them into blocks; also return the code size of the result in bytes."""
        kind = type(node)
        terms = [self.cut(term) for term in node.terms]
        while sum(weight for _, weight in terms) > tuning.METHOD_BYTES:
            groups: list[list[tuple[ir.Predicate, int]]] = [[]]
            for term, weight in terms:
                if sum(other for _, other in groups[-1]) + weight > tuning.METHOD_BYTES and groups[-1]:
                    groups.append([])
                groups[-1].append((term, weight))
            terms = [(_block(kind, [term for term, _ in group]), tuning.CALL_BYTES) for group in groups]
        return kind(tuple(term for term, _ in terms)), sum(weight for _, weight in terms)

    def small(self, node: ir.Predicate) -> tuple[ir.Predicate, int]:
        """Return ``node`` as a block, or unchanged if it is short, and the size of its code in the calling method."""
        weight = self.weight(node)
        return (node, weight) if weight <= tuning.INLINE_BYTES else (ir.SeparateMethod(node), tuning.CALL_BYTES)


def _block(kind: type[ir.And | ir.Or], terms: list[ir.Predicate]) -> ir.SeparateMethod:
    return ir.SeparateMethod(terms[0] if len(terms) == 1 else kind(tuple(terms)))


def _plain(node: ir.Coalesce) -> ir.Predicate:
    """Rewrite a ``Coalesce`` of tests that exclude each other as AND and OR of these tests, which can be split."""
    if node.otherwise == ir.FALSE:
        return ir.Or(node.tests)
    failed = [ir.sql_not(test) for test in node.tests]
    assert None not in failed, "a test beside something else has an opposite"
    return ir.all_of(node.otherwise, *(ir.NotTrue(test) for test in failed if test is not None))


def _replaced(node: ir.Predicate, part: ir.Predicate, truth: ir.BoolConst) -> ir.Predicate:
    """Return ``node`` with the subexpression ``part`` replaced by ``truth``."""
    match node:
        case _ if node is part:
            return truth
        case ir.And(terms=terms):
            return ir.all_of(*(_replaced(term, part, truth) for term in terms))
        case ir.Or(terms=terms):
            return ir.any_of(*(_replaced(term, part, truth) for term in terms))
        case _:
            return node
