"""Files of messages in the forms that people have them in: one reader for the library and for every command.

The first record of a file shows its form (``record_forms``); a form takes the lines of the file, with their numbers, to
records, one message each. Who opens a file is the caller's affair: ``Lines`` is a path here, standard input in a
command, a URI on Spark.

- A record has its place, and a text that is read as the same message again, whatever form it came in.
- An object shows what it is: message JSON, plain properties, an entry of a log, a message in a broker's answer; or the
  caller names the layout whose row it is.
- What is no message is a ``RecordError`` with its place. It ends the reading, or is told of and left out (``Errors``);
  no record is passed over without a word, but for deliveries in a log, which nobody published.

Not here: the sections of message JSON (``message.json``), the places of a layout (``compiler.layouts``), and what
becomes of a publication (``reference.route``).

Reading order: ``record_errors``, ``file_lines``, ``record``; the forms ``json_values``, ``csv_records``,
``tracing_text``, ``artemis_export``, ``browse_text``, ``broker_answers``, and ``record_forms``, which chooses among
them; ``read_message``, ``record_reader``, ``read_files``.
"""
