"""Names under which configuration files keep selectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Names without case and punctuation, and the dialect of what they hold where the name says it.
_NAMES: dict[str, str | None] = {
    "messageselector": None,
    "jmsselector": None,
    "jmsmessageselector": None,
    # An argument of Broker-J's and of Qpid C++'s bindings.
    "xfilterjmsselector": "qpid-java",
    "rjmsselector": "rabbitmq-jms",
    "xjmsselector": "rabbitmq-jms",
    "apacheorgselectorfilterstring": None,
    "amqpsqlfilter": "rabbitmq",
    "sqlfilter": "rabbitmq",
    # A queue's or a divert's property in Artemis.
    "filterstring": "artemis",
}
#: Below one of these the name ``selector`` is that of a JMS selector and not of a pod or an element.
_CONTEXT = re.compile(r"jms|activemq|artemis|amqp|qpid", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[^a-z0-9]")
#: A placeholder that another tool replaces: the text is no selector yet.
_PLACEHOLDER = re.compile(r"[$#]\{|\{\{|@[A-Za-z_.]+@")
#: A file without any of these words has no selector that is found by a name.
WORTH_READING = re.compile(r"selector|filter", re.IGNORECASE)


def dialect_of(path: Sequence[str]) -> tuple[bool, str | None]:
    """Return True if the names that lead to a text are those of a selector, and its dialect if they say it."""
    if not path:
        return False, None
    name = _PUNCTUATION.sub("", path[-1].lower())
    if name in _NAMES:
        return True, _NAMES[name]
    return name == "selector" and any(_CONTEXT.search(part) for part in path[:-1]), None


def is_complete(text: str) -> bool:
    """Return True if a text has no placeholder of another tool in it."""
    return bool(text.strip()) and not _PLACEHOLDER.search(text)
