"""Compiled topologies: a routing plan with what a query needs besides, as data that is kept in a file and changed.

A change of a topology that compiles in about a second compiles it anew, so that no later query pays for the change. A
change of a larger one compiles only the bindings of the queues that it touches: what the first plan delivers to these
is left out, and a second, small plan delivers to them, until ``compacted`` makes one plan of both. That is exact where
what reaches one queue does not depend on another one, which is everywhere but at alternates; there, and after many
changes, everything is compiled anew.

Invariants: a compiled topology never changes, and is equal in its deliveries to its topology compiled from nothing. A
file is read by the version of this package that wrote it; any other refuses it.

Deliberately not here: the form of the file (``compiled_file``), and of the bindings in it (``binding_buckets``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from transpiler.base.arguments import unexpected
from transpiler.base.errors import TopologyError
from transpiler.compiler.compile_options import Missing
from transpiler.compiler.ir.column_types import Path as ColumnPath
from transpiler.compiler.layouts.layout import Layout, is_layout
from transpiler.compiler.layouts.sent import SentLayout
from transpiler.routing import tuning
from transpiler.routing.binding_buckets import BindingBuckets
from transpiler.routing.check_plan import check_plan
from transpiler.routing.compiled_file import decode, encode, part, read_file, write_file
from transpiler.routing.gc_pause import pause_garbage_collection
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology.importers.native_format import topology_from_native, topology_to_dict
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Queue
from transpiler.version import __version__

#: Called with the number of bindings that are compiled and the number of all.
Progress = Callable[[int, int], None]

#: Hexadecimal digits of a version that nobody named.
_DIGITS = 12


@dataclass(frozen=True)
class Destination:
    """The exchange that all messages are published to, if one is known; a sender's key or subject; or the relay."""

    exchange: str | None = None
    key: str | None = None
    subject: str | None = None
    by_sender: bool = False
    relay: bool = False
    #: The destination of a JMS broker that all messages are sent to, and their routing type, if they are known.
    named: str | None = None
    routing_type: str | None = None
    #: The column with the exchange, or the destination, that the publisher gives for each message.
    given: str | None = None
    #: The exchange is the topology's default one, for the messages name none.
    by_default: bool = False

    @property
    def by_message(self) -> bool:
        """Return True if exchange and routing key are read from each message, and not given by a sender."""
        return not self.by_sender and not self.relay

    @property
    def several_keys(self) -> bool:
        """Return True if a column of several routing keys is read."""
        return not self.relay and self.key is None


@dataclass(frozen=True)
class Settings:
    """The choices that a plan is compiled with."""

    destination: Destination = field(default_factory=Destination)
    missing: Missing = "error"
    several: bool = False
    #: The columns that say where messages were published.
    published: tuple[str, ...] = ()


@dataclass(frozen=True)
class Changes:
    """The queues that changes have touched, with their bindings now, None for a queue that is gone; and their plan."""

    queues: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None]
    plan: RoutingPlan


#: Queues by their names, with their bindings; None for one that is gone.
_Changed = Mapping[str, tuple[Queue, tuple[Binding, ...]] | None]


@part
class _Names(NamedTuple):
    """The part of a file that says what it is: names, and the numbers of buckets and of what is in them."""

    version: str
    layout: str
    buckets: int
    size: int


@part
class _Source(NamedTuple):
    """The part that was compiled: the topology without its bindings to queues, as JSON, and the changes."""

    skeleton: str
    settings: Settings
    changed: _Changed


@part
class _Version(NamedTuple):
    """What a version is the digest of."""

    settings: Settings
    bindings: str
    skeleton: str
    changed: _Changed


@part
class _Over(NamedTuple):
    """The part with the layout; None for one that has code of the user's."""

    layout: Layout | None


@part
class _Plans(NamedTuple):
    """The part with the plan, and that of the changes."""

    plan: RoutingPlan
    changes: RoutingPlan | None


@dataclass(frozen=True, eq=False, repr=False)
class CompiledTopology:
    """A topology that is compiled for messages in one layout: ``route`` takes it in the place of a topology.

    ``topology`` has the exchanges and the bindings between them, and no other bindings. ``version`` is the name that a
    message is told to have been routed by.
    """

    plan: RoutingPlan
    topology: Topology
    layout: Layout | None
    layout_name: str
    settings: Settings
    _bindings: BindingBuckets
    changes: Changes | None = None
    name: str | None = None

    @cached_property
    def version(self) -> str:
        """The name that was given, else the first digits of a SHA-256 of what is compiled."""
        if self.name is not None:
            return self.name
        named = encode(_Version(self.settings, self._bindings.digest, self._skeleton, self._changed))
        return hashlib.sha256(named).hexdigest()[:_DIGITS]

    def __repr__(self) -> str:
        changed = f", {len(self.changes.queues):,} queues changed" if self.changes else ""
        return f"CompiledTopology({self.topology.rules.name}: {len(self.plan.queues):,} queues{changed})"

    @property
    def _skeleton(self) -> str:
        return json.dumps(topology_to_dict(self.topology), ensure_ascii=False)

    @property
    def _changed(self) -> dict[str, tuple[Queue, tuple[Binding, ...]] | None]:
        return dict(self.changes.queues) if self.changes else {}

    def updated(
        self,
        added: Iterable[Binding | Queue] = (),
        removed: Iterable[Binding | Queue] = (),
        *,
        version: str | None = None,
        progress: Progress | None = None,
    ) -> CompiledTopology:
        """Return the topology with some bindings and queues more and some fewer, compiled.

        A queue that is bound and not declared is added; with a queue that is removed go its bindings. Compiles
        everything anew where there are at most 25,000 bindings, and as many queues: about a second. With more it takes
        time in proportion to the bindings of the queues that are touched, now or since all was compiled, and later
        queries pay for it until the topology is ``compacted``; a change of a binding between exchanges, or of a
        topology with alternates, compiles everything anew there, too.

        Args:
            added: Bindings and queues to add.
            removed: Bindings and queues to take away.
            version: The name of the changed topology; None for a digest.
            progress: A function that is called with the number of bindings that are done, and with that of all.

        Raises:
            TopologyError: What is removed is not there, or what is added is wrong.
        """
        _check_version(version)
        queues = self._changed
        anew = self._bindings.size <= tuning.COMPILED_ANEW
        # Both depend on all bindings: an alternate gets what no other takes, and the relay looks a name up among all.
        anew = anew or _has_alternates(self.plan) or self.settings.destination.relay
        between = list(self.topology.bindings)
        for item in _checked("removed", removed):
            if isinstance(item, Binding) and item.destination_type != "queue":
                _remove(between, item)
                anew = True
                continue
            name = item.name if isinstance(item, Queue) else item.destination
            queue, bindings = self._queue(queues, name, item)
            if isinstance(item, Queue):
                queues[name] = None
            else:
                left = list(bindings)
                _remove(left, item)
                queues[name] = queue, tuple(left)
        for item in _checked("added", added):
            if isinstance(item, Binding) and item.destination_type != "queue":
                between.append(item)
                anew = True
            elif isinstance(item, Queue):
                queues[item.name] = item, self._queue(queues, item.name)[1]
            else:
                queue, bindings = self._queue(queues, item.destination)
                queues[item.destination] = queue, (*bindings, item)
        if anew or len(queues) > tuning.MAX_CHANGED_QUEUES:
            return self._anew(queues, between, version, progress)
        changed = [entry for entry in queues.values() if entry is not None]
        known = {queue.name for queue in self.topology.queues}
        touched = replace(
            self.topology,
            queues=(*self.topology.queues, *(queue for queue, _ in changed if queue.name not in known)),
            bindings=(*between, *chain.from_iterable(bindings for _, bindings in changed)),
        )
        plan = _build(touched, self._known_layout, self.settings, progress, self.plan.reads)
        return replace(self, changes=Changes(queues, plan), name=version)

    def compacted(self, *, progress: Progress | None = None) -> CompiledTopology:
        """Return the same topology, of the same version, with its changes compiled into one plan.

        Later queries are as fast as by a topology that was compiled with the changes. Takes the time of compiling
        everything, none where nothing has changed; a thread can do it while messages are routed by this one.

        Args:
            progress: A function that is called with the number of bindings that are done, and with that of all.
        """
        if self.changes is None:
            return self
        return self._anew(self._changed, list(self.topology.bindings), self.version, progress)

    def _anew(
        self,
        changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None],
        between: list[Binding],
        version: str | None,
        progress: Progress | None,
    ) -> CompiledTopology:
        """Compile the whole topology after changes."""
        whole = self._topology(changed, between)
        return compile_plan(whole, self._known_layout, self.settings, version=version, progress=progress)

    def _queue(
        self,
        changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None],
        name: str,
        removed: Binding | Queue | None = None,
    ) -> tuple[Queue, tuple[Binding, ...]]:
        """Return a queue and its bindings now; a new one where there is none, unless something of it is removed."""
        known = changed[name] if name in changed else self._bindings.find(name)
        if known is None and removed is not None:
            raise _no_such(removed)
        return known or (Queue(name), ())

    def _topology(
        self, changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None], between: list[Binding]
    ) -> Topology:
        """Return the whole topology after changes."""
        present = [entry for entry in changed.values() if entry is not None]
        queues = (queue for queue in self._bindings.queues() if queue.name not in changed)
        bindings = (binding for binding in self._bindings.bindings() if binding.destination not in changed)
        return replace(
            self.topology,
            queues=(*queues, *(queue for queue, _ in present)),
            bindings=(*between, *bindings, *chain.from_iterable(bindings for _, bindings in present)),
        )

    @property
    def _known_layout(self) -> Layout:
        if self.layout is None:
            raise TopologyError.at(
                "compiled.layout",
                f"a change is compiled over the layout {self.layout_name}, which has code and is not in the file",
                hint="perhaps give it when the file is read: CompiledTopology.load(path, layout=...)",
            )
        return self.layout

    def save(self, path: str | Path) -> None:
        """Write the compiled topology to a file, which appears under its name when it is complete.

        Args:
            path: The file to write.
        """
        changes = None if self.changes is None else self.changes.plan
        with pause_garbage_collection():
            members = {
                "names": encode(_Names(self.version, self.layout_name, self._bindings.count, self._bindings.size)),
                "topology": encode(_Source(self._skeleton, self.settings, self._changed)),
                "layout": _encoded_layout(self.layout),
                "plan": encode(_Plans(self.plan, changes)),
            }
        members |= {f"bindings/{number}": block for number, block in enumerate(self._bindings.blocks)}
        write_file(path, members)

    @classmethod
    def load(cls, path: str | Path, *, layout: Layout | None = None) -> CompiledTopology:
        """Read a compiled topology from a file, whose bindings are decoded when a change touches them.

        Args:
            path: The file that ``save`` wrote.
            layout: The layout that it was compiled for. It is needed for a change over a layout of one's own, which has
                code and is therefore not in the file.

        Raises:
            TopologyError: This version has not written the file, or the file is damaged.
            OSError: The file cannot be read.
        """
        members = read_file(path)
        try:
            with pause_garbage_collection():
                names = _decoded(members["names"], _Names)
                source = _decoded(members["topology"], _Source)
                kept = _decoded(members["layout"], _Over).layout
                plan, changes = _decoded(members["plan"], _Plans)
                for each in (plan, changes) if changes is not None else (plan,):
                    check_plan(each)
            topology = topology_from_native(json.loads(source.skeleton))
            blocks = [members[f"bindings/{number}"] for number in range(min(names.buckets, len(members)))]
            if not 0 < names.buckets == len(members) - 4:
                raise ValueError(f"{names.buckets} buckets of bindings are not those of the file")
        except (ValueError, KeyError) as error:
            # The bytes are unchanged: this version would not have written them.
            message = f"{path} is of another state of version {__version__}, or made by hand: {error}"
            raise TopologyError.at("compiled.version", message, hint="perhaps compile the topology again") from None
        if layout is not None:
            _check_layout(path, layout, names.layout)
            if kept is None:
                kept = layout if source.settings.destination.subject is None else SentLayout(layout)
        bindings = BindingBuckets(names.size, blocks=blocks)
        touched = None if changes is None else Changes(source.changed, changes)
        return cls(plan, topology, kept, names.layout, source.settings, bindings, touched, names.version)


def compile_plan(
    topology: Topology,
    layout: Layout,
    settings: Settings,
    *,
    version: str | None = None,
    progress: Progress | None = None,
) -> CompiledTopology:
    """Compile a topology over a layout; ``settings`` are for messages whose columns are known.

    Raises what parsing and lowering a selector raise, and ``LayoutError`` for a header without a column.
    """
    _check_version(version)
    plan = _build(topology, layout, settings, progress)
    alternates = {exchange.alternate.name for exchange in topology.exchanges if exchange.alternate is not None}
    skeleton = replace(
        topology,
        # The relay looks for a name among the queues.
        queues=tuple(queue for queue in topology.queues if settings.destination.relay or queue.name in alternates),
        bindings=tuple(binding for binding in topology.bindings if binding.destination_type != "queue"),
        findings=(),
        shown=None,
    )
    bindings = BindingBuckets.of(topology.queues, topology.bindings)
    return CompiledTopology(plan, skeleton, layout, layout.name, settings, bindings, None, version)


def _check_version(version: object) -> None:
    """Raise ``TypeError`` for a version that is no name, before anything is compiled."""
    if not isinstance(version, str | None):
        raise unexpected("version", "a name", version)


def _build(
    topology: Topology,
    layout: Layout,
    settings: Settings,
    progress: Progress | None,
    reads: Mapping[str, ColumnPath] = MappingProxyType({}),
) -> RoutingPlan:
    with pause_garbage_collection():
        exchange = settings.destination.exchange
        return build_plan(topology, layout, settings.missing, exchange, settings.several, progress, reads)


_Part = TypeVar("_Part")


def _decoded(data: bytes, kind: type[_Part]) -> _Part:
    """Return a part of a file; ``ValueError`` for another part, and for what is none."""
    decoded = decode(data)
    if not isinstance(decoded, kind):
        raise ValueError(f"a {type(decoded).__name__} stands in the place of a {kind.__name__}")
    return decoded


def _encoded_layout(layout: Layout | None) -> bytes:
    """Return a layout as data; None in its place where it has code of the user's."""
    try:
        return encode(_Over(layout))
    except TypeError:
        return encode(_Over(None))


def _check_layout(path: str | Path, layout: Layout, name: str) -> None:
    if not is_layout(layout):
        raise unexpected("layout", "a Layout", layout, "the one that the topology was compiled for")
    if layout.name != name:
        raise TopologyError.at(
            "compiled.layout",
            f"{path} is compiled for messages in the layout {name}, and not in {layout.name}",
            hint=f"perhaps give the layout {name}",
        )


def _has_alternates(plan: RoutingPlan) -> bool:
    return any(entry.alternates for entry in plan.entries.values())


def _checked(name: str, items: Iterable[Binding | Queue]) -> list[Binding | Queue]:
    """Return a change; ``TypeError`` for what is no list of bindings and queues."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise unexpected(name, "a list of bindings and queues", items)
    listed = list(items)
    for item in listed:
        if not isinstance(item, Binding | Queue):
            raise unexpected(name, "a Binding or a Queue", item)
    return listed


def _remove(bindings: list[Binding], binding: Binding) -> None:
    try:
        bindings.remove(binding)
    except ValueError:
        raise _no_such(binding) from None


def _no_such(item: Binding | Queue) -> TopologyError:
    if isinstance(item, Queue):
        return TopologyError.at("compiled.no-queue", f"there is no queue called {item.name!r} to remove")
    message = f"{item.source!r} has no such binding to {item.destination!r} under the key {item.key!r} to remove"
    return TopologyError.at("compiled.no-binding", message, hint="its arguments have to be the same as well")
