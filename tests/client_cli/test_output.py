"""How lines are broken at a terminal and in a pipe."""

from __future__ import annotations

import sys

import pytest

from client_cli.output import Output

SENTENCE = "In this room spectators see the board only, until the race is closed."
TO_COPY = "Check it with:  crescent verify 7K3M9QXT --server ws://a-long-name.example.net:8000/ws"


def test_a_pipe_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Output().line(f"{SENTENCE * 3}\n{TO_COPY}")
    assert capsys.readouterr().out.splitlines() == [SENTENCE * 3, TO_COPY]


def test_a_terminal_breaks_between_words_but_no_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name, value in (("COLUMNS", "40"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    Output().line(f"{SENTENCE}\n{TO_COPY}")
    *sentence, command = capsys.readouterr().out.splitlines()
    assert len(sentence) == 2
    assert " ".join(part.rstrip() for part in sentence) == SENTENCE
    assert command == TO_COPY
