"""The whole platform in this process."""

from __future__ import annotations

from tests.integration.observed.conftest import platform, settings

__all__ = ["platform", "settings"]
