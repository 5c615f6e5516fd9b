"""Other engines, measured beside ours in the same run."""
