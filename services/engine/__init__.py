"""Judges the commands of one rulebook's matches and writes its log."""
