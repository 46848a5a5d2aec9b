"""Pages of the findings about files of topologies, which ``selector-sql rule`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: The meaning of each finding and the advice on it, by the code of the finding.
FINDINGS: Mapping[str, str] = MappingProxyType(
    {
        "address.elsewhere": (
            "An x-binding of an address names an exchange or a queue other than the address itself. The condition of "
            "the receiver is computed without this binding. Give the topology that has the exchange, so that the "
            "binding takes part."
        ),
        "address.selector": (
            "The address of a receiver has a selector, which filters what the receiver takes from the queue. The "
            "messages that the selector rejects stay in the queue, so the answers about the queue do not change."
        ),
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
        "import.refused-queue": (
            "The broker does not create this queue, and the import goes on without it: bindings to the queue are left "
            "out. RabbitMQ from 4.0 on refuses the whole file if it binds such a queue."
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
        "topology.any-words": (
            "The wildcard for any number of words is not the last word of a name. ActiveMQ reads the name as if it "
            "ended at the wildcard. In Artemis the order in which addresses are made decides which of them match; "
            "answers assume the order of the file. Put the wildcard last, or list the addresses."
        ),
        "topology.default-exchange": (
            "A binding has the default exchange as its source or its destination. RabbitMQ sends what is published to "
            "the default exchange to the queue whose name is the routing key, whatever its bindings are. The message "
            "says what happens to the binding: the broker refuses it, or it counts for messages that come from "
            "another exchange only. Put the name of an exchange into source."
        ),
        "topology.duplicate": (
            "Two queues have one name. The broker creates the first one and skips the other. Take one of them out, or "
            "give it a name of its own."
        ),
        "topology.filter": (
            "The filter of a queue is not a selector, so the broker starts without the queue, or does what is not "
            "known here. The message has the error of the filter; `selector-sql check` shows its place."
        ),
        "topology.hop": (
            "A filter reads a header that the broker sets on the way of a message, such as the address of a divert, "
            "and the value is not known here. The queue is a possible queue of each message."
        ),
        "topology.include": (
            "The file includes other files. A note says which were read from its folder, or are the console's. If no "
            "broker is found because a file cannot be read, put its content in the place of the element."
        ),
        "topology.no-selector": (
            "A filteredDestination of ActiveMQ has no selector, and gets no message. Add the selector, or use "
            "forwardTo without a filteredDestination for every message."
        ),
        "topology.not-computed": (
            "The file asks for something that moves, drops or copies messages and that no answer has, such as an "
            "address that drops messages while it is full. Answers hold for messages to which it does not happen."
        ),
        "topology.not-evaluated": (
            "A selector is legal for the broker, and this project does not evaluate it: it has XPath, a function of "
            "the broker's own, or is beyond a limit. The binding may match, so its queue is a possible queue."
        ),
        "topology.own-header": (
            "A filter reads a header that the broker sets on a divert, such as _AMQ_ORIG_ADDRESS. If a sender over "
            "AMQP sets a property of that name, the broker reads the sender's value. Answers are for messages "
            "without such a property."
        ),
        "topology.routing-name": (
            "A divert and a queue have one routing name, so that the divert takes the queue's messages while the "
            "queue has no consumers. Give the divert a routing-name of its own."
        ),
        "topology.selector-aware": (
            "A virtual topic with selectorAware encloses another interceptor of topics. ActiveMQ 5.17 may fail a send "
            "that both match, with a ClassCastException, so that no outcome of such a send is certain. Take "
            "selectorAware out, or give the two names that do not match the same topic."
        ),
        "topology.state": (
            "A file of the broker's state, with the subscriptions and consumers of a moment, has an entry that "
            "decides nothing here or cannot be read: the path is the entry's, and the message says what is left out "
            "or possible because of it."
        ),
    }
)


def finding_page(code: str) -> str:
    """Return the page of the finding ``code`` about a topology file, in Markdown."""
    return f"# {code}\n\n{FINDINGS[code]}"
