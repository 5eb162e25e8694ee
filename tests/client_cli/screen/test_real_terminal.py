"""`crescent` at real terminals, as people start it, over a real server."""

from __future__ import annotations

import re
import signal
import socket
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

from server.engine.codes import parse_code
from server.engine.game import Game
from tests.client_cli.screen.pressing import keys_of
from tests.client_cli.screen.real_terminal import SCREEN_ON, RealTerminal
from tests.support.golden import SHORTEST_WIN
from tests.support.server import ServerProcess

"""What leaves a terminal as it was: the other screen, no mouse, a cursor."""


def host(config: Path, url: str, *options: str, **more: Any) -> RealTerminal:
    return RealTerminal(
        config, "host", "--server", url, "--name", "Ada", "--countdown", "0", "--deal", SHORTEST_WIN.code,
        *options, **more,
    )  # fmt: skip


def room_of(terminal: RealTerminal) -> str:
    return re.findall(r"crescent play (\w{8})", terminal.see("crescent play"))[0]


def play_golden(terminal: RealTerminal, actions: list[list[str]], first: int = 0) -> None:
    """Press a golden game's keys, each action once the one before is confirmed."""
    position = Game.deal(parse_code(SHORTEST_WIN.code))
    for n, (action, keys) in enumerate(zip(SHORTEST_WIN.actions, actions, strict=False)):
        if action.op == "m":
            position.move(action.src, action.place)
        elif action.op == "r":
            position.redeal()
        else:
            position.undo()
        if n < first:
            continue
        terminal.press(*keys)
        done = (f"moves {position.moves} ", f"home {position.home}/104", f"redeals {position.redeals}")
        terminal.until(
            lambda done=done: (
                all(text in terminal.text for text in done)
                and "unconfirmed" not in terminal.text
                and "??" not in terminal.text
            ),
            f"{done} to be confirmed",
        )


def test_from_host_to_win_at_two_terminals(race_server: Any, tmp_path: Path) -> None:
    keys = keys_of(SHORTEST_WIN)
    with host(tmp_path, race_server.url) as ada:
        room = room_of(ada)
        with RealTerminal(tmp_path, "play", room, "--server", race_server.url, "--name", "Bo") as bo:
            bo.see("Bo")
            ada.see("Bo is here")
            ada.press("s")
            ada.see("home 8/104", "redeal (3)")
            bo.see("home 8/104", "1 Ada")
            play_golden(ada, keys)
            ada.see("You have won", "rank 1")
            bo.see("Ada has won")
            bo.press("g", "g")
            bo.see("You gave up")
            bo.press("q")
            assert bo.end() == 0
            ada.see("Bo gives up")
        ada.press("q")
        assert ada.end() == 0
        assert ada.is_given_back()


def test_a_resume_in_mid_race_is_silent(tmp_path: Path) -> None:
    """The server is killed in mid-game and started again; what was played meanwhile is sent once."""
    keys = keys_of(SHORTEST_WIN)
    server = ServerProcess("--data", str(tmp_path / "data")).start()
    try:
        with host(tmp_path, server.url, "--min-players", "1") as ada:
            ada.see("crescent play")
            ada.press("s")
            ada.see("home 8/104", "redeal (3)")
            play_golden(ada, keys[:5])
            server.kill()
            ada.see("no line")
            ada.press(*keys[5])
            ada.see("1 unconfirmed")
            before = [line for line in ada.text.splitlines() if "The line" in line or "line is" in line]
            server.start()
            ada.see("online")
            play_golden(ada, keys[:10], first=6)
            after = [line for line in ada.text.splitlines() if "The line" in line or "line is" in line]
            assert (before, after) == ([], [])
            assert "moves" in ada.text
            ada.press("q", "q")
            assert ada.end() == 0
    finally:
        server.close()


def test_a_client_that_is_ended_leaves_the_terminal_as_it_was(race_server: Any, tmp_path: Path) -> None:
    with host(tmp_path, race_server.url) as ada:
        ada.see("crescent play")
        ada.signal(signal.SIGTERM)
        assert ada.end() == 130
        assert ada.is_given_back()


def test_no_color_and_ascii_reach_the_terminal(race_server: Any, tmp_path: Path) -> None:
    options = ("--ascii", "--min-players", "1", "--room-name", "Køge")
    with host(tmp_path, race_server.url, *options, NO_COLOR="1") as ada:
        ada.see("crescent play")
        ada.press("s")
        ada.see("home 8/104", "AS", "KC", "^:1")
        ada.press("q", "q")
        ada.end()
        colours = re.findall(rb"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25])[;\dm]", ada.raw)
        assert colours == []
        assert ada.raw.isascii()


def test_a_clicked_pile_is_chosen(race_server: Any, tmp_path: Path) -> None:
    with host(tmp_path, race_server.url, "--min-players", "1") as ada:
        ada.see("crescent play")
        ada.press("s")
        text = ada.see("home 8/104", "5·6")
        line = next(y for y, row in enumerate(text.splitlines()) if "5·6" in row)
        ada.click(text.splitlines()[line].index("5·6"), line - 1)
        ada.until(
            lambda: any(text in ada.text for text in (" may go ", "moves 1", "can go nowhere")), "an answer"
        )


def test_lines_and_pipes_have_no_screen(race_server: Any, tmp_path: Path) -> None:
    with host(tmp_path, race_server.url, "--lines") as ada:
        ada.see("Type “start”")
        assert SCREEN_ON not in ada.raw


def test_at_a_closed_door_no_screen_is_opened(race_server: Any, tmp_path: Path) -> None:
    with RealTerminal(tmp_path, "play", "ABCDEFGH", "--server", race_server.url) as bo:
        assert bo.end() == 1
        assert SCREEN_ON not in bo.raw
        assert bo.text.strip()


def test_a_line_that_does_not_answer_is_told_to_be_slow(race_server: Any, tmp_path: Path) -> None:
    with SlowLine(race_server.port) as line, host(tmp_path, line.url, "--min-players", "1") as ada:
        ada.see("crescent play", "online")
        ada.press("s")
        ada.see("home 8/104")
        line.stall()
        ada.press("r", "r")
        ada.see("slow line", "1 unconfirmed", "redeals 2")
        line.go_on()
        ada.until(lambda: "unconfirmed" not in ada.text and "slow" not in ada.text, "the answer")


class SlowLine:
    """Between client and server: passes everything on, until it is stalled."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open = threading.Event()
        self._open.set()
        self._ended = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._listener.getsockname()[1]}/ws"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> SlowLine:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        self._open.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def stall(self) -> None:
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()

    def _accept(self) -> None:
        while not self._ended:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to))
            for a, b in ((near, far), (far, near)):
                self._threads.append(threading.Thread(target=self._pass_on, args=(a, b), daemon=True))
                self._threads[-1].start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with closing(source):
            while data := self._received(source):
                self._open.wait()
                try:
                    sink.sendall(data)
                except OSError:
                    return
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    @staticmethod
    def _received(source: socket.socket) -> bytes:
        try:
            return source.recv(65536)
        except OSError:
            return b""
