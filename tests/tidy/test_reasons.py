"""docs/api.md, "Reasons": the table has what the code raises and nothing else, and each line is shown by a test."""

from __future__ import annotations

import re

from tests.integration.api.test_reasons import PROVOCATIONS
from tests.tidy.reasons import BETWEEN_SERVICES, NOT_BY_NAME, SHOWN, documented, raised
from tests.tidy.tree import ROOT
from tests.unit.hosting.test_reasons import ALONE


def test_the_table_has_what_the_code_raises_and_nothing_else() -> None:
    assert set(documented()) == raised() - set(BETWEEN_SERVICES)
    assert set(BETWEEN_SERVICES) <= raised()


def test_each_reason_is_shown_by_a_test_that_there_is() -> None:
    provoked = {reason for reason, _, _ in PROVOCATIONS} | set(ALONE)
    assert set(documented()) == set(SHOWN) | provoked
    assert not set(SHOWN) & provoked, "one of the two is enough"
    for reason, where in SHOWN.items():
        file, _, test = where.partition("::")
        text = (ROOT / "tests" / file).read_text()
        assert not test or re.search(rf"def {test}\(", text), where
        assert reason in NOT_BY_NAME or reason in text, f"{where} doesn't mention {reason}"
