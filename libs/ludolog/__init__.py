"""Ludolog: board games on an event log."""
