"""The typed intermediate representation that selectors, filters and bindings are lowered to.

A *value* is an SQL expression with a type; it is NULL in some rows. A *predicate* says when something holds: it is TRUE
in the rows where it holds and FALSE or NULL in the others, and no caller may depend on which of the two. So there is no
NOT: the negation of a condition is lowered as a predicate of its own, and ``NotTrue`` is the one complement.

Users write ``from transpiler import ir`` and ``ir.Compare``, as ``ast.Compare`` is the surface tree's.

Invariants: nodes are frozen and hashable; the operands of a node have the types that Spark needs without a cast.
Deliberately not here: rules that rewrite (``rewrites``, ``spark_plan``), SQL text (``sql``), dialects and layouts.

In reading order: ``nodes``, ``functions``, ``traversal``, ``constant_folding``, ``java_regex``.
"""

from __future__ import annotations

from transpiler.ir.constant_folding import Number, calculate_constants, compare_constants, in_64_bits
from transpiler.ir.functions import Function
from transpiler.ir.nodes import (
    CLASSES,
    FALSE,
    TRUE,
    And,
    AnyRow,
    Apply,
    ArrayContains,
    BoolConst,
    Chain,
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
    Row,
    RowParameter,
    SeparateMethod,
    Test,
    Topic,
    Value,
    When,
    XPath,
    XPathChain,
    XPathTest,
    all_of,
    any_of,
    constant,
    type_class,
)
from transpiler.ir.traversal import (
    Node,
    Sizes,
    children,
    column_paths,
    constants_in,
    descendants,
    rebuild,
    replace_columns,
    replace_columns_in,
    size,
    sql_not,
    substitute_parameters,
    without_conversions,
)

__all__ = [
    "CLASSES",
    "FALSE",
    "TRUE",
    "And",
    "AnyRow",
    "Apply",
    "ArrayContains",
    "BoolConst",
    "Chain",
    "Coalesce",
    "Column",
    "Compare",
    "Constant",
    "Function",
    "In",
    "IsNan",
    "IsNull",
    "IsTrue",
    "Like",
    "Matches",
    "Node",
    "NotTrue",
    "Number",
    "Or",
    "Predicate",
    "Row",
    "RowParameter",
    "SeparateMethod",
    "Sizes",
    "Test",
    "Topic",
    "Value",
    "When",
    "XPath",
    "XPathChain",
    "XPathTest",
    "all_of",
    "any_of",
    "calculate_constants",
    "children",
    "column_paths",
    "compare_constants",
    "constant",
    "constants_in",
    "descendants",
    "in_64_bits",
    "rebuild",
    "replace_columns",
    "replace_columns_in",
    "size",
    "sql_not",
    "substitute_parameters",
    "type_class",
    "without_conversions",
]
