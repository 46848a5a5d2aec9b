"""Documents that people and brokers write: values with limits and typed access, and the places of errors.

Two kinds of values of JSON, YAML and XML: a ``Node`` knows its place, for files that are small; an ``Entry`` knows its
path, for files of a million bindings, and the place of a path is looked for when there is an error (``Document``). Both
name what was expected, what stands there, and near names. YAML is read in one way: a word that it does not read as
people do is refused with the spelling to use, where its document is what was asked for. A term of Erlang is folded by
its reader's functions.

Not here: what a document means, and bodies of messages that are XML (``message.documents``).

Read ``placed_values``, ``yaml_text``, ``value_places``, ``entries``, ``loading``; ``xml_elements``; ``erlang_terms``.
"""
