"""Comparisons of operands: =, <>, <, >, <=, >=, BETWEEN and IN, and warnings about comparisons that can never hold.

The idea: two operands are compared for each pair of alternatives; the types of the pair determine how it is compared.

An example is ``a > b`` in ``jms`` over ``stores.text_map("p", types="by-use")``, in which the types of texts are lost.

1. ``operands``: each operand is a text, and has a second version as a number: an integer if the text is an integer, a
   double if it is any other number, and otherwise a text. ``nearest`` is the nearest double of any number.
2. ``alternatives_beside``: ``jms`` orders only numbers, so both operands are read as numbers. There are two pairs, one
   of integers and one of nearest doubles, instead of four pairs of integers and other numbers.
3. ``comparison_kinds``: the first pair is compared as integers and the second pair as doubles, each under the guards of
   its alternatives::

    rlike(p['a'], '(?s)^[+-]?[0-9]+(?!.)') AND rlike(p['b'], '(?s)^[+-]?[0-9]+(?!.)')
      AND try_cast(p['a'] AS BIGINT) > try_cast(p['b'] AS BIGINT)
    OR NOT rlike(p['a'], '[^-+.0-9eE]') AND NOT rlike(p['b'], '[^-+.0-9eE]')
      AND try_cast(p['a'] AS DOUBLE) > try_cast(p['b'] AS DOUBLE)

   The second pair also compares two integers, as doubles. It holds only if the first pair holds, because rounding never
   reverses the order of numbers. For ``=`` and ``>=``, a guard excludes rows with two integers from the second pair.

In ``rabbitmq``, which orders strings, the SQL is ``p['a'] > p['b']``.

Three fields of an alternative or operand only make the SQL shorter:

- ``nearest``: the SQL of the example has 276 characters, and 842 without the field. The SQL of 43 realistic selectors
  over such texts has 5,854 characters, and 10,853 without.
- ``applies_where``: the SQL of these selectors over a VARIANT has 14,718 characters, and 14,996 without.
- ``shared_guard``: the SQL of ``a = b`` in ``activemq`` over the canonical schema has 7,662, and 8,492 without.

A fourth field, ``by_use``, decides which pairs there are: ``alternatives_beside`` chooses among its versions of a text.

In reading order: ``comparison_kinds``, ``comparison``, ``converted_texts``, ``type_warnings``,
``column_warnings``.
"""
