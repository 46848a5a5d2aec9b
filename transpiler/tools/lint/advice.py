"""The warnings of ``check`` as a part of a compilation: in Python, in Spark and in the commands.

A compiled selector computes them when its diagnostics are read. A proof over several conditions costs more than the
compilation, so it is skipped in Python and Spark, and made only by commands, which compile once.
"""

from __future__ import annotations

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Source
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.presets import LayoutLike, find_layout
from transpiler.compiler.transpiled import Transpiled
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect, find_dialect


def all_warnings(compiled: Transpiled, text: str, layout: LayoutLike, dialect: str | Dialect) -> tuple[Diagnostic, ...]:
    """Return the compiler's warnings and all findings of ``check`` about ``text``, including those of slow proofs."""
    if compiled.tree is None:
        return compiled.diagnostics
    where, rules = find_layout(layout), find_dialect(dialect)
    return with_rules(compiled.tree, Source(text), where, rules, compiled.found, proofs=True)


def with_rules(
    tree: ast.Expression,
    source: Source,
    layout: Layout,
    dialect: Dialect,
    compiled: tuple[Diagnostic, ...],
    *,
    proofs: bool = False,
) -> tuple[Diagnostic, ...]:
    """Return the warnings about ``tree``: the compiler's warnings, ``compiled``, and the warnings of the lint rules.

    With ``proofs``, the rules that have to prove something about all messages are included.
    """
    # Imported here, because the rules import the evaluator and the analysis, which most compilations do not need.
    from transpiler.tools.lint.registry import lint, without_lesser

    reported = lint(tree, source, dialect, known=layout.names(), proofs=proofs)
    found = [one for one in reported if one.severity != "info"]
    return tuple(without_lesser(found, compiled)) if found else compiled


def warnings_of(text: str, dialect: str, layout: LayoutLike | None = None) -> tuple[Diagnostic, ...]:
    """Return the warnings of ``check`` about the selector ``text``; nothing if ``dialect`` rejects it."""
    from transpiler.tools.lint.check import Checker

    try:
        checked = Checker(layout, "null").check(text, (find_dialect(dialect),))
    except TranspilerError:
        return ()
    return tuple(one.diagnostic for one in checked.findings if one.diagnostic.severity == "warning")
