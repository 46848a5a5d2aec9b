"""Files that describe a topology: the project's own form, and the configurations of RabbitMQ and of four other brokers.

Invariants: every refusal names the path of the entry in the file; what an export has lost is a finding of the
``Topology``, never a silent guess.

In reading order: ``json_reader``, ``yaml_reader``, ``native_format``, ``rabbitmq`` with ``rabbitmq_policies`` and
``jms_selector_term``, ``broker_j``; ``xml_reader``, ``exchange_builder``, ``known_names``; ``artemis_config``,
``artemis_addresses``, ``artemis_settings``, ``artemis_topology``; ``activemq_config``, ``activemq_patterns``,
``activemq_topology``.
"""
