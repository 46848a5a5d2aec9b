"""The exchanges of RabbitMQ's ``definitions.json``, with the alternates that arguments and policies set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpiler.base.documents.entries import Entry, Findings
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.exchange_types import CHOOSING_TYPES, UNKNOWN, ExchangeType
from transpiler.topology.importers.perhaps import free_name
from transpiler.topology.importers.rabbitmq_policies import Policies
from transpiler.topology.records import DEFAULT_EXCHANGE, Alternate, Binding, Exchange

#: The boolean attributes for the lifetime of queues and exchanges, with their defaults.
KEPT = {"durable": True, "auto_delete": False}

#: Exchange types of plugins that route messages in the same way as another type: ``_DELAYED`` as the type in the
#: argument ``x-delayed-type``, ``_HISTORY`` as fanout.
_DELAYED, _HISTORY = "x-delayed-message", "x-recent-history"

_CHOICE = "{!r} hands each message to one of its bindings, which one is not known: its queues are possible_queues"


def listed(root: Entry, part: str, vhost: str | None) -> Iterator[Entry]:
    """Yield the objects of a virtual host in the list ``part`` of an export."""
    for entry in root.entries(part):
        if vhost is None or not entry.has("vhost") or entry.text("vhost") == vhost:
            yield entry


def _is_imported(entry: Entry, findings: Findings) -> bool:
    """Return True if the broker imports an exchange. It skips the default exchange and exchanges called ``amq.…``."""
    name = entry.text("name")
    if name and not name.startswith(RABBITMQ.reserved):
        return True
    if not name:
        message = "the broker skips the default exchange, which is always there"
    elif name not in RABBITMQ.predeclared:
        message = f"the broker skips exchanges whose names begin with amq.; {name!r} and its bindings are skipped"
    elif entry.data.get("type") in (None, RABBITMQ.predeclared[name]):
        return False
    else:
        message = f"the broker skips it: {name} is its own, of type {RABBITMQ.predeclared[name]}"
    findings.add("import.reserved", entry.path, message)
    return False


def arguments_of(entry: Entry) -> Entry:
    """Return the arguments of a queue, exchange or binding; an empty array, as PHP writes it, means no arguments."""
    return Entry.of(entry.data.get("arguments") or {}, entry.at("arguments"))


#: The name of an added exchange that leads to one of several possible alternate exchanges, because it is unknown which
#: policy applies.
_ALTERNATE_OF_SOME = "the alternate of a policy"

#: Arguments of exchanges that do not affect routing, or that belong to a known type.
_UNRELATED_ARGUMENTS = frozenset(
    "x-delayed-type rjms_version x-super-stream hash-header hash-property x-recent-history-length".split()
)


def _is_to_default(binding: Binding) -> bool:
    return binding.destination_type == "exchange" and binding.destination == DEFAULT_EXCHANGE


class Exchanges:
    """The exchanges of a virtual host, and the names of exchanges that are skipped (``left_out``)."""

    def __init__(self, root: Entry, vhost: str | None, policies: Policies, findings: Findings) -> None:
        self._findings = findings
        self._policies = policies
        self.left_out: set[str] = set()
        self.read: list[Exchange] = []
        #: ``_perhaps``: if it is unknown which policy applies to an exchange, it has a set of possible alternate
        #: exchanges. Each set gets an added exchange, and ``_perhaps`` contains its name. ``of_alternates``: the
        #: bindings of added exchanges.
        self._perhaps: dict[frozenset[str | None], str] = {}
        self.of_alternates: list[Binding] = []
        self._taken = {entry.text("name") for entry in listed(root, "exchanges", vhost)}
        for entry in listed(root, "exchanges", vhost):
            if _is_imported(entry, findings):
                self._add(entry)
            elif entry.text("name") not in (DEFAULT_EXCHANGE, *RABBITMQ.predeclared):
                self.left_out.add(entry.text("name"))
        self._add_predeclared({exchange.name for exchange in self.read})

    def _add(self, entry: Entry) -> None:
        name, exchange_type = entry.text("name"), self._type(entry)
        by_policy = self._policies.alternates(name, entry.path)
        alternate = None
        for argument, value in arguments_of(entry).data.items():
            if argument == "alternate-exchange" and isinstance(value, str):
                # The exchange's own argument takes precedence over a policy.
                alternate = value
            elif argument not in _UNRELATED_ARGUMENTS:
                self._findings.add(
                    "import.unknown",
                    entry.at(f"arguments.{argument}"),
                    "this argument is ignored, because selector-sql does not support it",
                )
        target = self._alternate(by_policy) if alternate is None else Alternate(alternate)
        flags = entry.flags({**KEPT, "internal": False})
        self.read.append(Exchange(name, exchange_type, target, path=entry.path, **flags))
        if entry.data["type"] == _DELAYED and target is not None:
            message = "the broker sends a delayed message to the alternate as well, when it is published"
            self._findings.add("import.delayed", entry.at("type"), message)

    def _add_predeclared(self, declared: set[str]) -> None:
        """Declare the broker's own exchanges that get an alternate exchange by a policy; an export lacks them."""
        for name, exchange_type in RABBITMQ.predeclared.items():
            if name not in declared | RABBITMQ.internal:
                alternate = self._alternate(self._policies.alternates(name, "policies"))
                if alternate is not None:
                    self.read.append(Exchange(name, exchange_type, alternate))

    def add_undeclared(self, name: str, path: str) -> None:
        """Declare an exchange that only bindings name; policies can set its alternate exchange."""
        self._taken.add(name)
        alternate = self._alternate(self._policies.alternates(name, path))
        self.read.append(Exchange(name, UNKNOWN, alternate, path=path, declared=False))

    def _alternate(self, candidates: frozenset[str | None]) -> Alternate | None:
        """Return the alternate exchange of an exchange, for which the policies allow those in ``candidates``.

        If there are several candidates, it is unknown which one applies. Then return an exchange that the importer adds
        and that possibly leads to each of them.
        """
        if len(candidates) < 2:
            [alternate] = candidates
            return None if alternate is None else Alternate(alternate)
        if candidates not in self._perhaps:
            self._perhaps[candidates] = free_name(_ALTERNATE_OF_SOME, self._taken)
        return Alternate(self._perhaps[candidates])

    def add_alternates(self) -> None:
        """Declare the exchanges that ``_alternate`` has added; call this after all other exchanges are declared."""
        names = {exchange.name for exchange in self.read} | {*RABBITMQ.predeclared}
        for candidates, name in self._perhaps.items():
            self.read.append(Exchange(name, UNKNOWN, internal=True, path="policies"))
            there = sorted(one for one in candidates if one is not None and (one in names or one == DEFAULT_EXCHANGE))
            self.of_alternates += [Binding(name, one, destination_type="exchange", path="policies") for one in there]

    def with_default(self, bindings: list[Binding], own: list[Binding]) -> list[Binding]:
        """Return ``bindings``, in which bindings whose destination is the default exchange lead to a new exchange.

        RabbitMQ routes a message by the names of queues only if it was published to the default exchange. If the
        message comes from another exchange, RabbitMQ follows only the explicit bindings of the default exchange,
        ``own``. The new exchange has these bindings.
        """
        to_default = [binding for binding in (*bindings, *own) if _is_to_default(binding)]
        for binding in to_default:
            message = "what comes to the default exchange this way goes by its bindings, and to no queue by its name"
            self._findings.add("topology.default-exchange", f"{binding.path}.destination", message)
        alternate = Alternate(DEFAULT_EXCHANGE)
        is_alternate = any(exchange.alternate == alternate for exchange in self.read)
        is_alternate = is_alternate or any(map(_is_to_default, self.of_alternates))
        if not to_default and not (own and is_alternate):
            self.of_alternates = [binding for binding in self.of_alternates if not _is_to_default(binding)]
            return bindings
        name = free_name("the default exchange, by bindings", self._taken)
        self.read = [
            replace(exchange, alternate=Alternate(name)) if exchange.alternate == alternate else exchange
            for exchange in self.read
        ]
        self.read.append(Exchange(name, "direct", internal=True, path=(own or to_default)[0].path))
        all_bindings = (*bindings, *(replace(binding, source=name) for binding in own))

        def named(binding: Binding) -> Binding:
            return replace(binding, destination=name) if _is_to_default(binding) else binding

        self.of_alternates = [*map(named, self.of_alternates)]
        return [*map(named, all_bindings)]

    def _type(self, entry: Entry) -> ExchangeType:
        name = entry.text("type")
        if name == _DELAYED:
            # The plugin delays a message, and then routes it under the rules of the type in ``x-delayed-type``.
            self._findings.add(
                "import.delayed", entry.at("type"), "the exchange delays messages, but selector-sql ignores the delay"
            )
            name = arguments_of(entry).text("x-delayed-type")
        if name == _HISTORY:
            message = "the exchange's history, from which a new binding receives earlier messages, is ignored"
            self._findings.add("import.history", entry.at("type"), message)
            name = "fanout"
        if name in RABBITMQ.types and name != UNKNOWN:
            if name in CHOOSING_TYPES:
                self._findings.add("import.choice", entry.at("type"), _CHOICE.format(entry.text("name")))
            return name
        message = f"exchanges of type {name!r} are not understood: what goes through {entry.text('name')!r} is possible"
        self._findings.add("import.exchange-type", entry.at("type"), message)
        return UNKNOWN
