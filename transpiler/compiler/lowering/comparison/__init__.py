"""Comparisons of operands: =, <>, the orders, BETWEEN and IN, and the warnings about those that can never hold.

The idea: two operands are compared alternative by alternative; the types of a pair say which comparison that is.

An example is ``a > b`` in ``jms`` over ``stores.text_map("p", types="by-use")``, whose texts have lost their types.

1. ``operands``: each operand is a text, and has a reading as numbers beside it: an integer if the text is one, a double
   if it spells any other number, and a text if it spells none. ``nearest`` is the double for a number of either kind.
2. ``alternatives_beside``: ``jms`` orders numbers only, so both operands are read as numbers. There are two pairs, one
   of the integers and one of the nearest doubles, where there would be four of integers and other numbers.
3. ``comparison_kinds``: the first pair is compared as integers, the second one as doubles, each under the guards of its
   alternatives. The guard of the second pair leaves out the rows of the first::

    rlike(p['a'], '(?s)^[+-]?[0-9]+(?!.)') AND rlike(p['b'], '(?s)^[+-]?[0-9]+(?!.)')
      AND try_cast(p['a'] AS BIGINT) > try_cast(p['b'] AS BIGINT)
    OR NOT rlike(p['a'], '[^-+.0-9eE]') AND (… both are integers …) IS NOT TRUE
      AND NOT rlike(p['b'], '[^-+.0-9eE]') AND try_cast(p['a'] AS DOUBLE) > try_cast(p['b'] AS DOUBLE)

Three fields of an alternative or operand only make the SQL shorter:

- ``nearest``: the example has 462 characters, and 974 without it.
- ``stands_where``: 43 selectors of practice over a VARIANT have 18,898 characters, and 19,740 without it.
- ``shared_guard``: ``a = b`` in ``activemq`` over the canonical schema has 7,462 characters, and 8,292 without it.

In reading order: ``comparison_kinds``, ``comparison``, ``converted_texts``, ``type_warnings``,
``column_warnings``.
"""
