"""What is cached: sessions, checkpoints, owners, presence, wake-ups. Everything here may be lost at any moment."""
