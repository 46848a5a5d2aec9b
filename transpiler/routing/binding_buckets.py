"""Binding buckets: the queues and bindings of a topology, partitioned by a hash of the queue's name.

A change needs only the bindings of the queues that it touches. Each bucket is a member of the file, so that a change of
a loaded topology decodes only the buckets of these queues, and saving a loaded topology decodes no bucket.

Invariants: a queue and all bindings to it, in their order, are in the same bucket in every process. The digest is
computed from the encoded buckets, whether they were read from a file or built.

Deliberately not here: bindings between exchanges, which are few and concern many queues.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from transpiler.base.errors import TopologyError
from transpiler.routing import tuning
from transpiler.routing.compiled_file import decode, encode, part
from transpiler.routing.gc_pause import pause_garbage_collection
from transpiler.topology.records import Binding, Queue


@part
class Bucket(NamedTuple):
    """Some queues, and all bindings to these queues."""

    queues: list[Queue]
    bindings: list[Binding]


def bucket_number(name: str, count: int) -> int:
    """Return the number of the bucket that contains the queue ``name``, if there are ``count`` buckets."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % count


class BindingBuckets:
    """The buckets of a topology; ``blocks`` are encoded buckets from a file, which are decoded on demand.

    ``size`` is the number of queues or the number of bindings in all buckets, whichever is larger.
    """

    def __init__(self, size: int, buckets: Sequence[Bucket] = (), blocks: Sequence[bytes] = ()) -> None:
        self.size = size
        self.count = len(buckets or blocks)
        self._buckets = dict(enumerate(buckets))
        self._blocks = blocks

    @classmethod
    def of(cls, queues: Sequence[Queue], bindings: Sequence[Binding]) -> BindingBuckets:
        """Distribute ``queues`` and ``bindings`` over buckets; bindings that do not lead to queues are left out."""
        size = max(len(queues), len(bindings))
        count = 1 + size // tuning.BUCKET_SIZE
        buckets = [Bucket([], []) for _ in range(count)]
        for queue in queues:
            buckets[bucket_number(queue.name, count)].queues.append(queue)
        for binding in bindings:
            if binding.destination_type == "queue":
                buckets[bucket_number(binding.destination, count)].bindings.append(binding)
        return cls(size, buckets)

    def bucket(self, number: int) -> Bucket:
        """Return the bucket ``number``. Raises ``TopologyError`` if the file has no valid bucket of that number."""
        if number not in self._buckets:
            try:
                with pause_garbage_collection():
                    bucket = decode(self._blocks[number])
                if not isinstance(bucket, Bucket):
                    raise ValueError(f"expected a Bucket, found a {type(bucket).__name__}")
            except ValueError as error:
                message = f"the bindings in part {number} of the compiled topology cannot be read: {error}"
                raise TopologyError.at("compiled.file", message, hint="perhaps compile the topology again") from None
            self._buckets[number] = bucket
        return self._buckets[number]

    @cached_property
    def blocks(self) -> Sequence[bytes]:
        """The encoded buckets, in order."""
        with pause_garbage_collection():
            return self._blocks or [encode(self._buckets[number]) for number in range(self.count)]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the encoded buckets, in hexadecimal digits."""
        digest = hashlib.sha256()
        for block in self.blocks:
            digest.update(block)
        return digest.hexdigest()

    def find(self, name: str) -> tuple[Queue, tuple[Binding, ...]] | None:
        """Return the queue ``name`` and its bindings; None if there is no queue of that name."""
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
