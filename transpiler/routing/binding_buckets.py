"""Binding buckets: the queues and bindings of a topology, partitioned by a hash of the queue's name.

A change needs the bindings of the queues that it touches. Each bucket is encoded on its own, so that a change of a
topology that was loaded decodes those buckets only, and a topology that was loaded is saved without decoding any.

Invariants: a queue is in the same bucket in every process, and so are all bindings to it, in their order; the digest is
that of the encoded buckets, whether they were read from a file or made.

Deliberately not here: bindings between exchanges, which are few and concern many queues.
"""

from __future__ import annotations

import hashlib
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from transpiler.gc_pause import pause_garbage_collection
from transpiler.routing import tuning
from transpiler.routing.column_codec import decode_block, encode_block
from transpiler.topology.model import Binding, Queue


class Bucket(NamedTuple):
    """Queues, and all bindings to them."""

    queues: list[Queue]
    bindings: list[Binding]


def bucket_number(name: str, count: int) -> int:
    """Return the number of the bucket, of so many, that a queue is in."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % count


class BindingBuckets(ABC):
    """The buckets of a topology, by their numbers."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of buckets, at least one."""

    @abstractmethod
    def bucket(self, number: int) -> Bucket:
        """Return a bucket. ``ValueError`` where it was read from a file and is damaged."""

    @property
    @abstractmethod
    def blocks(self) -> Sequence[bytes | memoryview]:
        """The buckets, encoded."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A SHA-256 of the encoded buckets, in hexadecimal digits."""

    def find(self, name: str) -> tuple[Queue, tuple[Binding, ...]] | None:
        """Return a queue and its bindings; None where there is no queue of that name."""
        queues, bindings = self.bucket(bucket_number(name, self.count))
        queue = next((queue for queue in queues if queue.name == name), None)
        if queue is None:
            return None
        return queue, tuple(binding for binding in bindings if binding.destination == name)

    def queues(self) -> Iterator[Queue]:
        """Yield all queues, bucket by bucket."""
        for bucket in self._all():
            yield from bucket.queues

    def bindings(self) -> Iterator[Binding]:
        """Yield all bindings to queues, bucket by bucket."""
        for bucket in self._all():
            yield from bucket.bindings

    def _all(self) -> list[Bucket]:
        with pause_garbage_collection():
            return list(map(self.bucket, range(self.count)))


class PartitionedBindings(BindingBuckets):
    """The buckets of queues and bindings that are in memory; those between exchanges are left out."""

    def __init__(self, queues: Sequence[Queue], bindings: Sequence[Binding]) -> None:
        self._queues = queues
        self._bindings = bindings

    @property
    def count(self) -> int:
        """The number of buckets, by the number of queues and bindings."""
        return 1 + max(len(self._queues), len(self._bindings)) // tuning.BUCKET_SIZE

    def bucket(self, number: int) -> Bucket:
        """Return a bucket of the partition, which is made when it is needed for the first time."""
        return self._buckets[number]

    @cached_property
    def _buckets(self) -> list[Bucket]:
        count = self.count
        buckets = [Bucket([], []) for _ in range(count)]
        for queue in self._queues:
            buckets[bucket_number(queue.name, count)].queues.append(queue)
        for binding in self._bindings:
            if binding.destination_type == "queue":
                buckets[bucket_number(binding.destination, count)].bindings.append(binding)
        return buckets

    @cached_property
    def blocks(self) -> Sequence[bytes | memoryview]:
        """The buckets, encoded when they are needed for the first time."""
        with pause_garbage_collection():
            return list(map(encode_block, self._buckets))

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of the encoded buckets."""
        return _digest(self.blocks)


class EncodedBindings(BindingBuckets):
    """The buckets of a file, each decoded when it is needed for the first time."""

    def __init__(self, blocks: Sequence[bytes | memoryview], digest: str) -> None:
        self._blocks = blocks
        self._digest = digest
        self._decoded: dict[int, Bucket] = {}

    @property
    def count(self) -> int:
        """The number of buckets in the file."""
        return len(self._blocks)

    @property
    def blocks(self) -> Sequence[bytes | memoryview]:
        """The buckets as the file has them."""
        return self._blocks

    @property
    def digest(self) -> str:
        """The digest in the file's header: a change is named without a pass over the file."""
        return self._digest

    def bucket(self, number: int) -> Bucket:
        """Decode a bucket."""
        if number not in self._decoded:
            with pause_garbage_collection():
                self._decoded[number] = decode_block(self._blocks[number])
        return self._decoded[number]


def _digest(blocks: Iterable[bytes | memoryview]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
