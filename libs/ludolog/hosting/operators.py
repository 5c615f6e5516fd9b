"""Print a token for an operator: `python -m ludolog.hosting.operators NAME`.

It is signed with LUDOLOG_IDENTITY_KEY_FILE, the operator's own key (embedded: the platform's, in the data folder), and
taken on ports between services only.
"""

from __future__ import annotations

import sys

from ludolog.hosting.clock import SystemClock
from ludolog.hosting.identity import OPERATOR, load_keyring
from ludolog.hosting.running import BAD_SETTINGS, load_or_exit

TTL_S = 3600


def main(arguments: list[str]) -> int:
    """Print it. Returns the exit code."""
    if len(arguments) != 1 or not arguments[0] or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)  # noqa: T201 - for the person at the terminal
        return BAD_SETTINGS
    settings = load_or_exit()
    path = settings.identity_key_file or settings.data / "identity.pem"
    try:
        keys = load_keyring(path, SystemClock(), trusted=settings.trusted_keys)
    except (OSError, ValueError) as error:
        print(f"ludolog: {error}", file=sys.stderr)  # noqa: T201 - for the person at the terminal
        return BAD_SETTINGS
    if not settings.embedded and not keys.may_sign_for(OPERATOR):
        print(f"ludolog: {path} isn't an operator's key in {settings.trusted_keys}", file=sys.stderr)  # noqa: T201
        return BAD_SETTINGS
    print(keys.sign(arguments[0], roles=(OPERATOR,), ttl_s=TTL_S))  # noqa: T201 - what was asked for
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
