"""The program itself: what it prints, and with which code it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from client_cli.__main__ import PROGRAM, app
from client_cli.room_options import MomentError, RoomOptions, parse_moment
from tests.client_cli.fake_server import FakeServer

ROOT = Path(__file__).parents[2]
RUN_S = 30.0


def environment(tmp_path: Path) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))
    }
    return {**kept, "CRESCENT_CONFIG_DIR": str(tmp_path), "LANG": "C.UTF-8"}


def crescent(tmp_path: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "client_cli", *args], cwd=ROOT, env={**environment(tmp_path), **more},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_S, check=False,
    )  # fmt: skip


def test_a_deal_is_printed_offline(tmp_path: Path) -> None:
    first = json.loads((ROOT / "tests/cases/deals.json").read_text())["CR1-N-AAAAAAB"]
    told = crescent(tmp_path, "deal", "cr1 n aaaaaab", "--json")
    assert told.returncode == 0
    assert json.loads(told.stdout) == {"code": "CR1-N-AAAAAAB", "piles": [pile.split() for pile in first]}
    told = crescent(tmp_path, "deal", "CR1-N-AAAAAAB", "--lang", "da")
    assert told.stdout.splitlines()[:2] == ["CR1-N-AAAAAAB", " 1: K♣ 2♦ 10♦ 4♦ K♥ 8♣"]
    assert "\x1b" not in told.stdout
    ascii_only = crescent(tmp_path, "deal", "CR1-N-AAAAAAB", PYTHONIOENCODING="ascii")
    assert " 1: KC 2D 10D 4D KH 8C" in ascii_only.stdout


def test_what_is_typed_badly_ends_with_2(tmp_path: Path) -> None:
    told = crescent(tmp_path, "deal", "CR1-X-AAAAAAB", "--lang", "de")
    assert (told.returncode, told.stdout) == (2, "")
    assert "Variante" in told.stderr
    for args in (
        ["host", "--deal", "CR1-N-AAA"], ["host", "--start", "at"], ["play", "http://nowhere/"],
        ["rooms", "--server", "ftp://x"], ["play"], ["host", "--variant", "X"],
        ["play", "ABCDEFGH", "--identity", "../x"],
    ):  # fmt: skip
        told = crescent(tmp_path, *args)
        assert told.returncode == 2, args
        assert told.stderr
        assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("host", "--start", "soon"), "--start: tilladt er host, ready, own, at.\n"),
        (("host", "--lang", "de", "--rank-by", "x"), "--rank-by: erlaubt ist time, moves.\n"),
        (("host", "--rank-by", "x", "--lang=en"), "--rank-by: allowed is time, moves.\n"),
        (("host", "--min-players", "two"), "“--min-players” skal være et tal.\n"),
        (("host", "--limit", "long", "--lang", "de"), "„--limit“ muss eine Zahl sein.\n"),
        (("bot", "ABCDEFGH", "--strategy", "x"), "--strategy: tilladt er random, greedy, careful.\n"),
        (("solo", "--lang", "fr"), "--lang: tilladt er en, da, de.\n"),
    ],
    ids=str,
)
def test_a_value_that_an_option_cannot_have_is_told_in_the_players_language(
    tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    told = crescent(tmp_path, *args, LANG="da_DK.UTF-8")
    assert (told.returncode, told.stdout, told.stderr) == (2, "", said)


@pytest.mark.parametrize(
    ("args", "lang", "said"),
    [
        ("play --nothing", "en", "“crescent play” has no option --nothing. “crescent play --help” tells"),
        ("play --nothing", "da", "“crescent play” har intet tilvalg --nothing. “crescent play --help”"),
        ("play --nothing", "de", "„crescent play“ hat keine Option --nothing. „crescent play --help“"),
        ("host --list", "de", "hat keine Option --list. Ähnlich: --l"),
        ("play", "da", "ROOM mangler. “crescent play --help”"),
        ("verify", "de", "FILE|URL|ROOM fehlt. „crescent verify --help“"),
        ("host --limit", "da", "--limit kræver en værdi efter sig. “crescent host --help”"),
        ("host --chat=3", "de", "--chat nimmt keinen Wert. „crescent host --help“"),
        ("--version=3", "da", "--version tager ingen værdi. “crescent --help”"),
        ("host --name Ada Lovelace", "en", "“crescent host” has no use for “Lovelace”; words that belong"),
        ("rooms one two", "de", "„crescent rooms“ kann mit „one two“ nichts anfangen"),
        ("dance", "da", "Der er ingen kommando “dance”. Der er: host, play, watch,"),
        ("dance", "de", "Es gibt keinen Befehl „dance“. Es gibt: host, play, watch,"),
        ("--nothing play", "da", "“crescent” har intet tilvalg --nothing."),
    ],
)
def test_what_is_typed_and_is_none_is_told_in_the_players_language(args: str, lang: str, said: str) -> None:
    told = CliRunner().invoke(app, args.split(), prog_name=PROGRAM, env={"LC_ALL": f"{lang}.UTF-8"})
    assert (told.exit_code, told.stdout) == (2, "")
    assert said in " ".join(told.stderr.split())
    assert "Error" not in told.stderr


def test_the_language_that_is_typed_is_that_of_its_errors_and_programs_get_json() -> None:
    told = CliRunner().invoke(app, ["play", "--lang", "de", "--json"], env={"LC_ALL": "da_DK.UTF-8"})
    assert told.exit_code == 2
    assert json.loads(told.stdout)["error"].startswith("ROOM fehlt.")
    told = CliRunner().invoke(app, ["dance", "--lang=de"], env={"LC_ALL": "da_DK.UTF-8"})
    assert told.stderr.startswith("Es gibt keinen Befehl „dance“.")


def test_a_program_alone_is_told_what_there_is() -> None:
    told = CliRunner().invoke(app, [], prog_name=PROGRAM)
    assert "Usage: crescent [OPTIONS] COMMAND" in told.output
    assert "  rooms " in told.output


def test_what_a_program_typed_wrong_is_told_to_it_as_json(tmp_path: Path) -> None:
    told = crescent(tmp_path, "host", "--json", "--start", "soon")
    assert (told.returncode, told.stderr) == (2, "")
    assert json.loads(told.stdout) == {"error": "--start: allowed is host, ready, own, at."}


def test_the_usage_names_arguments_as_people_know_them() -> None:
    for command, usage in (
        ("play", "ROOM"),
        ("deal", "CODE"),
        ("replay", "FILE|URL|ROOM"),
        ("solo", "[CODE]"),
    ):
        told = CliRunner().invoke(app, [command, "--help"], prog_name=PROGRAM).output
        assert told.splitlines()[0] == f"Usage: crescent {command} [OPTIONS] {usage}"


def test_no_server_ends_with_3_and_says_where_it_looked(tmp_path: Path) -> None:
    told = crescent(tmp_path, "play", "ABCDEFGH", "--server", "127.0.0.1:1")
    assert told.returncode == 3
    assert "ws://127.0.0.1:1/ws" in told.stderr
    assert "--server" in told.stderr
    told = crescent(tmp_path, "rooms", "--json", CRESCENT_SERVER="127.0.0.1:1")
    assert told.returncode == 3
    assert "127.0.0.1:1" in json.loads(told.stdout)["error"]


def test_a_reader_that_leaves_early_ends_it_quietly(tmp_path: Path) -> None:
    shell = f"{sys.executable} -m client_cli deal CR1-N-AAAAAAB | head -1"
    told = subprocess.run(
        shell,
        shell=True,
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert told.stdout == "CR1-N-AAAAAAB\n"
    assert told.stderr == ""


async def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    import asyncio

    async with FakeServer() as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "client_cli", "play", "7K3M9QXT", "--server", server.url, "--name", "Ada",
            cwd=ROOT, env={**environment(tmp_path), "PYTHONUNBUFFERED": "1"},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        while b"ready" not in await asyncio.wait_for(process.stdout.readline(), RUN_S):
            pass
        process.send_signal(signal.SIGINT)
        _, complaints = await asyncio.wait_for(process.communicate(), RUN_S)
        assert process.returncode == 130
        assert b"Traceback" not in complaints


NOW_MS = 1_700_000_000_000


def test_moments() -> None:
    assert parse_moment(None, NOW_MS) is None
    assert parse_moment("+15", NOW_MS) == NOW_MS + 15 * 60_000
    assert parse_moment("+0.5", NOW_MS) == NOW_MS + 30_000
    assert parse_moment("2030-01-31T20:30+00:00", NOW_MS) == 1_896_121_800_000
    clock = parse_moment("20:30", NOW_MS)
    assert clock is not None
    assert 0 < clock - NOW_MS <= 24 * 3_600_000
    for text in ("", "soon", "25:00", "+", "-5", "9" * 30):
        with pytest.raises(MomentError):
            parse_moment(text, NOW_MS)


def test_only_what_was_typed_is_sent() -> None:
    assert RoomOptions().to_wire(NOW_MS) == {}
    options = RoomOptions(countdown_s=2.5, limit_min=10, undo=False, start="at", start_at="+1", room_name="x")
    assert options.to_wire(NOW_MS) == {
        "countdown_ms": 2500, "limit_ms": 600_000, "undo": False, "start": "at",
        "start_at": NOW_MS + 60_000, "name": "x",
    }  # fmt: skip


def test_options_alone_are_those_of_the_lobby(tmp_path: Path) -> None:
    """What an error about `crescent` alone names can be typed: here only the terminal is missing."""
    told = crescent(tmp_path, "--server", "127.0.0.1:1", "--name", "Ada", "--identity", "one", "--lang", "de")
    assert (told.returncode, told.stdout) == (2, "")
    assert "Die Lobby braucht ein Terminal" in told.stderr


@pytest.mark.parametrize(("lang", "says"), [("en", "begin with:"), ("da", "begynder"), ("de", "beginnt man")])
def test_alone_without_a_terminal_it_tells_how_to_begin(tmp_path: Path, lang: str, says: str) -> None:
    told = crescent(tmp_path, LANG=f"{lang}.UTF-8")
    said = " ".join((told.stdout + told.stderr).split())
    assert said.startswith("Usage: crescent")
    assert says in said
    assert "crescent play ROOM" in said
