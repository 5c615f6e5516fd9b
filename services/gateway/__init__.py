"""The only public address: sign-in, limits, routing, fan-out. Knows no game."""
