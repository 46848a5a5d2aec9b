"""A comparison of a value with itself is decided by a rewrite law, with its own tests."""

import runpy

from transpiler import transpile_selector

COLUMNS = "a INT, b INT"

assert transpile_selector("a = a", COLUMNS).sql == "(a IS NOT NULL)"
assert transpile_selector("a < a OR b = 2", COLUMNS).sql == "(b = 2)"
assert transpile_selector("NOT (a <> a)", COLUMNS).sql == "(a IS NOT NULL)"
assert transpile_selector("a = b", COLUMNS).sql == "(a = b)"

fixtures = runpy.run_path("tests/compiler/rewrites/test_compare_itself.py")
law = fixtures["compare_itself"]
assert all(law(before) == after for before, after in fixtures["REWRITTEN"].values())
assert all(law(node) is node for node in fixtures["KEPT"].values())
