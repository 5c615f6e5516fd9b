"""House players: ordinary clients of the public API."""
