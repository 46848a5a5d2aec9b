"""Layouts: the places of a message's fields and properties in a DataFrame, one layout for each kind of store.

The idea: a layout answers, for a message field or a property name, with the place of its value in a row and with the
types that it may have there. Nothing else knows a column's name.

Invariants: of the alternatives that a layout gives for one value, at most one is not NULL in a row; a name without a
column is an error that suggests near names, or NULL where the caller asked for that.

Deliberately not here: what a name means to a selector (``message.header_fields``, ``lowering``), and Spark itself: a
schema comes in as Spark's JSON form.

In reading order: ``columns`` (types as data), ``schemas``, ``layout`` (the protocol), ``stored`` (its answers),
``collations``, ``amqp``, ``flat``, ``typed_schema``, ``amqp_0_10``, ``amqp_rows``, ``message_rows``, ``json_rows``,
``sent``; then what stores are made of: ``store``, ``named_fields``, ``header_places``, ``header_readings``,
``property_source``, ``variant_values``, ``variant_object``, ``text_types``, ``encoded_values``, and in Python ``rows``,
``spark_texts``. The stores themselves are in ``transpiler.stores``.
"""
