"""A selector that ends with OFFSET, as a paged query does, gets an error that selectors have no OFFSET."""

from transpiler import TranspilerError, transpile_selector

try:
    transpile_selector("color = 'red' OFFSET 5")
except TranspilerError as error:
    [finding] = error.diagnostics

assert finding.message == "a selector has no OFFSET"
assert finding.hint == "a selector is the condition alone"
assert finding.code == "syntax.unexpected-token"
