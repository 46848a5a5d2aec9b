"""Layouts: the places of a message's fields and properties in a DataFrame, one layout for each kind of store.

The idea: a layout answers, for a message field or a property name, with the place of its value in a row and with the
types that it may have there. Nothing else knows a column's name.

Invariants: of the alternatives that a layout gives for one value, at most one is not NULL in a row; a name without a
column is an error that suggests near names, or NULL where the caller asked for that. ``Layout.over`` is the only way to
a layout over a table, and ``table_columns`` the only look-up of a column by its name.

Deliberately not here: what a name means to a selector (``message.header_fields``, ``lowering``), and Spark itself: a
schema comes in as Spark's JSON form.

In reading order: ``columns`` (types as data), ``schemas``, ``layout`` (the base class), ``stored`` (its answers),
``collations``, ``table_columns``, ``amqp``, ``flat``, ``amqp_0_10``, ``amqp_rows``, ``message_rows``, ``json_rows``,
``sent``; then what stores are made of: ``store``, ``named_fields``, ``header_places``, ``header_readings``,
``property_source``, ``variant_values``, ``variant_object``, ``text_types``, ``encoded_values``, and in Python ``rows``,
``spark_texts``. The stores themselves are in ``transpiler.stores``.
"""
