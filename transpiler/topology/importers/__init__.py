"""Files that describe a topology: the project's own form, RabbitMQ's definitions, Broker-J's configuration.

Invariants: every refusal names the path of the entry in the file; what an export has lost is a finding of the
``Topology``, never a silent guess.

In reading order: ``json_reader``, ``yaml_reader``, ``native_format``, ``rabbitmq`` with ``rabbitmq_policies`` and
``jms_selector_term``, ``broker_j``.
"""
