"""The number of operators and groups of an XPath expression, by the count of the Java library that Spark asks.

JDK's ``jdk.xml.xpathExprOpLimit`` and ``jdk.xml.xpathExprGrpLimit`` refuse an expression when a row is evaluated, so it
has to be refused before. What the library counts was found by asking it: every operator, and also each slash, star,
axis, predicate, dot and function; parentheses are groups except after a function's name.
"""

from __future__ import annotations

import re

#: The limits of the JDK, from 8u331, 11.0.15 and 17.0.3 on.
MAX_OPERATORS, MAX_GROUPS = 100, 10

_TOKENS = re.compile(
    r"""'[^']*'|"[^"]*"
    |(?P<number>\d+(?:\.\d*)?|\.\d+)
    |(?P<name>[^\W\d][\w.\-]*)(?P<call>\s*\()?
    |(?P<operator>//|::|\.\.|!=|<=|>=|[/*@\[.+\-=|!<>$])
    |(?P<group>\()""",
    re.VERBOSE,
)

_WORDS = ("or", "and", "div", "mod")


def count_xpath(expression: str) -> tuple[int, int]:
    """The operators and the groups of an expression."""
    operators = groups = 0
    for match in _TOKENS.finditer(expression):
        if match["operator"]:
            operators += 1
        elif match["group"]:
            groups += 1
        elif match["name"] in _WORDS:
            # Before a parenthesis the word is taken for a function as well.
            operators += 1 + (match["call"] is not None)
            groups += match["call"] is not None
        elif match["call"]:
            operators += 1
    return operators, groups


def beyond_limits(expression: str) -> str | None:
    """Describe what is too much in an expression; None where Java accepts it."""
    operators, groups = count_xpath(expression)
    if operators > MAX_OPERATORS:
        return f"{operators} operators and steps, and Java's XPath takes {MAX_OPERATORS}"
    if groups > MAX_GROUPS:
        return f"{groups} pairs of parentheses, and Java's XPath takes {MAX_GROUPS}"
    return None
