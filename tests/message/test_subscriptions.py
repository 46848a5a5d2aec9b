"""The identity of a subscription, by the JMS mapping, working draft 10, sections 7 and 8."""

from __future__ import annotations

import re
from typing import Any

import pytest

from transpiler import DecodeError
from transpiler.message.subscriptions import ConsumerLink, Subscription, check_links, subscription_of

SHARED, GLOBAL = ("shared",), ("shared", "global")


@pytest.mark.parametrize(
    ("link", "client", "capabilities", "more", "expected"),
    [
        ("mysub", "c", (), {}, Subscription("mysub", "c", True, False)),
        ("mysub", "c", (), {"durable": False}, Subscription("mysub", "c", False, False)),
        ("generated-1", None, (), {}, Subscription("generated-1", None, False, False)),
        ("mysub|volatile1", "c", SHARED, {}, Subscription("mysub", "c", False, True)),
        ("mysub|global-volatile3", None, GLOBAL, {}, Subscription("mysub", None, False, True)),
        ("mysub", "c", SHARED, {}, Subscription("mysub", "c", True, True)),
        ("mysub|2", "c", SHARED, {}, Subscription("mysub", "c", True, True)),
        ("mysub|global", None, GLOBAL, {}, Subscription("mysub", None, True, True)),
        ("mysub|global2", None, GLOBAL, {}, Subscription("mysub", None, True, True)),
        ("mysub|foo", None, GLOBAL, {}, Subscription("mysub", None, True, True)),
        ("mysub|bar", None, GLOBAL, {"durable": False}, Subscription("mysub", None, False, True)),
        ("mysub|volatile1", "c", SHARED, {"durable": True}, Subscription("mysub", "c", True, True)),
        ("mysub|a|b", "c", ("queue", *SHARED), {}, Subscription("mysub", "c", True, True)),
    ],
)
def test_a_link_refers_to_a_subscription(
    link: str, client: str | None, capabilities: tuple[str, ...], more: dict[str, Any], expected: Subscription
) -> None:
    assert subscription_of(link, client, capabilities, **more) == expected


def test_the_rest_of_a_links_name_only_distinguishes_links() -> None:
    links = ["mysub|global", "mysub|global2", "mysub|foo", "mysub"]
    assert len({subscription_of(link, None, GLOBAL) for link in links}) == 1


@pytest.mark.parametrize(
    ("link", "client", "capabilities", "more", "code"),
    [
        ("", "c", (), {}, "subscription.name"),
        ("|global", None, GLOBAL, {}, "subscription.name"),
        ("mysub|global", None, ("global",), {}, "subscription.global"),
        ("mysub|global", "c", GLOBAL, {}, "subscription.scope"),
        ("mysub|2", None, SHARED, {}, "subscription.scope"),
        ("mysub|global2", "c", SHARED, {}, "subscription.scope"),
        ("mysub", None, (), {"durable": True}, "subscription.client-id"),
    ],
)
def test_a_link_that_no_client_attaches_is_an_error(
    link: str, client: str | None, capabilities: tuple[str, ...], more: dict[str, Any], code: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        subscription_of(link, client, capabilities, **more)
    assert caught.value.diagnostics[0].code == code
    assert caught.value.diagnostics[0].hint


def scoped(name: str, **more: Any) -> ConsumerLink:
    """Return a shared durable link of the client id c."""
    return ConsumerLink(name, **{"client_id": "c", "capabilities": SHARED, "address": "news", **more})


def exclusive(name: str, **more: Any) -> ConsumerLink:
    """Return a durable link of the client id c that is not shared."""
    return ConsumerLink(name, **{"client_id": "c", "address": "news", **more})


def world(name: str, **more: Any) -> ConsumerLink:
    """Return a global link."""
    return ConsumerLink(name, **{"capabilities": GLOBAL, "address": "news", **more})


#: A title, links in the order in which they are attached, and the conflicts: codes, each with the numbers of its links.
CONFLICTS: list[tuple[str, list[ConsumerLink], list[tuple[str, str]]]] = [
    (
        "five subscription spaces do not touch each other",
        [
            scoped("s"),
            scoped("s|2"),
            scoped("s|volatile1"),
            scoped("s|volatile2"),
            world("s|global"),
            world("s|global2"),
            world("s|global-volatile1"),
            ConsumerLink("x1", address="news"),
            exclusive("t"),
            ConsumerLink("s", client_id="d", address="news", selector="a = 1"),
        ],
        [],
    ),
    ("the same name with another client id", [exclusive("s"), exclusive("s", client_id="d", selector="x")], []),
    ("a subscription for one beside a shared one", [scoped("s"), exclusive("s")], [("subscription.shared", "12")]),
    ("a shared subscription beside one for one", [exclusive("s"), scoped("s|2")], [("subscription.shared", "12")]),
    ("a detached one keeps its name", [exclusive("s", active=False), scoped("s")], [("subscription.shared", "12")]),
    ("volatile and durable ones are distinct", [exclusive("s"), scoped("s|volatile1")], []),
    ("two consumers of a subscription for one", [exclusive("s"), exclusive("s")], [("subscription.exclusive", "12")]),
    ("the detached one resumes", [exclusive("s", active=False), exclusive("s")], []),
    ("one link name of one client id", [scoped("s|2"), scoped("s|2")], [("subscription.link-name", "12")]),
    ("a global and a scoped link of one name", [world("s"), scoped("s")], [("subscription.global-name", "12")]),
    ("a scoped and a global link of one name", [scoped("s|a"), world("s|a")], [("subscription.global-name", "12")]),
    (
        "a durable and a volatile link of one name",
        [world("s|a"), world("s|a", durable=False)],
        [("subscription.link-name", "12")],
    ),
    ("global links of one name on two connections", [world("s|global"), world("s|global")], []),
    ("another topic", [scoped("s"), scoped("s|2", address="old")], [("subscription.changed", "12")]),
    ("another selector", [scoped("s", selector="a = 1"), scoped("s|2")], [("subscription.changed", "12")]),
    ("a global one changes", [world("s|global"), world("s|global2", selector="a")], [("subscription.changed", "12")]),
    ("no selector is an empty one", [scoped("s", selector=" "), scoped("s|2")], []),
    (
        "a refused link changes nothing",
        [scoped("s"), scoped("s|2", selector="a"), scoped("s|3")],
        [("subscription.changed", "12")],
    ),
    (
        "a change without consumers begins anew",
        [exclusive("s", active=False), exclusive("s", selector="a = 1")],
        [("subscription.reinitialized", "12")],
    ),
    (
        "a change of no-local",
        [exclusive("s", active=False), exclusive("s", no_local=True)],
        [("subscription.reinitialized", "12")],
    ),
    (
        "a volatile one ends with its last consumer",
        [scoped("s|volatile1", active=False), scoped("s|volatile1", selector="a")],
        [],
    ),
    ("no-local on a shared subscription", [scoped("s", no_local=True)], [("subscription.no-local", "1")]),
    (
        "the end of a subscription in use",
        [world("s|global"), world("s|global2", address=None, ends=True)],
        [("subscription.in-use", "12")],
    ),
    (
        "the end of a subscription that rests",
        [scoped("s", active=False), exclusive("s", address=None, ends=True), exclusive("s")],
        [],
    ),
    ("the end of nothing", [exclusive("s", address=None, ends=True)], [("subscription.unknown", "1")]),
    (
        "one client id on two connections",
        [exclusive("s", connection="one"), exclusive("t", connection="two")],
        [("subscription.client-id-in-use", "12")],
    ),
    ("one client id on one connection", [scoped("s", connection="one"), scoped("s|2", connection="one")], []),
    ("a link that no client attaches", [scoped("s"), ConsumerLink("", client_id="c")], [("subscription.name", "2")]),
    (
        "two conflicts",
        [scoped("s"), exclusive("s"), scoped("s|3", address="old")],
        [("subscription.shared", "12"), ("subscription.changed", "13")],
    ),
]


@pytest.mark.parametrize(("links", "expected"), [case[1:] for case in CONFLICTS], ids=[case[0] for case in CONFLICTS])
def test_conflicts_of_links_are_found(links: list[ConsumerLink], expected: list[tuple[str, str]]) -> None:
    found = check_links(links)
    assert [finding.code for finding in found] == [code for code, _ in expected]
    for finding, (code, numbers) in zip(found, expected, strict=True):
        assert all(re.search(rf"links? (\d and )?{number}\b", finding.message) for number in numbers), finding.message
        assert finding.hint
        assert finding.severity == ("warning" if code == "subscription.reinitialized" else "error")


def test_a_conflict_says_what_and_which_and_what_to_do() -> None:
    links = [scoped("s", selector="a = 1"), scoped("s|2", address="old")]
    assert check_links(links)[0].render() == (
        "subscription.changed: link 2 changes the topic ('news' to 'old') and the selector ('a = 1' to '') of the "
        "durable subscription 's' of client id 'c', from which link 1 consumes\n"
        "  hint: use the topic and filters of link 1, or another name"
    )
