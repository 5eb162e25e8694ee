from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from client_cli.identity import CONFIG_VARIABLE, IdentityError, config_directory, open_identity

URL = "ws://127.0.0.1:8000/ws"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    base = tmp_path / "config"
    identity = open_identity(URL, directory=base)
    assert (identity.slot, identity.token, identity.name) == ("default", None, None)
    identity.save(token="secret")
    identity.save(name="Ada")
    assert mode(identity.path) == 0o600
    assert mode(identity.path.parent) == 0o700
    assert mode(base) == 0o700
    assert [path.suffix for path in identity.path.parent.iterdir() if path.suffix != ".lock"] == [".json"]
    identity.close()
    again = open_identity(URL, directory=base)
    assert (again.slot, again.token, again.name) == ("default", "secret", "Ada")
    again.close()


def test_a_second_terminal_takes_the_next_slot_and_keeps_it(tmp_path: Path) -> None:
    first = open_identity(URL, directory=tmp_path)
    second = open_identity(URL, directory=tmp_path)
    third = open_identity(URL, directory=tmp_path)
    assert [first.slot, second.slot, third.slot] == ["default", "default-2", "default-3"]
    second.save(token="second")
    second.close()
    again = open_identity(URL, directory=tmp_path)
    assert (again.slot, again.token) == ("default-2", "second")
    for identity in (first, again, third):
        identity.close()


def test_another_program_s_lock_counts(tmp_path: Path) -> None:
    code = f"import sys; from client_cli.identity import open_identity; print(open_identity({URL!r}).slot)"
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.stdout.flush(); sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
        env={CONFIG_VARIABLE: str(tmp_path)},
    )  # fmt: skip
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "default\n"
        identity = open_identity(URL, directory=tmp_path)
        assert identity.slot == "default-2"
        identity.close()
    freed = open_identity(URL, directory=tmp_path)  # a lock ends with its program
    assert freed.slot == "default"
    freed.close()


def test_a_named_identity_is_that_one_or_none(tmp_path: Path) -> None:
    bob = open_identity(URL, "bob", tmp_path)
    with pytest.raises(IdentityError) as error:
        open_identity(URL, "bob", tmp_path)
    assert (error.value.reason, error.value.detail) == ("in_use", "bob")
    bob.close()
    for name in ("", "../x", "a b", "-x", "x" * 33):
        with pytest.raises(IdentityError) as error:
            open_identity(URL, name, tmp_path)
        assert error.value.reason == "name"


def test_servers_have_identities_of_their_own(tmp_path: Path) -> None:
    one, other = open_identity(URL, directory=tmp_path), open_identity("wss://b/ws", directory=tmp_path)
    assert (one.slot, other.slot) == ("default", "default")
    assert one.path.parent != other.path.parent
    one.close()
    other.close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"token": 5}', json.dumps({"token": "x" * 65}), "\xff"])
def test_a_damaged_file_is_an_identity_without_a_token(tmp_path: Path, text: str) -> None:
    identity = open_identity(URL, directory=tmp_path)
    identity.path.write_bytes(text.encode("latin-1"))
    identity.close()
    again = open_identity(URL, directory=tmp_path)
    assert again.token is None
    again.save(token="new")
    assert json.loads(again.path.read_text())["token"] == "new"
    again.close()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(IdentityError) as error:
        open_identity(URL, directory=blocked)
    assert error.value.reason == "storage"


def test_the_environment_overrides_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path))
    assert config_directory() == tmp_path
    monkeypatch.delenv(CONFIG_VARIABLE)
    assert config_directory().name == "crescent-race"


def test_after_a_restart_everybody_is_who_they_were(tmp_path: Path) -> None:
    ada = open_identity(URL, directory=tmp_path, player="Ada")
    bo = open_identity(URL, directory=tmp_path, player="Bo", room="7K3M9QXT")
    for identity, name in ((ada, "Ada"), (bo, "Bo")):
        identity.save(token=f"of {name}", name=name)
        identity.save(room="7K3M9QXT")
        identity.close()
    by_name = open_identity(URL, directory=tmp_path, player="bo", room="7K3M9QXT")
    assert (by_name.slot, by_name.token, by_name.room) == ("default-2", "of Bo", "7K3M9QXT")
    by_name.save(room="AAAAAAAA")
    by_name.close()
    by_room = open_identity(URL, directory=tmp_path, room="aaaaaaaa")
    assert by_room.token == "of Bo"
    by_room.close()
    nobody = open_identity(URL, directory=tmp_path, player="Cy", room="BBBBBBBB")
    assert nobody.slot == "default"
    nobody.close()
