"""The pass that finds long disjunctions and conjunctions and rewrites them as lists with ``constant_tables``."""

from __future__ import annotations

from operator import is_

from transpiler.compiler import ir
from transpiler.compiler.spark_plan import tuning


def tabulate_disjunctions(node: ir.Predicate) -> ir.Predicate:
    """Rewrite long ORs of similar tests in ``node`` as lists of constants; the result holds in the same rows."""
    match node:
        case ir.And(terms=terms) | ir.Or(terms=terms):
            listed = tuple(map(tabulate_disjunctions, terms))
            if len(terms) >= tuning.MIN_TERMS:
                # Imported in the function to save start-up time: few selectors have so many terms.
                from transpiler.compiler.spark_plan.constant_tables import rows_together, texts_together

                listed = texts_together(listed, negated=isinstance(node, ir.And))
                listed = rows_together(listed) if isinstance(node, ir.Or) else _none_of(listed)
            if len(listed) == 1:
                return listed[0]
            return node if all(map(is_, listed, terms)) and len(listed) == len(terms) else type(node)(listed)
        case ir.Coalesce(tests=tests):
            listed = tuple(map(tabulate_disjunctions, tests))
            if all(map(is_, listed, tests)):
                return node
            from transpiler.compiler.spark_plan.constant_tables import with_lists

            return with_lists(node, listed) or node
        case ir.NotTrue():
            return ir.rebuild(node, tabulate_disjunctions)
        case _:
            return node


def _none_of(terms: tuple[ir.Predicate, ...]) -> tuple[ir.Predicate, ...]:
    """Replace ``a IS NOT TRUE`` and ``b IS NOT TRUE`` in ``terms`` by ``(a OR b) IS NOT TRUE``, if there are many.

    ``terms`` are the terms of an AND. The new OR can then become a list of constants.
    """
    complemented = tuple(term.predicate for term in terms if isinstance(term, ir.NotTrue))
    if len(complemented) < tuning.MIN_TERMS:
        return terms
    none = ir.NotTrue(tabulate_disjunctions(ir.Or(complemented)))
    return tuple(dict.fromkeys(none if isinstance(term, ir.NotTrue) else term for term in terms))
