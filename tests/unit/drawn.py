"""A room's drawing for the page, made by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from tests.tidy.tree import ROOMS

NODE = shutil.which("node")


def drawn(name: str, view: Message, what: str = "draw", **options: Any) -> str:
    """What `draw` of a room's board.js makes of a view, or the drawing of its "scene"."""
    if NODE is None:
        pytest.skip("node isn't installed: the browser suite draws the board in Chromium")
    board = (ROOMS / name / "board.js").as_uri()
    seen = json_format.MessageToDict(view, preserving_proto_field_name=True)
    call = f"{what}({json.dumps(seen)}, {json.dumps(options)})" + (".drawing" if what == "scene" else "")
    script = f"import {{{what}}} from {json.dumps(board)}; process.stdout.write({call})"
    done = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return done.stdout
