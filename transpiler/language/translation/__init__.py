"""Translation of the names in a tree: between the header names of JMS and AMQP, and between two dialects.

The idea: a dialect maps a name to the message fields that it reads (``HeaderFields``), so the counterpart of a name is
a name that reads the same message field.

Deliberately not here: values, because two dialects may convert the same message field differently
(``dialect_tools.port``).

In reading order: ``message_fields``, ``field_mapping``, ``header_names``.
"""
