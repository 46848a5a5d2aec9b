"""The selector language: surface tree, dialects, lexer, grammar, checks and printer.

The idea: one grammar for all dialects. A dialect is a frozen record with one option for each rule on which brokers
differ; lexer, checks, evaluator and compiler read the record.

Invariants:

- Any text parses or raises ``SelectorSyntaxError``, ``SelectorTypeError`` or ``UnsupportedFeatureError`` with a span
  inside the text. Depth, length and the number of tokens are limited before a tree is built.
- ``parse_selector(print_selector(tree)) == tree``.

Deliberately not here: the evaluation of a selector for a message (``reference``) and its lowering (``lowering``).

In reading order: ``ast``, ``dialect_rules``, ``dialects``, ``broker_dialects``, ``numbers``, ``pattern``, ``lexer``,
``token_rewriting``, ``grammar``, ``static_typing``, ``checks``, ``pattern_checks``, ``parsing``, ``printer``.
``mistakes`` explains texts that do not parse. ``literal_scanner`` serves many selectors that differ only in literals.
"""
