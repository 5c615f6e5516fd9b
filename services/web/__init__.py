"""The page: static files, and the public API as JSON over HTTP."""
