"""Absorption is a law of the rewriting, with fixtures of its own."""

import runpy

from transpiler import transpile_selector

COLUMNS = "a INT, b INT"

assert transpile_selector("a = 1 OR (a = 1 AND b = 2)", COLUMNS).sql == "(a = 1)"
assert transpile_selector("a = 1 AND (b = 2 OR a = 1)", COLUMNS).sql == "(a = 1)"
assert transpile_selector("NOT (a = 1 OR (a = 1 AND b = 2))", COLUMNS).sql == "(a <> 1)"
assert transpile_selector("(a = 1 AND b = 2) OR b = 3", COLUMNS).sql == "(a = 1 AND b = 2 OR b = 3)"

fixtures = runpy.run_path("tests/compiler/rewrites/test_absorb_terms.py")
law = fixtures["absorb_terms"]
assert all(law(before) == after for before, after in fixtures["REWRITTEN"].values())
assert all(law(node) is node for node in fixtures["KEPT"].values())
