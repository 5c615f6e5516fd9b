"""Each rulebook's room, and each service's folder, is complete."""

import pytest

from tests.tidy.tree import ROOMS, ROOT, SERVICES, packages


@pytest.mark.parametrize("room", packages(ROOMS))
class TestRoom:
    @pytest.mark.parametrize("page", ["README.md", "RULINGS.md", "how_to_play.md"])
    def test_has_its_pages(self, room: str, page: str) -> None:
        assert (ROOMS / room / page).is_file(), f"libs/ludolog/rulebooks/{room}/{page} is missing"

    def test_has_scenarios(self, room: str) -> None:
        assert list((ROOT / "tests" / "scenarios" / room).rglob("*.yaml")), f"no tests/scenarios/{room}/*.yaml"

    def test_has_golden_matches(self, room: str) -> None:
        folder = ROOT / "tests" / "golden" / room
        assert [path for path in folder.rglob("*") if path.is_file()], (
            f"nothing in tests/golden/{room}/ (make golden RULEBOOK={room})"
        )

    def test_has_its_line_in_the_catalogue(self, room: str) -> None:
        assert room in (ROOMS / "catalogue.py").read_text(), f"{room} has no line in catalogue.py"

    def test_has_its_contract(self, room: str) -> None:
        assert (ROOT / "protos" / "ludolog" / "api" / "games" / room / "v1" / f"{room}.proto").is_file()


@pytest.mark.parametrize("service", packages(SERVICES))
def test_service_has_a_readme(service: str) -> None:
    assert (SERVICES / service / "README.md").is_file(), f"services/{service}/README.md is missing"
