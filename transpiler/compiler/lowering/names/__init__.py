"""Lowering of names to operands: the fields from which a name is read, the conversions, and values of the receiver.

No module outside ``layouts`` decides which column a value comes from; this package queries the layout.

In reading order: ``column_values``, ``names``, ``unknown_names``.
"""
