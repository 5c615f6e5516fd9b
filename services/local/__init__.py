"""The whole platform in one process."""

import os

# gRPC's core writes a line of its own about a taken port; the process says it better. It is read at grpc's import.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
