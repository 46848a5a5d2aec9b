"""The warnings of ``check`` on the way of a compilation: in Python, in Spark and in the commands.

``transpile_selector`` is the compiler's, and looks for them when its diagnostics are read. What takes a proof over
several conditions costs more than a compilation: there it is left out, and commands have it, which start once.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.compiler import pipeline
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.lowering.names.names import Missing
from transpiler.compiler.pipeline import Result
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.compiler.transpiled import Transpiled
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect


def transpile_selector(
    text: str,
    layout: LayoutLike = "amqp",
    *,
    dialect: str | Dialect = "jms",
    result: Result = "filter",
    missing: Missing = "error",
    now: int | None = None,
    destination: str | None = None,
    alias: str | None = None,
    lint: bool = True,
) -> Transpiled:
    """Compile a selector to Spark SQL over a layout.

    ``filter`` is TRUE where the selector is TRUE, and FALSE or NULL elsewhere; ``boolean`` is never NULL; ``ternary``
    has NULL for unknown. ``missing`` says what a name without a column means. ``now`` is the time of UTC() and of
    JMSExpiration, in milliseconds since the epoch; without it, the time of the query or micro-batch. ``destination`` is
    the address that the consumer was created with, and JMSDestination where a message has no ``to``. ``alias`` is the
    name of the table in a query over several, where a column's name alone may be ambiguous. With ``lint``, the
    diagnostics have what ``check`` warns of, which is looked for when they are read. Raises what ``parse_selector``
    raises, and ``LayoutError``.
    """
    # A schema is read once.
    where = find_layout(layout)
    compiled = pipeline.transpile_selector(
        text, where, dialect=dialect, result=result, missing=missing, now=now, destination=destination, alias=alias
    )
    tree = compiled.tree
    if not lint or tree is None:
        return compiled
    rules, found = find_dialect(dialect), compiled.diagnostics
    return replace(compiled, advise=lambda: _with_rules(tree, text, where, rules, found))


def all_warnings(compiled: Transpiled, text: str, layout: LayoutLike, dialect: str | Dialect) -> tuple[Diagnostic, ...]:
    """Return the warnings of a compilation that ``check`` has, those that take a proof among them."""
    if compiled.tree is None:
        return compiled.diagnostics
    return _with_rules(compiled.tree, text, find_layout(layout), find_dialect(dialect), compiled.found, proofs=True)


def _with_rules(
    tree: ast.Expression,
    text: str,
    layout: Layout,
    dialect: Dialect,
    compiled: tuple[Diagnostic, ...],
    *,
    proofs: bool = False,
) -> tuple[Diagnostic, ...]:
    """Return the compiler's warnings about a tree and those of the rules."""
    # The rules bring the evaluator and the analysis along.
    from transpiler.tools.lint.registry import lint, without_lesser

    doubts = lint(tree, Source(text), dialect, known=layout.names(), proofs=proofs)
    found = [one for one in doubts if one.severity != "info"]
    return tuple(without_lesser(found, compiled)) if found else compiled


def warnings_of(text: str, dialect: str, layout: LayoutLike | None = None) -> tuple[Diagnostic, ...]:
    """Return what ``check`` warns of in a legal selector; nothing for one that a dialect refuses."""
    from transpiler.tools.lint.check import Checker

    try:
        checked = Checker(layout, "null").check(text, (find_dialect(dialect),))
    except TranspilerError:
        return ()
    return tuple(one.diagnostic for one in checked.findings if one.diagnostic.severity == "warning")
