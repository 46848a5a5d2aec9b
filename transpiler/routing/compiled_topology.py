"""Compiled topologies: a routing plan and all other data that a query needs, which can be saved to a file and changed.

A change of a topology that compiles in about a second recompiles all of it, so that later queries are not slower. A
change of a larger topology compiles only the bindings of the queues that it touches: a query drops deliveries of the
first plan to these queues, and a second, small plan delivers to them, until ``compacted`` combines both plans. This is
exact if deliveries to different queues are independent. With alternates they are not; then, and after many changes, the
whole topology is recompiled.

Invariants: a compiled topology is immutable, and has the same deliveries as its topology compiled from scratch. Only
the version of this package that wrote a file can read the file.

Deliberately not here: the file format (``compiled_file``), and the format of the bindings in the file
(``binding_buckets``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

from transpiler.base.arguments import unexpected
from transpiler.base.errors import TopologyError
from transpiler.compiler.compile_options import Missing
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

#: Callback that accepts the number of compiled bindings and the number of all bindings.
Progress = Callable[[int, int], None]

#: Length of the version of a compiled topology without a given name, in hexadecimal digits.
_DIGITS = 12


@dataclass(frozen=True)
class Destination:
    """The destination of messages: an exchange, a sender's address, or the anonymous relay.

    ``exchange`` is None if each message names its own exchange. If ``by_sender`` is True, the messages were sent over
    an AMQP sender link, and the link's target address determines ``key`` and ``subject``. ``relay`` is True for the
    anonymous relay.
    """

    exchange: str | None = None
    key: str | None = None
    subject: str | None = None
    by_sender: bool = False
    relay: bool = False
    #: For a JMS broker, the destination (``named``) and the routing type of all messages; None if each message has its
    #: own.
    named: str | None = None
    routing_type: str | None = None
    #: The column that contains the exchange or destination of each message; None to use the standard column names.
    given: str | None = None
    #: True if messages do not name an exchange, so that all go to ``exchange``, the default exchange of the topology.
    by_default: bool = False

    @property
    def by_message(self) -> bool:
        """True if exchange and routing key are read from each message instead of given by a sender or the relay."""
        return not self.by_sender and not self.relay

    @property
    def several_keys(self) -> bool:
        """True if a message can have several routing keys: neither the relay nor a sender's address sets its key."""
        return not self.relay and self.key is None


@dataclass(frozen=True)
class Settings:
    """The settings with which a routing plan is compiled."""

    destination: Destination = field(default_factory=Destination)
    missing: Missing = "error"
    several: bool = False
    #: Names of the columns in which the messages have their exchange and their routing keys.
    published: tuple[str, ...] = ()


@dataclass(frozen=True)
class Changes:
    """The changes of a compiled topology since the last full compilation.

    ``queues`` maps the name of each changed queue to the queue and its current bindings; None if it was removed.
    ``plan`` is the routing plan for these queues.
    """

    queues: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None]
    plan: RoutingPlan


#: Changed queues by name, with their bindings; None for a queue that was removed.
_Changed = Mapping[str, tuple[Queue, tuple[Binding, ...]] | None]


@part
class _Names(NamedTuple):
    """A member of the compiled file: the names of its version and its layout, and two numbers.

    ``buckets`` is the number of buckets among which queues and bindings are distributed. ``size`` is the number of
    queues or of bindings, whichever is larger.
    """

    version: str
    layout: str
    buckets: int
    size: int


@part
class _Source(NamedTuple):
    """A member of the compiled file: the input from which the plan was compiled.

    ``skeleton`` is the topology without its bindings to queues, as JSON. ``changed`` contains the queues that were
    changed later.
    """

    skeleton: str
    settings: Settings
    changed: _Changed


@part
class _Version(NamedTuple):
    """The data from whose digest the version of a compiled topology is made, if the user gave no name."""

    settings: Settings
    bindings: str
    skeleton: str
    changed: _Changed


@part
class _Over(NamedTuple):
    """A member of the compiled file: the layout. It is None for a layout with the user's own code."""

    layout: Layout | None


@part
class _Plans(NamedTuple):
    """The routing plans of a compiled topology, as one member of its file.

    ``plan`` finds the bindings that were compiled together. ``changes`` finds the bindings that ``updated`` has added
    since then; None if there are none.
    """

    plan: RoutingPlan
    changes: RoutingPlan | None


@dataclass(frozen=True, eq=False, repr=False)
class CompiledTopology:
    """A topology compiled for messages in one layout, which ``route`` accepts instead of a topology.

    ``topology`` contains the exchanges and the bindings between exchanges; bindings to queues are stored separately.
    ``version`` identifies the compiled topology, for example in the version column of routed messages.
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
        """The given name, or else the first digits of a SHA-256 of the settings, the topology and the changes."""
        if self.name is not None:
            return self.name
        named = encode(_Version(self.settings, self._bindings.digest, self._skeleton, self._changed))
        return hashlib.sha256(named).hexdigest()[:_DIGITS]

    def __repr__(self) -> str:
        count = len(self.changes.queues) if self.changes else 0
        changed = f", {count:,} queue{'s' * (count != 1)} changed" if self.changes else ""
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
        """Return a compiled topology with the bindings and queues of ``added`` and without those of ``removed``.

        A binding to an undeclared queue also adds the queue; removing a queue also removes its bindings. A topology of
        at most 25,000 bindings and 25,000 queues is recompiled, which takes about a second. For a larger topology the
        time is proportional to the number of bindings of the queues touched since the last full compilation, and later
        queries are slower until the topology is ``compacted``. A change of a binding between exchanges, or of a
        topology with alternates, recompiles a larger topology, too.

        Args:
            added: Bindings and queues to add.
            removed: Bindings and queues to remove.
            version: The name of the changed topology; None for a digest.
            progress: A function that is called with the numbers of compiled bindings and of all bindings.

        Raises:
            TopologyError: A binding or queue to remove does not exist, or a binding or queue to add is invalid.
        """
        _check_version(version)
        queues = self._changed
        anew = self._bindings.size <= tuning.COMPILED_ANEW
        # Alternate destinations and the anonymous relay depend on all queues: an alternate destination gets messages
        # that reach no other queue, and the relay looks up a name among all queues.
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
        settings, exchange = self.settings, self.settings.destination.exchange
        plan = build_plan(
            touched, self._known_layout, settings.missing, exchange, settings.several, progress, self.plan.reads
        )
        return replace(self, changes=Changes(queues, plan), name=version)

    def compacted(self, *, progress: Progress | None = None) -> CompiledTopology:
        """Return the same topology, of the same version, with its changes compiled into one plan.

        Later queries are then as fast as if the topology had been compiled with the changes. This takes as long as a
        full compilation, or no time if there are no changes. It can run in a thread while other threads route messages
        with this object.

        Args:
            progress: A function that is called with the numbers of compiled bindings and of all bindings.
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
        """Compile the whole topology again, with the changed queues in ``changed`` and the bindings of ``between``.

        ``between`` contains all bindings between exchanges.
        """
        whole = self._topology(changed, between)
        return compile_plan(whole, self._known_layout, self.settings, version=version, progress=progress)

    def _queue(
        self,
        changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None],
        name: str,
        removed: Binding | Queue | None = None,
    ) -> tuple[Queue, tuple[Binding, ...]]:
        """Return the queue ``name`` with its bindings, after the changes of ``changed``.

        A queue that the topology does not have is created without bindings. If ``removed`` is given, it is the binding
        or queue that the user wants to remove, and an unknown queue raises ``TopologyError``.
        """
        known = changed[name] if name in changed else self._bindings.find(name)
        if known is None and removed is not None:
            raise _no_such(removed)
        return known or (Queue(name), ())

    def _topology(
        self, changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None], between: list[Binding]
    ) -> Topology:
        """Return the topology after the changes of ``changed``; ``between`` contains all bindings between exchanges."""
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
                f"compiling a change requires the layout {self.layout_name}, which is Python code and "
                "so is not in the file",
                hint="perhaps pass the layout when loading the file: CompiledTopology.load(path, layout=...)",
            )
        return self.layout

    def save(self, path: str | Path) -> None:
        """Write the compiled topology to a file, which appears under its name only when it is complete.

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
        """Read a compiled topology from a file; its bindings are decoded only when a change touches them.

        Args:
            path: The file that ``save`` wrote.
            layout: The layout for which the topology was compiled. It is needed only for later changes, and only if the
                layout is your own class, because a file does not contain code.

        Raises:
            TopologyError: The file was not written by this version, or is damaged.
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
                raise ValueError(f"the file does not contain the {names.buckets} buckets of bindings that it declares")
        except (ValueError, KeyError) as error:
            # The digest matches, so the file is not damaged, but this version would not have written these values.
            message = f"{path} was not written by this build of version {__version__}: {error}"
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
    """Compile ``topology`` for messages in ``layout``.

    If ``settings`` depend on the columns of the messages, the caller has already determined these columns.

    Raises the errors of parsing and lowering a selector, and ``LayoutError`` for a header without a column.
    """
    _check_version(version)
    plan = build_plan(topology, layout, settings.missing, settings.destination.exchange, settings.several, progress)
    alternates = {exchange.alternate.name for exchange in topology.exchanges if exchange.alternate is not None}
    skeleton = replace(
        topology,
        # All queues for the anonymous relay, which looks up names among them; otherwise only the queues that are
        # alternate destinations.
        queues=tuple(queue for queue in topology.queues if settings.destination.relay or queue.name in alternates),
        bindings=tuple(binding for binding in topology.bindings if binding.destination_type != "queue"),
        findings=(),
        displayed=None,
    )
    bindings = BindingBuckets.of(topology.queues, topology.bindings)
    return CompiledTopology(plan, skeleton, layout, layout.name, settings, bindings, None, version)


def _check_version(version: object) -> None:
    """Raise ``TypeError`` if ``version`` is neither a string nor None, before anything is compiled."""
    if not isinstance(version, str | None):
        raise unexpected("version", "a name", version)


_Part = TypeVar("_Part")


def _decoded(data: bytes, kind: type[_Part]) -> _Part:
    """Decode a file member of class ``kind``; raise ``ValueError`` if it is of another class or invalid."""
    decoded = decode(data)
    if not isinstance(decoded, kind):
        raise ValueError(f"expected a {kind.__name__}, found a {type(decoded).__name__}")
    return decoded


def _encoded_layout(layout: Layout | None) -> bytes:
    """Encode ``layout`` as a file member; a layout with the user's own code is encoded as None."""
    try:
        return encode(_Over(layout))
    except TypeError:
        return encode(_Over(None))


def _check_layout(path: str | Path, layout: Layout, name: str) -> None:
    if not is_layout(layout):
        raise unexpected("layout", "a Layout", layout, "pass the layout for which the topology was compiled")
    if layout.name != name:
        raise TopologyError.at(
            "compiled.layout",
            f"{path} was compiled for messages in the layout {name}, not {layout.name}",
            hint=f"perhaps pass the layout {name}, for which the topology was compiled",
        )


def _has_alternates(plan: RoutingPlan) -> bool:
    return any(entry.alternates for entry in plan.entries.values())


def _checked(name: str, items: Iterable[Binding | Queue]) -> list[Binding | Queue]:
    """Return ``items`` as a list; raise ``TypeError`` if ``items`` is not an iterable of bindings and queues."""
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
        return TopologyError.at(
            "compiled.no-queue", f"the topology has no queue called {item.name!r}, so it cannot be removed"
        )
    message = (
        f"{item.source!r} has no such binding to {item.destination!r} with the key {item.key!r}, so it "
        "cannot be removed"
    )
    return TopologyError.at(
        "compiled.no-binding", message, hint="a binding is removed only if its arguments are equal, too"
    )
