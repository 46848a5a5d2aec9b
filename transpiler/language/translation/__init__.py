"""A tree in other names: header names of JMS and of the wire, and the names of one part of a message in two dialects.

The idea: a name stands for places of a message (``HeaderFields``), so the counterpart of a name is one that reads the
same place.

Deliberately not here: values, which two dialects may read from one place in two ways (``dialect_tools.port``).

In reading order: ``places``, ``field_mapping``, ``named_fields``.
"""
