"""AMQP 1.0 messages in plain Python: sections, types, header fields, and how JMS and each broker see them.

The idea: each table of a standard is a table of this package: the AMQP types and their coercions, the header fields and
the AMQP fields that hold them, the type of a property in each broker.

Invariants: a value keeps its AMQP type; the tables are shared by the reference evaluator and the compiler, which share
nothing else.

Deliberately not here: selectors, columns of DataFrames, and the bytes of a value (``amqp``).

In reading order: ``types``, ``sections``, ``message``, ``operand_types``; about header fields ``header_fields``,
``jms_fields``, ``broker_fields``; then ``ids``, ``jms_types``, ``documents`` (XML); the formats of a whole message
``json``, ``codec``, ``rabbitmq_trace``; ``subscriptions``.
"""
