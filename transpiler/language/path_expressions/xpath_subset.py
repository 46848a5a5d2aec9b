"""The part of XPath that is evaluated here, and what of an expression is outside of it.

Taken are the axes child, attribute, parent, self and descendant-or-self by their signs, and the first two by name; the
node tests of names, ``*``, ``text()`` and ``node()``; and the functions of ``FUNCTIONS``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from transpiler.language.path_expressions import xpath_nodes as nodes
from transpiler.language.path_expressions.xpath import NoXPathError, parse_xpath

#: The least and the greatest number of arguments of each function.
FUNCTIONS = {
    "not": (1, 1),
    "true": (0, 0),
    "false": (0, 0),
    "boolean": (1, 1),
    "string": (0, 1),
    "number": (0, 1),
    "sum": (1, 1),
    "count": (1, 1),
    "contains": (2, 2),
    "starts-with": (2, 2),
    "concat": (2, 100),
    "string-length": (0, 1),
    "normalize-space": (0, 1),
    "position": (0, 0),
    "last": (0, 0),
    "name": (0, 1),
}

#: The other functions of the recommendation; a call of any other name is no XPath to a broker.
_OTHER_FUNCTIONS = frozenset(
    """id local-name namespace-uri substring-before substring-after substring translate lang floor ceiling
    round""".split()
)

_AXES, _BY_SIGN = ("child", "attribute"), ("self", "parent")
_TESTS = ("text()", "node()")


@lru_cache(maxsize=4096)
def outside(expression: str) -> str | None:
    """Return what of an XPath is not evaluated here; None where all is, and where a text is no XPath at all."""
    try:
        tree = parse_xpath(expression)
    except NoXPathError:
        return None
    return next(_outside(tree), None)


def _outside(node: nodes.Expression) -> Iterator[str]:
    waiting: list[nodes.Expression] = [node]
    while waiting:
        match waiting.pop():
            case nodes.Group(inner=inner) | nodes.Negation(operand=inner):
                waiting.append(inner)
            case nodes.Operation(first=first, rest=rest):
                waiting += (first, *(operand for _, operand in rest))
            case nodes.Union(parts=parts):
                waiting += parts
            case nodes.Filtered(primary=primary, predicates=predicates):
                waiting += (primary, *predicates)
            case nodes.Call(function=name, arguments=arguments):
                if name in _OTHER_FUNCTIONS:
                    yield f"the function {name}"
                waiting += arguments
            case nodes.Variable(name=name):
                # An engine that evaluates it fails, or refuses the whole expression: only the broker's own engine shows
                # which.
                yield f"the variable ${name}"
            case nodes.Path(start=start, steps=steps):
                if not isinstance(start, nodes.Start):
                    waiting.append(start)
                for step in steps:
                    yield from _outside_step(step)
                    waiting += step.predicates


def _outside_step(step: nodes.Step) -> Iterator[str]:
    if step.axis not in _AXES and not (step.axis in _BY_SIGN and step.test == "node()"):
        yield f"the axis {step.axis}"
    elif step.test.endswith(")") and step.test not in _TESTS:
        yield f"the node test {step.test}"
