"""Documents that people and brokers write: values with limits and typed access, and the locations of errors.

JSON, YAML and XML have two kinds of values. A ``Node`` contains its location, for small files. An ``Entry`` contains
its path, for files of a million bindings; ``Document`` finds the location of a path only when an error needs it. The
errors of both name what was expected, what was found, and similar names. If YAML would give a word another meaning than
people expect, the word is rejected with the spelling to use, as soon as the caller needs its value. The reader of
Erlang terms calls functions of its caller to build the result.

Not here: the meaning of a document, and XML bodies of messages (``message.documents``).

Read ``located_values``, ``yaml_text``, ``value_locations``, ``entries``, ``loading``; then ``xml_elements``,
``xml_includes``, and ``erlang_terms``.
"""
