"""Compiled topologies: a routing plan with what a query needs besides, as data that is kept in a file and changed.

A change compiles only the bindings of the queues that it touches: what the first plan delivers to these is left out,
and a second, small plan delivers to them. That is exact where what reaches one queue does not depend on another one,
which is everywhere but at alternates; there, and after many changes, everything is compiled anew.

Invariants: a compiled topology never changes, and is equal in its deliveries to its topology compiled from nothing. A
file is read by the version of this package that wrote it; any other refuses it.

Source of the file's form: a first line, the length of a JSON header in eight bytes, the header, and the buffers of
``column_codec`` one after the other.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

from transpiler.errors import TopologyError
from transpiler.gc_pause import pause_garbage_collection
from transpiler.layouts.layout import Layout
from transpiler.lowering.names import Missing
from transpiler.routing import tuning
from transpiler.routing.column_codec import decode, encode
from transpiler.routing.plan import RoutingPlan, build_plan
from transpiler.topology.importers.native_format import topology_from_dict, topology_to_dict
from transpiler.topology.model import Binding, Queue, Topology
from transpiler.version import __version__

#: Called with the number of bindings that are compiled and the number of all.
Progress = Callable[[int, int], None]

#: The form of the file, and its first line.
FORMAT = 1
MAGIC = b"selector-sql compiled topology\n"

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


@dataclass(frozen=True)
class Settings:
    """The choices that a plan is compiled with."""

    destination: Destination = field(default_factory=Destination)
    missing: Missing = "error"
    several: bool = False


class _Whole:
    """All queues and bindings of a topology, read when a change needs them for the first time."""

    def __init__(self, read: Callable[[], tuple[tuple[Queue, ...], tuple[Binding, ...]]]) -> None:
        self._read = read

    @cached_property
    def content(self) -> tuple[tuple[Queue, ...], tuple[Binding, ...]]:
        """The queues and the bindings."""
        with pause_garbage_collection():
            return self._read()

    @cached_property
    def queues(self) -> Mapping[str, Queue]:
        """The queues by name."""
        return {queue.name: queue for queue in self.content[0]}

    @cached_property
    def by_queue(self) -> Mapping[str, list[Binding]]:
        """The bindings of each queue."""
        bindings: dict[str, list[Binding]] = {}
        with pause_garbage_collection():
            for binding in self.content[1]:
                if binding.destination_type == "queue":
                    bindings.setdefault(binding.destination, []).append(binding)
        return bindings


@dataclass(frozen=True)
class Changes:
    """The queues that changes have touched, with their bindings now, None for a queue that is gone; and their plan."""

    queues: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None]
    plan: RoutingPlan


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
    _whole: _Whole
    changes: Changes | None = None
    name: str | None = None

    @cached_property
    def version(self) -> str:
        """The name that was given, else the first digits of a SHA-256 of what is compiled."""
        if self.name is not None:
            return self.name
        header, buffers = encode((self.settings, self._whole.content, self._skeleton, self._changed))
        digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
        for buffer in buffers:
            digest.update(buffer)
        return digest.hexdigest()[:_DIGITS]

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

        A queue that is bound and not declared is added; with a queue that is removed go its bindings. Takes time in
        proportion to the bindings of the queues that are touched, now or since all was compiled. A change of a binding
        between exchanges, or of a topology with alternates, compiles everything anew. Raises ``TopologyError`` for what
        is removed and not there, or added and wrong.
        """
        queues = self._changed
        # Who is in relation to others: an alternate gets what they do not, and the relay looks for a name among all.
        anew = _has_alternates(self.plan) or self.settings.destination.relay
        between = list(self.topology.bindings)
        for item in removed:
            if isinstance(item, Binding) and item.destination_type == "exchange":
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
        for item in added:
            if isinstance(item, Binding) and item.destination_type == "exchange":
                between.append(item)
                anew = True
            elif isinstance(item, Queue):
                queues[item.name] = item, self._queue(queues, item.name)[1]
            else:
                queue, bindings = self._queue(queues, item.destination)
                queues[item.destination] = queue, (*bindings, item)
        if anew or len(queues) > tuning.MAX_CHANGED_QUEUES:
            whole = self._topology(queues, between)
            return compile_plan(whole, self._known_layout, self.settings, version=version, progress=progress)
        changed = [entry for entry in queues.values() if entry is not None]
        known = {queue.name for queue in self.topology.queues}
        touched = replace(
            self.topology,
            queues=(*self.topology.queues, *(queue for queue, _ in changed if queue.name not in known)),
            bindings=(*between, *chain.from_iterable(bindings for _, bindings in changed)),
        )
        plan = _build(touched, self._known_layout, self.settings, progress)
        return replace(self, changes=Changes(queues, plan), name=version)

    def _queue(
        self,
        changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None],
        name: str,
        removed: Binding | Queue | None = None,
    ) -> tuple[Queue, tuple[Binding, ...]]:
        """Return a queue and its bindings now; a new one where there is none, unless something of it is removed."""
        if name in changed:
            known = changed[name]
        elif name in self._whole.queues:
            known = self._whole.queues[name], tuple(self._whole.by_queue.get(name, ()))
        else:
            known = None
        if known is None and removed is not None:
            raise _no_such(removed)
        return known or (Queue(name), ())

    def _topology(
        self, changed: Mapping[str, tuple[Queue, tuple[Binding, ...]] | None], between: list[Binding]
    ) -> Topology:
        """Return the whole topology after changes."""
        present = [entry for entry in changed.values() if entry is not None]
        queues, bindings = self._whole.content
        return replace(
            self.topology,
            queues=(*(queue for queue in queues if queue.name not in changed), *(queue for queue, _ in present)),
            bindings=(
                *between,
                *(
                    binding
                    for binding in bindings
                    if binding.destination_type == "queue" and binding.destination not in changed
                ),
                *chain.from_iterable(bindings for _, bindings in present),
            ),
        )

    @property
    def _known_layout(self) -> Layout:
        if self.layout is None:
            raise TopologyError.at(
                "compiled.layout",
                f"the layout {self.layout_name} is not kept in a file, and a change is compiled over it",
                hint="change the compiled topology before it is saved, or compile the changed topology",
            )
        return self.layout

    def save(self, path: str | Path) -> None:
        """Write it to a file, which appears under its name when it is complete."""
        try:
            layout = encode(self.layout)
        except TypeError:
            # A store's layout may be made of functions.
            layout = encode(None)
        changes = None if self.changes is None else self.changes.plan
        with pause_garbage_collection():
            parts = {
                "routing": encode((self.plan, changes, self._changed, self._skeleton, self.settings)),
                "layout": layout,
                "whole": encode(self._whole.content),
            }
        buffers = list(chain.from_iterable(buffers for _, buffers in parts.values()))
        header = {
            "format": FORMAT,
            "program": __version__,
            "version": self.version,
            "layout": self.layout_name,
            "parts": [[name, part, len(buffers)] for name, (part, buffers) in parts.items()],
            "lengths": list(map(len, buffers)),
            "crc": _checksum(buffers),
        }
        text = json.dumps(header).encode()
        target = Path(path)
        hidden = target.with_name(f".{target.name}.incomplete")
        try:
            with hidden.open("wb") as file:
                file.writelines([MAGIC, len(text).to_bytes(8, "big"), text, *buffers])
            hidden.replace(target)
        finally:
            hidden.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | Path) -> CompiledTopology:
        """Read it from a file. Raises ``TopologyError`` for a file that this version has not written."""
        data = memoryview(Path(path).read_bytes())
        try:
            header, buffers = _parts(data, str(path))
            with pause_garbage_collection():
                plan, changes, changed, skeleton, settings = decode(*_part(header, buffers, "routing"))
                layout = decode(*_part(header, buffers, "layout"))
            topology = topology_from_dict(json.loads(skeleton))
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, TopologyError):
                raise
            raise _unreadable(str(path), str(error)) from None
        return cls(
            plan,
            topology,
            layout,
            header["layout"],
            settings,
            _Whole(lambda: decode(*_part(header, buffers, "whole"))),
            None if changes is None else Changes(changed, changes),
            header["version"],
        )


def is_compiled(path: str | Path) -> bool:
    """Return True if a file begins as a compiled topology does."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


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
    plan = _build(topology, layout, settings, progress)
    alternates = {exchange.alternate.name for exchange in topology.exchanges if exchange.alternate is not None}
    skeleton = replace(
        topology,
        # The relay looks for a name among the queues.
        queues=tuple(queue for queue in topology.queues if settings.destination.relay or queue.name in alternates),
        bindings=tuple(binding for binding in topology.bindings if binding.destination_type == "exchange"),
        findings=(),
    )
    whole = _Whole(lambda: (topology.queues, topology.bindings))
    return CompiledTopology(plan, skeleton, layout, layout.name, settings, whole, None, version)


def _build(topology: Topology, layout: Layout, settings: Settings, progress: Progress | None) -> RoutingPlan:
    with pause_garbage_collection():
        exchange = settings.destination.exchange
        return build_plan(topology, layout, settings.missing, exchange, settings.several, progress)


def _has_alternates(plan: RoutingPlan) -> bool:
    return any(entry.alternates for entry in plan.entries.values())


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


def _checksum(buffers: Iterable[bytes | memoryview]) -> int:
    crc = 0
    for buffer in buffers:
        crc = zlib.crc32(buffer, crc)
    return crc


def _parts(data: memoryview, path: str) -> tuple[dict[str, Any], list[memoryview]]:
    """Return the header and the buffers of a file."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise _unreadable(path, "it does not begin as one")
    at = len(MAGIC) + 8
    length = int.from_bytes(data[len(MAGIC) : at], "big")
    header = json.loads(bytes(data[at : at + length]))
    if (header["format"], header["program"]) != (FORMAT, __version__):
        raise TopologyError.at(
            "compiled.version",
            f"{path} was written by version {header['program']} in form {header['format']}, and this is version "
            f"{__version__} with form {FORMAT}",
            hint="compile the topology again with this version",
        )
    ends = list(accumulate(header["lengths"], initial=at + length))
    if ends[-1] != len(data):
        raise ValueError("it is not complete")
    buffers = [data[start:end] for start, end in pairwise(ends)]
    if _checksum(buffers) != header["crc"]:
        raise ValueError("its checksum is wrong")
    return header, buffers


def _part(header: dict[str, Any], buffers: list[memoryview], name: str) -> tuple[dict[str, Any], list[memoryview]]:
    at = 0
    for other, part, count in header["parts"]:
        if other == name:
            return part, buffers[at : at + count]
        at += count
    raise KeyError(name)


def _unreadable(path: str, why: str) -> TopologyError:
    return TopologyError.at(
        "compiled.file",
        f"{path} is no compiled topology that this version reads: {why}",
        hint="compile the topology again",
    )
