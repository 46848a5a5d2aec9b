"""The selector language: its surface tree, its dialects, lexer, grammar, checks and printer.

The idea: one grammar for all dialects. A dialect is a frozen record of answers to the questions on which brokers
differ; lexer, checks, evaluator and compiler read the record.

Invariants:

- Any text parses or raises ``SelectorSyntaxError``, ``SelectorTypeError`` or ``UnsupportedFeatureError`` with a span
  inside the text. Depth, length and the number of tokens are limited before a tree is built.
- ``parse_selector(print_selector(tree)) == tree``.

Deliberately not here: what a selector means for a message (``reference``) or for a row (``lowering``).

In reading order: ``ast``, ``dialect_rules``, ``dialects``, ``broker_dialects``, ``numbers``, ``pattern``, ``lexer``,
``token_rewriting``, ``grammar``, ``static_typing``, ``pattern_checks``, ``checks``, ``parsing``, ``printer``.
For texts that do not parse: ``mistakes``; for many that differ in their literals: ``literal_scanner``.
"""
