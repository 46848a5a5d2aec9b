"""LIKE with two texts between wildcards searches for the first text before it matches a regular expression."""

from transpiler import transpile_selector

sql = transpile_selector("color LIKE '%red%blue%'", "color STRING").sql
assert sql.startswith("(contains(color, 'red') AND rlike(color, ")
negated = transpile_selector("color NOT LIKE '%red%blue%'", "color STRING").sql
assert negated == f"(NOT {sql})"
assert transpile_selector("color LIKE '%red%'", "color STRING").sql == "contains(color, 'red')"
