"""Enumerations whose members are keys of many look-ups in each compilation."""

from __future__ import annotations

from enum import Enum


class IdentityEnum(Enum):
    """Enumeration whose members are hashed by identity, as they are compared.

    ``Enum`` hashes the name, by a function in Python, which took a tenth of a compilation.
    """

    __hash__ = object.__hash__
