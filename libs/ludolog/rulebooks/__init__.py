"""The rulebooks: one room each, and the catalogue."""
