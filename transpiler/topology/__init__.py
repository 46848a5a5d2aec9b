"""Who receives what: exchanges, queues, bindings and addresses, by the rules of one broker.

Objects and readers only. What a topology does with a message is said by ``reference.route``; nothing here knows a
dialect's grammar, a layout or SQL.
"""
