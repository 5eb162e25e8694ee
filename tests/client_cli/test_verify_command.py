"""`crescent verify`: where it takes a log from, what it prints, and with which code it ends."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from client_cli import asking_again, log_access, log_source
from client_cli.address import DEFAULT_SERVER, parse_address
from client_cli.log_access import LogFailure, awaited_log
from client_cli.log_source import NoAnswerError, PageRefusedError, page_lines, page_of, room_page
from client_cli.report import NotALogError
from client_cli.screen.race_log import RaceLog
from client_cli.terminal import Settings
from client_cli.verifying import run_verify
from protocol.messages import Lang
from tests.support.peer import Peer
from tests.support.races import gather_room

ROOT = Path(__file__).parents[2]
RUN_S = 60.0


def verify(*args: str, typed: bytes = b"", **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: v for name, v in os.environ.items() if not name.startswith(("CRESCENT_", "LC_", "LANG"))}
    told = subprocess.run(
        [sys.executable, "-m", "client_cli", "verify", *args], cwd=ROOT,
        env={**kept, "LANG": "C.UTF-8", **more}, input=typed, capture_output=True, timeout=RUN_S, check=False,
    )  # fmt: skip
    return subprocess.CompletedProcess(told.args, told.returncode, told.stdout.decode(), told.stderr.decode())


def test_a_file_that_agrees_and_one_that_does_not(logs: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(logs["put_out"])
    told = verify(str(path))
    assert (told.returncode, told.stderr) == (0, "")
    assert "  E: 124 actions, all by the rules.\n" in told.stdout
    assert told.stdout.endswith("All of it agrees.\n")
    head, *lines = logs["put_out"].splitlines(keepends=True)
    path.write_bytes(b"".join([head, *lines[:-1]]))
    told = verify(str(path), "--lang", "da")
    assert (told.returncode, told.stderr) == (1, "")
    assert "! F: ingen log af spillet.\n" in told.stdout
    assert "afvigelser" in told.stdout.splitlines()[-1]
    told = verify(str(path), "--json")
    report = json.loads(told.stdout)
    assert (told.returncode, report["agrees"]) == (1, False)
    assert report["differs"][0] == {"code": "player_missing", "name": "F", "text": "F: no log of the game."}


def test_standard_input(logs: dict[str, bytes]) -> None:
    assert verify("-", typed=logs["sealed"]).returncode == 0
    told = verify("-", typed=b"")
    assert (told.returncode, told.stdout) == (2, "")
    assert "empty" in told.stderr


@pytest.mark.parametrize("json_too", [False, True])
def test_what_is_no_file_or_no_log_ends_with_2(tmp_path: Path, json_too: bool) -> None:
    (tmp_path / "picture.png").write_bytes(bytes(range(256)) * 100)
    for source in ("nowhere.jsonl", str(tmp_path), str(tmp_path / "picture.png"), "ftp://h/log", "http://"):
        told = verify(source, *(["--json"] if json_too else []))
        assert told.returncode in (2, 3 if source == "http://" else 2), source
        sentence = json.loads(told.stdout)["error"] if json_too else told.stderr.strip()
        assert sentence.count("\n") == 0
        assert "Traceback" not in told.stderr


def test_no_server_ends_with_3() -> None:
    for args in (["ABCDEFGH", "--server", "127.0.0.1:1"], ["http://127.0.0.1:1/api/rooms/ABCDEFGH"]):
        told = verify(*args)
        assert (told.returncode, told.stdout) == (3, "")
        assert "http://127.0.0.1:1/api/rooms/ABCDEFGH/log.jsonl" in told.stderr


async def test_rooms_of_a_server(race_server: Any) -> None:
    async with await Peer.hello(race_server.url) as ann:
        room = await gather_room(ann, password="sæson 7")
        told = verify(room, "--server", race_server.http)
        assert (told.returncode, told.stdout) == (1, "")
        told = verify(room, "--server", race_server.http, "--password", "sæson 7")
        assert told.returncode == 1
        assert "after the close" in told.stderr
        await ann.ask("manage", action="close")
        assert verify(room.lower(), "--server", race_server.url, CRESCENT_PASSWORD="sæson 7").returncode == 0
    told = verify("ABCDEFGH", "--server", race_server.http, "--json")
    assert told.returncode == 1
    assert "error" in json.loads(told.stdout)


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("http://h:1/#ROOM", "http://h:1/api/rooms/ROOM/log.jsonl"),
        ("http://h/p/#ROOM", "http://h/p/api/rooms/ROOM/log.jsonl"),
        ("https://h/api/rooms/ROOM", "https://h/api/rooms/ROOM/log.jsonl"),
        ("https://h/api/rooms/ROOM/", "https://h/api/rooms/ROOM/log.jsonl"),
        ("https://h/api/rooms/ROOM/board.csv", "https://h/api/rooms/ROOM/log.jsonl"),
        ("https://h/api/rooms/ROOM/log.jsonl", "https://h/api/rooms/ROOM/log.jsonl"),
        ("https://h/kept/race.jsonl?x=1", "https://h/kept/race.jsonl?x=1"),
    ],
)
def test_the_log_s_page(typed: str, page: str) -> None:
    assert page_of(typed) == page


def test_the_page_of_a_room() -> None:
    page = "http://127.0.0.1:8000/api/rooms/ROOM/log.jsonl"
    assert room_page(parse_address(DEFAULT_SERVER), "ROOM") == page
    assert room_page(parse_address("https://h/p"), "R") == "https://h/p/api/rooms/R/log.jsonl"


class Answer(http.server.BaseHTTPRequestHandler):
    """Redirects, a page that is not ready yet at first or ever, and one without an end."""

    heard: list[str]

    def do_GET(self) -> None:
        type(self).heard.append(self.path)
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/log")  # type: ignore[attr-defined]
            self.end_headers()
        elif self.path == "/here":
            self.send_response(302)
            self.send_header("Location", "/log")
            self.end_headers()
        elif "NEVER" in self.path or ("SOON" in self.path and len(self.heard) < 3):
            self.send_response(503)
            self.send_header("Retry-After", "61" if "NEVER" in self.path else ("0", "7")[len(self.heard) - 1])
            self.end_headers()
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * 5000 + b"\n" + b"y" * 5000)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def web() -> Iterator[str]:
    Answer.heard = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_redirect_is_followed_on_the_same_host_only() -> None:
    with web() as url:
        with page_lines(f"{url}/here") as lines:
            assert len(list(lines)) == 2
        with pytest.raises(PageRefusedError) as refused, page_lines(f"{url}/away", "secret"):
            pass
        assert refused.value.status == 302
        assert Answer.heard == ["/here", "/log", "/away"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "still putting the log together"),
        ("da", "ved at samle loggen"),
        ("de", "Protokoll noch zusammen"),
    ],
)
def test_a_server_that_is_busy_is_asked_again_and_that_is_told_once(
    monkeypatch: pytest.MonkeyPatch, lang: Lang, words: str
) -> None:
    pauses: list[float] = []
    told: list[str] = []
    monkeypatch.setattr(log_access, "sleep", pauses.append)
    here = parse_address(DEFAULT_SERVER)
    with web() as url:
        with awaited_log(f"{url}/SOON", here, lang, None, told.append) as lines:
            assert len(list(lines)) == 2
        assert Answer.heard == ["/SOON"] * 3
        assert pauses == [1, 7], "0 is no pause, and so a second"
        assert len(told) == 1
        assert words in told[0]
        with pytest.raises(LogFailure), awaited_log(f"{url}/NEVER", here, lang, None, told.append):
            pass
        assert Answer.heard[3:] == ["/NEVER"], "a minute is the most"
        assert (len(pauses), len(told)) == (2, 1)


def test_what_programs_read_says_nothing_of_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log_access, "sleep", lambda _: None)
    with web() as url:
        run_verify(Settings(parse_address(DEFAULT_SERVER), "en", json=True), f"{url}/SOON")
    told = capsys.readouterr()
    assert list(json.loads(told.out)) == ["error"]
    assert told.err == "The server is still putting the log together; asking again.\n"


async def test_the_screen_waits_for_a_log_beside_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread waits: the program's end would wait for that."""
    pauses: list[float] = []

    async def sleep(pause_s: float) -> None:
        pauses.append(pause_s)

    monkeypatch.setattr(asking_again, "sleep", sleep)
    with web() as url:
        with pytest.raises(LogFailure):  # it is no log, in the end
            await RaceLog("SOON", url, "en", None).history()
        assert (len(Answer.heard), pauses) == (3, [1, 7])


def test_what_is_fetched_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_source, "BYTES_MAX", 6000)
    with web() as url, page_lines(f"{url}/log") as lines:
        assert len(next(lines)) == 5001
        with pytest.raises(NotALogError):
            next(lines)


def test_a_password_that_no_header_can_have_is_told() -> None:
    with pytest.raises(NoAnswerError), page_lines("http://127.0.0.1:1/", "a\nb"):
        pass


def test_nothing_named_is_told() -> None:
    told = verify("")
    assert (told.returncode, told.stderr) == (2, "Name a log's file, its address, or a room.\n")
