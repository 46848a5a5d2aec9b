"""The identity of a subscription: the JMS mapping, working draft 10, sections 7 and 8."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import DecodeError
from transpiler.message.subscriptions import Subscription, subscription_of

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


def test_the_rest_of_a_links_name_only_tells_links_apart() -> None:
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
