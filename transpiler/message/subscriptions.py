"""The identity of a subscription, from the attributes of a consumer's link.

Source: the JMS mapping, working draft 10, sections 7 and 8. Links with the same identity consume from one
subscription, so that deliveries can be grouped by it. ``check_links`` simulates the links of a server in the order in
which they are attached, and reports the links that the server must refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import DecodeError

#: The separator between a subscription's name and the suffix that distinguishes its links (JMS mapping 8.1).
SEPARATOR = "|"
#: Capabilities of a link's source: ``SHARED`` makes the subscription shared, ``GLOBAL`` makes it global (JMS mapping
#: 8.1).
SHARED, GLOBAL = "shared", "global"

#: Pattern of the suffixes that JMS clients append to link names (JMS mapping, tables of 8.6 and 8.7).
_SUFFIX = re.compile(r"(?P<scope>global)?-?(?P<volatile>volatile)?[0-9]*")


@dataclass(frozen=True, slots=True)
class Subscription:
    """The identity of a subscription: all links with an equal identity consume from the same subscription.

    ``scope`` is the client id of its owner, or None for a global subscription. ``durable`` is True if the subscription
    outlives its consumers, ``shared`` if it may have several consumers.
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
    """Return the subscription from which a link consumes.

    Args:
        link_name: The name that the client chose for the link.
        client_id: The connection's container id; None for a client without one.
        capabilities: The capabilities of the link's source.
        durable: Whether the link's terminus is durable and never expires. If None, the link's name decides, under the
            conventions of JMS clients: a shared link is durable unless its suffix contains ``volatile``; a link that is
            not shared is durable if it has a client id.

    Raises:
        DecodeError: No client that follows the mapping attaches a link with these attributes.
    """
    name, separator, suffix = link_name.partition(SEPARATOR)
    declared = frozenset(capabilities)
    shared, is_global = SHARED in declared, GLOBAL in declared
    if not name:
        raise DecodeError.at(
            "subscription.name",
            f"the link name {link_name!r} does not contain the name of a subscription",
            hint="the link name must begin with the name of the subscription, before the character |",
        )
    if is_global and not shared:
        raise DecodeError.at(
            "subscription.global",
            f"the link {link_name!r} has the capability global, but lacks the capability shared",
            hint="a global subscription is always shared, so the source of the link needs both capabilities",
        )
    if not shared:
        return _exclusive(link_name, name, client_id, durable)
    if is_global and client_id is not None:
        raise DecodeError.at(
            "subscription.scope",
            f"the link {link_name!r} is for a global subscription (one without a client id), but its connection has "
            f"the client id {client_id!r}",
            hint="if a connection has a client id, its subscriptions belong to that client and cannot be global; "
            "perhaps omit the client id",
        )
    if not is_global and client_id is None:
        raise DecodeError.at(
            "subscription.scope",
            f"the link {link_name!r} is not for a global subscription, so its connection must have a client id, but "
            "no client id is given",
            hint="perhaps pass the client id, or add the capability global to the source of the link",
        )
    conventional = _SUFFIX.fullmatch(suffix) if separator else None
    if conventional is not None and bool(conventional["scope"]) and not is_global:
        raise DecodeError.at(
            "subscription.scope",
            f"the suffix of the link name {link_name!r} is for a global subscription, but the source of the link lacks "
            "the capability global",
            hint="perhaps add the capability global to the source of the link",
        )
    if durable is None:
        durable = not (conventional is not None and conventional["volatile"])
    return Subscription(name, None if is_global else client_id, durable, shared=True)


def _exclusive(link_name: str, name: str, client_id: str | None, durable: bool | None) -> Subscription:
    """Return the subscription of a link without the capability ``shared``.

    ``name`` is the link's name without its suffix, which identifies a durable subscription of the client. For any other
    subscription the whole ``link_name`` does.
    """
    if durable is None:
        durable = client_id is not None
    if durable and client_id is None:
        raise DecodeError.at(
            "subscription.client-id",
            f"the link {link_name!r} creates an unshared durable subscription, but its connection has no client id",
            hint="an unshared durable subscription must have a client id (AMQP JMS mapping, section 8.3)",
        )
    return Subscription(name if durable else link_name, client_id, durable, shared=False)


@dataclass(frozen=True, slots=True)
class ConsumerLink:
    """A receiving link, with the attributes that its client sends.

    ``address`` is the topic; None if the client looks up an existing subscription (null source). ``selector`` and
    ``no_local`` are the link's filters. ``capabilities`` and ``durable`` are arguments of ``subscription_of``.
    ``connection`` names the connection; None if it is unknown.

    If ``active`` is False, the link was detached, and only a durable subscription remains. If ``ends`` is True, the
    link was closed, which ends the subscription.
    """

    name: str
    client_id: str | None = None
    capabilities: tuple[str, ...] = ()
    address: str | None = None
    selector: str | None = None
    no_local: bool = False
    durable: bool | None = None
    connection: str | None = None
    active: bool = True
    ends: bool = False


def check_links(links: Iterable[ConsumerLink]) -> tuple[Diagnostic, ...]:
    """Return the conflicts between links, under the JMS mapping, working draft 10, sections 2.1, 7 and 8.

    An error means that a server refuses the link; the following links are checked as if it did not exist. A warning
    means that the link replaces an existing subscription. Messages number the links from 1.

    Args:
        links: The links, in the order in which they are attached.
    """
    server = _Server()
    return tuple(finding for number, link in enumerate(links, 1) for finding in server.attach(number, link))


@dataclass(slots=True)
class _Held:
    """An existing subscription: the number of the link that created it, its topic and its filters.

    ``active`` contains the numbers of the links that consume from the subscription.
    """

    subscription: Subscription
    first: int
    address: str | None
    filters: tuple[str, bool]
    active: list[int] = field(default_factory=list)


class _Server:
    """A simulated server, with its subscriptions and attached links."""

    def __init__(self) -> None:
        self.links: dict[int, tuple[ConsumerLink, Subscription]] = {}
        self.held: dict[Subscription, _Held] = {}

    def attach(self, number: int, link: ConsumerLink) -> Iterator[Diagnostic]:
        """Attach ``link`` unless the server refuses it; yield the diagnostics.

        ``number`` is the number of ``link`` in messages.
        """
        try:
            subscription = subscription_of(link.name, link.client_id, link.capabilities, durable=link.durable)
        except DecodeError as error:
            for finding in error.diagnostics:
                yield replace(finding, message=f"link {number}: {finding.message}")
            return
        sibling = replace(subscription, shared=not subscription.shared)
        if (
            link.ends
            and link.address is None
            and subscription.durable
            and subscription not in self.held
            and sibling in self.held
        ):
            # JMS mapping 8.8: a link that only unsubscribes gives the name of the subscription without its
            # capabilities, so use the existing subscription of that name.
            subscription = sibling
        refusal = next(self._refusals(number, link, subscription), None)
        if refusal is not None:
            yield refusal
            return
        held = self.held.get(subscription)
        if held is not None and not held.active and self._changes(held, link):
            yield Diagnostic(
                "subscription.reinitialized",
                "warning",
                f"link {number} changes {_difference(held, link)} of {_called(subscription)}, "
                f"which link {held.first} created",
                hint="the subscription starts anew and loses its messages; perhaps choose another name to "
                "keep the old subscription",
            )
            held = None
        if held is None:
            held = self.held[subscription] = _Held(subscription, number, link.address, _filters(link))
        if link.ends:
            del self.held[subscription]
        elif link.active:
            held.active.append(number)
            self.links[number] = link, subscription
        elif not subscription.durable and not held.active:
            # JMS mapping 8.6: "the subscription is considered ended when the last subscriber detaches".
            del self.held[subscription]

    def _refusals(self, number: int, link: ConsumerLink, subscription: Subscription) -> Iterator[Diagnostic]:
        yield from self._of_client(number, link)
        yield from self._of_name(number, link, subscription)
        held = self.held.get(subscription)
        other = self.held.get(replace(subscription, shared=not subscription.shared))
        if other is not None and subscription.durable:
            # JMS mapping 8.2: "Shared durable and non-shared durable subscriptions use a single a name space when a
            # ClientID is set and can't co-exist"; 8.9: "Refusing a shared subscriber link using the same link name as
            # for an existing non-shared subscription (and vice versa)".
            here, there = ("shared", "not shared") if subscription.shared else ("not shared", "shared")
            yield _error(
                "subscription.shared",
                f"link {number} is {here}, but link {other.first} created {_called(other.subscription)} as {there}",
                f"choose another name, or {'remove' if subscription.shared else 'add'} the capability {SHARED}",
            )
        if link.no_local and subscription.shared:
            # JMS mapping 8.4 excludes the no-local filter for shared subscriptions: "no-local (N/A for shared sub)".
            yield _error(
                "subscription.no-local",
                f"link {number} is shared, but has a no-local filter",
                "a shared subscription has several consumers, so no message is local to it: remove the filter",
            )
        if held is None:
            if link.ends and link.address is None:
                # JMS mapping 7.3: "In the event the named subscription does not exist, the initial attach request will
                # be refused".
                yield _error(
                    "subscription.unknown",
                    f"link {number} ends {_called(subscription)}, which does not exist",
                    "use the name, the client id and the capabilities with which the subscription was created",
                )
            return
        if held.active and link.ends:
            # JMS mapping 8.9 requires "Refusing to end an otherwise active subscription".
            yield _error(
                "subscription.in-use",
                f"link {number} ends {_called(subscription)}, from which {_links(held.active)} consumes",
                "close the link when no other link is attached to the subscription",
            )
        elif held.active and not subscription.shared:
            # JMS mapping 7.1: "only 1 subscriber may be active on the subscription at a time".
            yield _error(
                "subscription.exclusive",
                f"link {number} attaches to {_called(subscription)}, from which {_links(held.active)} consumes",
                f"detach the other link first, or give all links the capability {SHARED}",
            )
        elif held.active and self._changes(held, link):
            # JMS mapping 8.9: "Refusing link trying to change topic/selector for existing sub with active subscribers".
            yield _error(
                "subscription.changed",
                f"link {number} changes {_difference(held, link)} of {_called(subscription)}, "
                f"from which {_links(held.active)} consumes",
                f"use the topic and filters of link {held.first}, or another name",
            )

    def _of_client(self, number: int, link: ConsumerLink) -> Iterator[Diagnostic]:
        """Yield an error for each attached link that has the same client id on another connection.

        ``number`` is the number of ``link`` in messages. Source: JMS mapping 2.1, 8.2.
        """
        for known, (other, _) in self.links.items():
            if link.client_id is not None and other.client_id == link.client_id:
                connections = (other.connection, link.connection)
                if None not in connections and other.connection != link.connection:
                    yield _error(
                        "subscription.client-id-in-use",
                        f"link {number} has the client id {link.client_id!r} on connection {link.connection!r}, and "
                        f"link {known} has it on connection {other.connection!r}",
                        "only one connection at a time may use a client id; without a client id, a "
                        "shared subscription is global",
                    )

    def _of_name(self, number: int, link: ConsumerLink, wanted: Subscription) -> Iterator[Diagnostic]:
        """Yield an error for each attached link of the same name that may not exist together with ``link``.

        ``number`` is the number of ``link`` in messages, and ``wanted`` its subscription.
        """
        for known, (other, has) in self.links.items():
            if other.name != link.name:
                continue
            if (wanted.shared and wanted.scope is None) is not (has.shared and has.scope is None):
                # JMS mapping 8.9: "Refusing a global subscriber link using the same link name as for an existing
                # non-global subscription (and vice versa)".
                yield _error(
                    "subscription.global-name",
                    f"links {known} and {number} are both called {link.name!r}, but only one of them is global",
                    f"qualify the name of the global link: {wanted.name}{SEPARATOR}{GLOBAL}",
                )
            elif has.scope == wanted.scope and has.durable is not wanted.durable:
                # JMS mapping 8.9: "Durable and volatile subscribers are distinct, may use same subscription names (but
                # not link names) concurrently".
                yield _error(
                    "subscription.link-name",
                    f"links {known} and {number} are both called {link.name!r}, but only one of them is volatile",
                    f"qualify the name of the volatile link: {wanted.name}{SEPARATOR}volatile1",
                )
            elif link.client_id is not None and has.scope == wanted.scope and has == wanted and wanted.shared:
                # JMS mapping 8.1: "AMQP requires that link names are unique in a given direction between two
                # containers".
                yield _error(
                    "subscription.link-name",
                    f"links {known} and {number} are both called {link.name!r} and have the same client id",
                    f"give each link of a shared subscription its own name: {wanted.name}{SEPARATOR}2",
                )

    @staticmethod
    def _changes(held: _Held, link: ConsumerLink) -> bool:
        """Return True if ``link`` requests another topic or other filters than the existing subscription ``held`` has.

        A link with a null source requests none of these.
        """
        return link.address is not None and bool(_difference(held, link))


def _filters(link: ConsumerLink) -> tuple[str, bool]:
    return (link.selector or "").strip(), link.no_local


def _difference(held: _Held, link: ConsumerLink) -> str:
    (selector, no_local), (other, other_local) = held.filters, _filters(link)
    changes = []
    if held.address is not None and held.address != link.address:
        changes.append(f"the topic ({held.address!r} to {link.address!r})")
    if selector != other:
        changes.append(f"the selector ({selector!r} to {other!r})")
    if no_local is not other_local:
        changes.append("no-local")
    return " and ".join(changes)


def _called(subscription: Subscription) -> str:
    kind = "durable" if subscription.durable else "volatile"
    whose = "for all clients" if subscription.scope is None else f"of client id {subscription.scope!r}"
    return f"the {kind} subscription {subscription.name!r} {whose}"


def _links(numbers: list[int]) -> str:
    return f"link {numbers[0]}" if len(numbers) == 1 else f"one of links {', '.join(map(str, numbers))}"


def _error(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, "error", message, hint=hint)
