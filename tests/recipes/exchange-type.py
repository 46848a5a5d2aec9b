"""x-recent-history is its own exchange type, in routing, in plans, in labels and in RabbitMQ's definitions."""

from transpiler import Message, route_message
from transpiler.compiler.presets import find_layout
from transpiler.routing.explain import explain_plan
from transpiler.routing.plan import build_plan
from transpiler.tools.explanation.routes import explain_route
from transpiler.tools.topology_report.labels import binding_label
from transpiler.topology import topology_from_dict
from transpiler.topology.importers.rabbitmq import topology_from_definitions

topology = topology_from_dict(
    {
        "broker": "rabbitmq",
        "exchanges": [{"name": "news", "type": "x-recent-history"}],
        "queues": ["all"],
        "bindings": [{"source": "news", "queue": "all", "key": "ignored"}],
    }
)
[binding] = topology.bindings

assert route_message(topology, Message(), "news", ["any.key"]) == ("all",)
plan = build_plan(topology, find_layout("amqp"), "error")
[found] = [found for found in explain_plan(topology, plan).classes if binding in found.bindings]
assert found.name == "every message"
assert binding_label(topology, binding) == ""
assert "any message" in str(explain_route(topology, Message(), "news"))

exported = {"rabbitmq_version": "4.1.0", "exchanges": [{"name": "news", "vhost": "/", "type": "x-recent-history"}]}
[exchange] = topology_from_definitions(exported).exchanges
assert exchange.type == "x-recent-history"
