"""What a message is: AMQP types, sections and fields, and how JMS sees them."""
