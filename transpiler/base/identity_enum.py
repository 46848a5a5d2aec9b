"""The base class of enumerations whose members are looked up as dictionary keys many times in each compilation."""

from __future__ import annotations

from enum import Enum


class IdentityEnum(Enum):
    """Enumeration whose members are hashed by identity, which is fast and agrees with their comparison by identity.

    ``Enum`` hashes the member's name in a Python function, which took a tenth of the time of a compilation.
    """

    __hash__ = object.__hash__
