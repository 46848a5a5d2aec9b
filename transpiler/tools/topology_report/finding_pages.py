"""Pages of the findings about files of topologies, which ``selector-sql rule`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: What a finding means and what to do, by the code of the finding.
FINDINGS: Mapping[str, str] = MappingProxyType(
    {
        "import.bytes": (
            "RabbitMQ exports an argument that is no text as text with its bytes in base64. The argument is read as "
            "these bytes."
        ),
        "import.choice": (
            "An exchange of this type hands each message to one of its bindings, by a hash or at random. Its queues "
            "are possible queues of a message."
        ),
        "import.context": (
            "Broker-J replaces ${...} by values of its context, which the file does not have. The text stays as it is "
            "written. Give the file in which the values stand."
        ),
        "import.decimal": (
            "RabbitMQ exports a decimal as another number, so that a fraction may have been a decimal. It is taken "
            "for a double."
        ),
        "import.delayed": (
            "A delayed exchange holds a message back and then routes the message as the exchange's inner type does. "
            "The delay is not computed."
        ),
        "import.duplicate": "Two entries declare the same object in different ways. The broker keeps the first entry.",
        "import.exchange-type": "This type of exchange is not known. What goes through the exchange is possible.",
        "import.federation": (
            "A policy federates another exchange from this one, so that the federation has a queue of its own here. "
            "The queue gets what the other exchange's bindings ask for; it is a possible queue, because the link may "
            "be down and other bindings may be made while the broker runs."
        ),
        "import.history": "This exchange sends earlier messages to a new binding. Only new messages are routed here.",
        "import.ignored": "The broker does not look at this argument. Take the argument out, or correct its name.",
        "import.left-out": "The entry is no part of the topology, because something that it needs is left out.",
        "import.more": "There are more findings than are listed.",
        "import.operator-policy": "RabbitMQ takes no alternate-exchange in an operator policy. Set it with a policy.",
        "import.pattern": (
            "The pattern of a policy is no regular expression that this project evaluates. What the policy sets is "
            "possible, or the policy is left out; the message says which."
        ),
        "import.policy": (
            "Several policies with one priority match a name, and RabbitMQ takes any of them. What they set is "
            "possible. Give the policies different priorities."
        ),
        "import.refused": (
            "The broker refuses the whole file because of this entry, and imports nothing. `topology --report` has "
            "the line `the broker would refuse this file`, and `--fail-on error` ends with 1. `--broker-version` says "
            "which version of RabbitMQ is to import the file."
        ),
        "import.refused-binding": (
            "The broker refuses this binding and goes on without it. RabbitMQ from 4.0 on refuses the whole file."
        ),
        "import.reserved": "Names that begin with amq. are the broker's own. The broker skips this exchange.",
        "import.selector": "The selector of this binding is missing, or another binding in the same place replaces it.",
        "import.shovel": (
            "A shovel that reads an exchange declares a queue of its own and binds the queue with the shovel's key. "
            "Answers call this queue `shovel NAME`. If the broker refuses the shovel's key, the shovel reads nothing."
        ),
        "import.types": (
            "JSON has lost the types of the values inside this argument. The argument equals a header whose integers "
            "have 64 bits and whose fractions are doubles."
        ),
        "import.undeclared-exchange": (
            "Bindings name exchanges that the file does not declare, as an export leaves internal exchanges out. What "
            "goes through them is possible."
        ),
        "import.undeclared-queue": (
            "Bindings name queues that the file does not declare, as an export leaves exclusive queues out. The "
            "queues take part; what arguments they have is not known."
        ),
        "import.unknown": (
            "This part of the file is not understood. If it decides where messages go, answers are wrong without it."
        ),
        "import.upstream": (
            "A policy names an upstream, or a set of upstreams, that is not among the parameters of the virtual host. "
            "Nothing is federated from there."
        ),
        "import.version": (
            "The export does not say which version wrote it, and versions differ in how this binding compares "
            "numbers. Give --broker-version."
        ),
        "import.vhost": "The export does not name its virtual host, so that it may be that of another one.",
        "import.void": (
            "RabbitMQ exports an argument without a value as the text undefined. The argument is taken for one "
            "without a value."
        ),
    }
)


def finding_page(code: str) -> str:
    """Return the page of a finding about a file of a topology."""
    return f"# {code}\n\n{FINDINGS[code]}"
