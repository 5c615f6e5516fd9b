"""Where players gather before a match: tables and queues."""
