"""A report as text: for people (``human``), and for programs (``json_form``, ``github``, ``sarif``)."""
