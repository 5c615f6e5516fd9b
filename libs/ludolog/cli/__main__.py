"""`python -m ludolog.cli`, where the venv's `ludolog` isn't on the path."""

import sys

from ludolog.cli.program import main

sys.exit(main())
