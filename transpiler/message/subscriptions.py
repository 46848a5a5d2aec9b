"""The identity of a subscription, from what a consumer's link says about it.

Source: the JMS mapping, working draft 10, sections 7 and 8. Links with the same identity consume from one
subscription, so that deliveries can be grouped by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from transpiler.errors import DecodeError

#: What separates the name of a subscription from what tells its links apart: 8.1.
SEPARATOR = "|"
#: The capabilities of the source: 8.1.
SHARED, GLOBAL = "shared", "global"

#: The suffixes that JMS clients give to their links: the tables of 8.6 and 8.7.
_SUFFIX = re.compile(r"(?P<scope>global)?-?(?P<volatile>volatile)?[0-9]*")


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription: equal for all links that consume from it.

    ``scope`` is the client id whose subscription it is, or None for a global one. ``durable`` says whether it outlives
    its consumers, ``shared`` whether it may have several.
    """

    name: str
    scope: str | None
    durable: bool
    shared: bool


def subscription_of(
    link_name: str,
    client_id: str | None = None,
    capabilities: Iterable[str] = (),
    *,
    durable: bool | None = None,
) -> Subscription:
    """The subscription that a link refers to.

    ``capabilities`` are those of the link's source; ``durable`` is whether its terminus is durable and never expires.
    Where ``durable`` is not given, the link's name tells, as JMS clients form it: a suffix with ``volatile`` is not
    durable, any other shared link is; a link that is not shared is durable where it has a client id.
    ``DecodeError`` for a link that no client of the mapping attaches.
    """
    name, separator, suffix = link_name.partition(SEPARATOR)
    found = frozenset(capabilities)
    shared, is_global = SHARED in found, GLOBAL in found
    if not name:
        _refuse(
            "subscription.name", f"the link name {link_name!r} names no subscription", "the name stands before the |"
        )
    if is_global and not shared:
        _refuse(
            "subscription.global",
            f"the link {link_name!r} is global and not shared",
            "a global subscription is a shared one: the source has both capabilities",
        )
    if not shared:
        return _exclusive(link_name, name, client_id, durable)
    if is_global and client_id is not None:
        _refuse(
            "subscription.scope",
            f"the link {link_name!r} is global, and its connection has the client id {client_id!r}",
            "subscriptions of a client id are scoped to it; give no client id for a connection without one",
        )
    if not is_global and client_id is None:
        _refuse(
            "subscription.scope",
            f"the link {link_name!r} is scoped to its container, and no client id is given",
            "give the client id, or the capability global",
        )
    conventional = _SUFFIX.fullmatch(suffix) if separator else None
    if conventional is not None and bool(conventional["scope"]) and not is_global:
        _refuse(
            "subscription.scope",
            f"the link {link_name!r} calls itself global, and its source does not have that capability",
            "a global subscription has the capability global",
        )
    if durable is None:
        durable = not (conventional is not None and conventional["volatile"])
    return Subscription(name, None if is_global else client_id, durable, shared=True)


def _exclusive(link_name: str, name: str, client_id: str | None, durable: bool | None) -> Subscription:
    """A subscription of one link: a durable one belongs to a client id, any other one is the link itself."""
    if durable is None:
        durable = client_id is not None
    if durable and client_id is None:
        _refuse(
            "subscription.client-id",
            f"the link {link_name!r} is a durable subscription that is not shared, and has no client id",
            "such a subscription must have one: 8.3",
        )
    return Subscription(name if durable else link_name, client_id, durable, shared=False)


def _refuse(code: str, message: str, hint: str) -> NoReturn:
    raise DecodeError.at(code, message, hint=hint)
