"""Master keys: made once, never overwritten, refused with a clear word where they can't be used."""

import stat
from pathlib import Path

import pytest

from ludolog.fairness import derive_seed
from services.rng.keys import DEFAULT_FILE, BadKeys, UnknownKey, own_keys, read_keys

MATCH = "tempel-" + "a" * 26
OLD, NEW = "11" * 32, "22" * 40


def key_file(folder: Path, text: str, name: str = "keys", mode: int = 0o600) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_first_run_makes_a_key_for_its_owner_alone_and_later_runs_keep_it(tmp_path: Path) -> None:
    first = own_keys(tmp_path / "data")
    path = tmp_path / "data" / DEFAULT_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written = path.read_bytes()
    assert own_keys(tmp_path / "data") == first
    assert path.read_bytes() == written
    assert list(path.parent.iterdir()) == [path]


def test_a_key_made_anew_has_another_id(tmp_path: Path) -> None:
    assert own_keys(tmp_path / "a").current != own_keys(tmp_path / "b").current


def test_the_first_key_of_the_first_file_is_the_current_one(tmp_path: Path) -> None:
    newer = key_file(tmp_path, f"# rotated in May\n\nnew {NEW}\n", "newer")
    older = key_file(tmp_path, f"old {OLD}\n", "older")
    keys = read_keys([newer, older])
    assert keys.current == "new"
    assert keys.seed("old", MATCH) == derive_seed(bytes.fromhex(OLD), MATCH)
    assert keys.seed("new", MATCH) == derive_seed(bytes.fromhex(NEW), MATCH)


def test_in_a_folder_the_last_name_is_the_current_one_and_hidden_files_mean_nothing(tmp_path: Path) -> None:
    key_file(tmp_path, f"old {OLD}", "2025")
    key_file(tmp_path, f"new {NEW}", "2026")
    key_file(tmp_path, "not a key", ".2027.swp")
    assert read_keys([tmp_path]).current == "new"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no master key"),
        ("k1 " + "11" * 31, "at least 32 bytes"),
        ("k1 xyz", "line 1"),
        (f"k1 {OLD}\nk2 {NEW} {NEW}", "line 2"),
        (f"k1 {OLD}\nk1 {NEW}", "two different"),
    ],
)
def test_unusable_keys_are_named_without_being_shown(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadKeys, match=problem) as refused:
        read_keys([key_file(tmp_path, text)])
    assert OLD not in str(refused.value)
    assert NEW not in str(refused.value)


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o660, 0o602])
def test_a_file_that_others_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(BadKeys, match="open to others"):
        read_keys([key_file(tmp_path, f"k1 {OLD}", mode=mode)])


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o440])
def test_a_mounted_secret_is_read(tmp_path: Path, mode: int) -> None:
    assert read_keys([key_file(tmp_path, f"k1 {OLD}", mode=mode)]).current == "k1"


def test_a_missing_file_is_named_and_an_open_own_file_isnt_replaced(tmp_path: Path) -> None:
    with pytest.raises(BadKeys, match="can't be read"):
        read_keys([tmp_path / "nowhere"])
    path = key_file(tmp_path, f"k1 {OLD}", DEFAULT_FILE, 0o644)
    with pytest.raises(BadKeys, match="open to others"):
        own_keys(tmp_path)
    assert OLD in path.read_text()


def test_a_folder_that_cant_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadKeys, match="can't be made"):
        own_keys(tmp_path / "file" / "data")


def test_there_are_no_seeds_of_unknown_keys_and_no_key_is_ever_shown(tmp_path: Path) -> None:
    keys = read_keys([key_file(tmp_path, f"k1 {OLD}")])
    with pytest.raises(UnknownKey):
        keys.seed("k2", MATCH)
    assert OLD not in repr(keys)
    assert repr(bytes.fromhex(OLD)) not in repr(keys)
