"""A report as text: for people (``human``, ``oneline``), and for programs (``json_form``, ``github``, ``sarif``)."""
