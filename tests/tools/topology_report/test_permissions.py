"""Permissions of RabbitMQ's users.

The rules are those of rabbit_auth_backend_internal.erl, rabbit_access_control.erl and rabbit_channel.erl.
"""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import topology_from_dict
from transpiler.base.errors import TopologyError
from transpiler.tools.topology_report.permissions import allowed
from transpiler.topology.files import parse_topology
from transpiler.topology.model import Topology

Json = dict[str, Any]

DEFINITIONS: Json = {
    "rabbitmq_version": "4.1.0",
    "users": [{"name": "app", "tags": ""}, {"name": "other", "tags": ["administrator"]}],
    "exchanges": [{"name": "orders", "type": "topic"}, {"name": "hidden", "type": "direct", "internal": True}],
    "queues": [{"name": "orders.work"}, {"name": "audit"}],
}


def definitions(topics: list[Json] | None = None, **permission: str) -> Topology:
    given = {"user": "app", "vhost": "/", "configure": "", "write": "", "read": "", **permission}
    topic = [{"user": "app", "vhost": "/", **one} for one in topics or []]
    return topology_from_dict({**DEFINITIONS, "permissions": [given], "topic_permissions": topic})


def answers(topology: Topology, user: str = "app") -> dict[str, str]:
    found = {finding.subject: finding.reason for finding in allowed(topology, user)}
    return {name: reason for name, reason in found.items() if reason != "may do nothing"}


def test_a_pattern_is_searched_in_names_and_an_empty_one_allows_nothing() -> None:
    assert answers(definitions()) == {}
    found = answers(definitions(write="^orders", read="work"))
    assert found == {"orders": "may publish to it", "orders.work": "may consume from it, bind it"}


def test_the_default_exchange_is_asked_for_by_another_name() -> None:
    assert answers(definitions(write="^amq\\.default$", read=".*default", configure="default")) == {
        "default exchange": "may publish to it"
    }


def test_nobody_publishes_to_an_internal_exchange() -> None:
    found = answers(definitions(write=".*", read=".*", configure=".*"))
    assert found["hidden"] == "may bind from it, declare and delete it"
    assert found["orders"] == "may publish to it, bind from it, declare and delete it"


def test_a_topic_permission_limits_the_routing_keys() -> None:
    topics = [{"exchange": "orders", "write": "^eu\\.", "read": ""}]
    found = answers(definitions(topics, write=".*", read=".*"))
    assert found["orders"] == "may publish to it with keys that match ^eu\\., bind from it with keys that match ^$"


def test_the_topic_exchange_of_a_plugin_is_asked_for_no_topic() -> None:
    # rabbit_channel:check_write_permitted_on_topics asks where the type is topic itself.
    late = {"name": "late", "type": "x-delayed-message", "arguments": {"x-delayed-type": "topic"}}
    permission = {"user": "app", "vhost": "/", "configure": "", "write": ".*", "read": ""}
    topic = {"user": "app", "vhost": "/", "exchange": "late", "write": "^eu", "read": ""}
    data = {**DEFINITIONS, "exchanges": [late], "permissions": [permission], "topic_permissions": [topic]}
    assert answers(topology_from_dict(data))["late"] == "may publish to it"


def test_what_is_wrong_is_denied_and_what_is_not_evaluated_is_perhaps() -> None:
    assert answers(definitions(write="(")) == {}
    assert answers(definitions(write="^(a)?(?(1)b|orders)$"))["orders"] == "may perhaps publish to it"


def test_a_user_without_permissions_cannot_connect_and_an_unknown_one_is_an_error() -> None:
    assert answers(definitions(), "other") == {
        "other": "the user has no permissions in this virtual host, and cannot connect to it"
    }
    with pytest.raises(TopologyError, match="did you mean app"):
        next(allowed(definitions(), "ap"))
    with pytest.raises(TopologyError, match="no users and permissions"):
        next(allowed(parse_topology("<beans><broker/></beans>", "activemq.xml"), "app"))
