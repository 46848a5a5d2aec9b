"""Layouts: the columns and map keys of a DataFrame that hold a message's fields and properties.

The idea: for a message field or a property name, a layout returns the column or key that holds the value, and the types
that the value can have. Only layouts know the names of columns.

Invariants: of the alternatives that a layout returns for one value, at most one is not NULL in a row; a name without a
column is an error that suggests similar names, or NULL if the caller asked for that. Only ``Layout.over`` binds a
layout to a table, and only ``table_columns`` looks up a column by name.

Deliberately not here: the meaning of a name in a selector (``message.header_fields``, ``lowering``), and Spark itself:
a schema is passed in Spark's JSON form.

In reading order: ``columns`` (types as data), ``schemas``, ``layout`` (the base class), ``stored`` (what it returns),
``collations``, ``table_columns``, ``amqp``, ``flat``, ``amqp_0_10``, ``amqp_rows``, ``message_rows``, ``json_rows``,
``sent``; then the elements of stores: ``store``, ``named_fields``, ``header_places``, ``header_readings``,
``property_source``, ``variant_values``, ``variant_object``, ``text_types``, ``encoded_values``, and in Python ``rows``,
``spark_texts``. The stores themselves are in ``transpiler.stores``.
"""
