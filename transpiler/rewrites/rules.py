"""The table of the rules, in the order in which they are applied to a node.

Rules that make a test of a column simpler come before those that compare the terms of a chain, which then see each
test in one form.
"""

from __future__ import annotations

from transpiler.rewrites.cancel_complements import cancel_complements
from transpiler.rewrites.combine_in_lists import combine_in_lists
from transpiler.rewrites.excluded_middle import excluded_middle
from transpiler.rewrites.flatten_chains import flatten_chains
from transpiler.rewrites.fold_constants import fold_constants
from transpiler.rewrites.invert_text import invert_text
from transpiler.rewrites.law import Rule
from transpiler.rewrites.match_literal_pattern import match_literal_pattern
from transpiler.rewrites.orient_comparison import orient_comparison
from transpiler.rewrites.redundant_null_checks import remove_redundant_null_checks
from transpiler.rewrites.solve_timestamp import solve_timestamp
from transpiler.rewrites.substitute_constant import substitute_constant
from transpiler.rewrites.unwrap_boolean import unwrap_boolean
from transpiler.rewrites.unwrap_casts import unwrap_casts

RULES: tuple[Rule, ...] = (
    orient_comparison,
    fold_constants,
    unwrap_boolean,
    match_literal_pattern,
    solve_timestamp,
    unwrap_casts,
    invert_text,
    flatten_chains,
    combine_in_lists,
    substitute_constant,
    remove_redundant_null_checks,
    excluded_middle,
    cancel_complements,
)
