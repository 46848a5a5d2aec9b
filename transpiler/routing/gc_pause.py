"""Pause of Python's collector of cycles, while many objects without cycles are made.

Each time that the objects of a process have grown by a quarter the collector goes through all of them. Compiling
100,000 bindings, or a selector of 10,000 terms, then takes up to twice as long, all for nothing: trees and tables hold
no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Pause the collector for a block; afterwards it runs again, unless the caller had paused it before."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
