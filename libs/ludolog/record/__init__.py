"""What stands in a game log: commits and their chain, a match as the fold of its commits, the match record file."""
