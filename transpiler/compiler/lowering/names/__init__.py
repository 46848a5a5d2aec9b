"""Names as operands: which places of the layout a name is read from, with which conversion, and what the receiver says.

No module outside ``layouts`` decides which column a value comes from; here the layout is asked.

In reading order: ``column_values``, ``names``, ``unknown_names``.
"""
