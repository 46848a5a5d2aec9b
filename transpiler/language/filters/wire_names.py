"""JMS selectors as they are sent: header names translated to ``amqp.field_name``.

Source: apache-filters.xml, selector-filter: "When encoding the selector string on the wire, these JMS header names
should be translated". The newer document has no such sentence, and its selectors are sent as they are written.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.base.errors import SelectorSyntaxError, SelectorTypeError
from transpiler.language.conditions import Selector
from transpiler.language.filters.kinds import AndFilter, Consumer, Filter, JmsSelector, NotFilter, OrFilter
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.printer import print_tree
from transpiler.language.translation.header_names import translate_tree

#: The descriptor of the document that translates.
_TRANSLATED = "apache.org:selector-filter:string"


def on_wire(node: Filter, translate: bool | None, dialect: str | Dialect) -> Filter:
    """Translate a filter's JMS selectors to the wire's names; ``translate`` is ``wire_names`` of ``to_amqp``."""
    match node:
        case JmsSelector(descriptor=descriptor) if translate or (translate is None and descriptor == _TRANSLATED):
            return _translated(node, dialect)
        case OrFilter(filters=filters) | AndFilter(filters=filters):
            return replace(node, filters=tuple(on_wire(inner, translate, dialect) for inner in filters))
        case NotFilter(filter=inner):
            return replace(node, filter=on_wire(inner, translate, dialect))
        case _:
            return node


def _translated(node: JmsSelector, dialect: str | Dialect) -> JmsSelector:
    rules = find_dialect(dialect)
    try:
        condition = node.condition(Consumer(rules))
    except (SelectorSyntaxError, SelectorTypeError):
        return node
    if not isinstance(condition, Selector) or condition.tree is None:
        return node
    tree = condition.tree
    translated = translate_tree(tree, "amqp", condition.source)
    # A text without header names is sent letter by letter.
    return node if translated == tree else replace(node, text=print_tree(translated, rules))
