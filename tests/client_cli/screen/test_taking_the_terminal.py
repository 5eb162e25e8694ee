"""A client in the background, stopped, ended, or with its terminal closed: it never stays behind."""

from __future__ import annotations

import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from client_cli.identity import IdentityError, open_identity
from tests.client_cli.screen.real_terminal import CRESCENT, PATIENCE_S, POLL_S, SCREEN_ON, RealTerminal

SHELL = ("sh", "-i")
PROMPT = "ready>"


def shell(config: Path, url: str) -> RealTerminal:
    """A shell with jobs, at which `crescent` is started as people do."""
    return RealTerminal(config, program=SHELL, PS1=PROMPT, ENV="", CRESCENT_SERVER=url)


def type_in(terminal: RealTerminal, line: str) -> None:
    terminal.press(line, "enter")


def crescent(*arguments: str) -> str:
    return shlex.join([*CRESCENT, *arguments])


def identity_is_free(config: Path, url: str) -> bool:
    try:
        open_identity(url, "default", config).close()
    except IdentityError:
        return False
    return True


def wait(condition: Any, what: str) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, f"waited for {what}"
        time.sleep(POLL_S)


def state_of(pid: int) -> str:
    """A process's state as the system has it (T stopped, Z or "" gone)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_gone(pid: int) -> bool:
    return state_of(pid) in ("", "Z")


def client_of(terminal: RealTerminal) -> int:
    """The process of the `crescent` that the shell has started."""
    parent = terminal.process.pid
    children: list[int] = []

    def found() -> bool:
        children[:] = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
        return bool(children)

    terminal.until(found, "the program")
    return children[0]


def test_in_the_background_it_ends_with_a_sentence(race_server: Any, tmp_path: Path) -> None:
    with shell(tmp_path, race_server.url) as terminal:
        terminal.see(PROMPT)
        type_in(terminal, f"{crescent('lobby')} &")
        terminal.see("needs the foreground of its terminal", "timeout --foreground")
        type_in(terminal, "wait $!; echo code=$?")
        terminal.see("code=2")
        assert identity_is_free(tmp_path, race_server.url)


def test_with_timeout_in_a_script_it_ends_with_a_sentence(race_server: Any, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"timeout 600 {crescent('lobby')}\necho code=$?\n")
    with RealTerminal(tmp_path, str(script), program=("sh",), CRESCENT_SERVER=race_server.url) as terminal:
        terminal.see("timeout --foreground", "code=2")
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_gives_terminal_and_identity_back(
    number: signal.Signals, race_server: Any, tmp_path: Path
) -> None:
    with RealTerminal(tmp_path, "lobby", "--server", race_server.url) as terminal:
        terminal.see("You are “")
        assert not identity_is_free(tmp_path, race_server.url)
        terminal.signal(number)
        assert terminal.end() == 130
        assert terminal.is_given_back()
        assert identity_is_free(tmp_path, race_server.url)


@pytest.mark.parametrize("has_jobs", [True, False], ids=["told", "untold"])
def test_a_closed_terminal_ends_it(has_jobs: bool, race_server: Any, tmp_path: Path) -> None:
    """Also a terminal that is not the session's, of whose end nobody is told."""
    arguments = ("lobby", "--server", race_server.url)
    with RealTerminal(tmp_path, *arguments, has_jobs=has_jobs) as terminal:
        terminal.see("You are “")
        terminal.close()
        assert terminal.process.wait(PATIENCE_S) == 130
        assert identity_is_free(tmp_path, race_server.url)


def test_ctrl_z_stops_it_and_fg_goes_on(race_server: Any, tmp_path: Path) -> None:
    with shell(tmp_path, race_server.url) as terminal:
        terminal.see(PROMPT)
        type_in(terminal, crescent("lobby", "--name", "Ada"))
        terminal.see("You are “Ada”", "q leave")
        client = client_of(terminal)
        terminal.press("ctrl+z")
        terminal.until(lambda: state_of(client) == "T", "it to be stopped")
        terminal.until(terminal.is_given_back, "the terminal to be given back")
        type_in(terminal, "echo in the $((40 + 2)) shell")
        terminal.see("in the 42 shell")
        type_in(terminal, "fg")
        terminal.see("You are “Ada”", "q leave")
        terminal.press("a")
        terminal.see("Your name")
        terminal.press("escape")
        terminal.until(lambda: "Your name" not in terminal.text, "the lobby")
        terminal.press("q")
        terminal.until(lambda: is_gone(client), "its end")
        type_in(terminal, "echo code=$?")
        terminal.see("code=0")


def stopped_lobby(terminal: RealTerminal) -> int:
    """Open the lobby in this shell and stop it; its process id."""
    terminal.see(PROMPT)
    type_in(terminal, crescent("lobby"))
    terminal.see("You are “")
    client = client_of(terminal)
    terminal.press("ctrl+z")
    terminal.until(lambda: state_of(client) == "T", "it to be stopped")
    return client


@pytest.mark.parametrize("continued", ["", "bg"])
def test_what_is_stopped_can_be_ended(continued: str, race_server: Any, tmp_path: Path) -> None:
    """In the background too: it stops there once more, and then a signal still ends it."""
    with shell(tmp_path, race_server.url) as terminal:
        client = stopped_lobby(terminal)
        if continued:
            type_in(terminal, continued)
            terminal.until(lambda: terminal.raw.count(b"Stopped") > 1 or state_of(client) == "T", "a stop")
        type_in(terminal, f"kill -TERM {client}; kill -CONT {client}")
        terminal.until(lambda: is_gone(client), "its end")
        assert identity_is_free(tmp_path, race_server.url)


def test_stopped_it_ends_with_its_terminal(race_server: Any, tmp_path: Path) -> None:
    with shell(tmp_path, race_server.url) as terminal:
        client = stopped_lobby(terminal)
        terminal.close()
        wait(lambda: is_gone(client), "it to end")
        assert identity_is_free(tmp_path, race_server.url)


def test_a_terminal_that_reads_nothing_more_does_not_keep_it(race_server: Any, tmp_path: Path) -> None:
    """What it writes is not read by anybody: a signal ends it all the same."""
    with RealTerminal(tmp_path, "lobby", "--server", race_server.url, columns=200, lines=60) as terminal:
        terminal.see("You are “")
        for _ in range(40):
            terminal.press("d")  # the whole screen anew, in the other theme
        terminal.signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE_S) == 130
        assert identity_is_free(tmp_path, race_server.url)


def test_something_is_said_before_what_takes_long(race_server: Any, tmp_path: Path) -> None:
    program = (CRESCENT[0], "-c", "from client_cli.start import main; main()")  # as `crescent` does
    with RealTerminal(tmp_path, "--server", race_server.url, program=program) as terminal:
        terminal.see("You are “")
        screen = terminal.raw.index(SCREEN_ON)
        assert 0 <= terminal.raw.find(b"Crescent") < terminal.raw.find(b"Connecting to ws://") < screen
    light = "import sys, client_cli.start; print({'typer', 'rich', 'websockets', 'msgspec'} & {*sys.modules})"
    done = subprocess.run([CRESCENT[0], "-c", light], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n", "nothing is loaded before the first word"
