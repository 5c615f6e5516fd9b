"""Tempel des Schreckens, room of the rulebook: see README.md."""
