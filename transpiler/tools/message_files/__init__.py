"""Reader for files of messages, in all formats in which users have messages; the library and every command use it.

The format of a file is recognized by its first record (``record_forms``). A module for each format converts the
numbered lines to records, one for each message. The caller's function ``Lines`` opens the file: from a path here, from
standard input in a command, from a URI on Spark.

- A record has its location, and a text from which the same message can be read again, whatever the format was.
- The members of an object show what it is: message JSON, plain properties, an entry of a log, or a message in a
  broker's answer; or the caller names the layout of which it is a row.
- A record that is not a message is a ``RecordError`` with its location, which ends the reading or is reported
  (``Errors``). Only deliveries in a log are skipped silently, because nobody published them.

Not here: the sections of message JSON (``message.json``), the columns of a layout (``compiler.layouts``), and the
routing of a publication (``reference.route``).

Reading order: ``record_errors``, ``file_lines``, ``record``; the forms ``json_values``, ``csv_records``,
``tracing_text``, ``artemis_export``, ``browse_text``, ``broker_answers``, and ``record_forms``, which chooses among
them; ``read_message``, ``record_reader``, ``read_files``.
"""
