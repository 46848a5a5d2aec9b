"""Files that describe a topology: the project's own form, and the configurations of RabbitMQ and of four other brokers.

Invariants: every error names the path of the entry in the file, from which its line and column are derived; information
that an export lacks becomes a finding of the ``Topology``, never a silent guess.

In reading order: ``binding_arguments``, ``native_format``, ``rabbitmq`` with ``rabbitmq_policies`` and
``jms_selector_term``, ``broker_j``; ``included``, ``exchange_builder``, ``display_builder``, ``known_names``,
``constant_conditions``; ``artemis_config``, ``artemis_links``, ``artemis_properties``, ``artemis_addresses``,
``artemis_settings``, ``artemis_display``, ``artemis_topology``; ``activemq_config``, ``activemq_patterns``,
``activemq_networks``, ``activemq_display``, ``activemq_state``, ``activemq_topology``; ``kubernetes``. ``documents``
defines values, elements and locations in a file.
"""
