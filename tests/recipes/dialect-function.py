"""CONTAINS is a condition in ActiveMQ's dialect that is FALSE for a value that is not text."""

from transpiler import TranspilerError, evaluate, transpile_selector

SELECTOR = "CONTAINS(color, 'ee') AND size > 1"

sql = transpile_selector(SELECTOR, "color STRING, size INT", dialect="activemq").sql
assert sql == "(contains(color, 'ee') AND size > 1)"
assert evaluate(SELECTOR, {"color": "green", "size": 2}, "activemq") is True
assert evaluate("CONTAINS(color, 'ee')", {"color": "red"}, "activemq") is False
assert evaluate("NOT (CONTAINS(color, 'ee'))", {}, "activemq") is True
assert evaluate("NOT (CONTAINS(color, 'ee'))", {"color": 5}, "activemq") is True

try:
    transpile_selector("CONTAINS(color)", dialect="activemq")
except TranspilerError as error:
    message = str(error)
assert "CONTAINS takes 2 arguments, not 1" in message
