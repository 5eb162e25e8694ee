"""What happened in a race, told from its log; from real logs."""

from __future__ import annotations

from typing import Any

import pytest

from client_cli.history import history
from client_cli.log_file import read_log
from tests.client_cli.race_logs import KINDS


def told(logs: dict[str, bytes], kind: str, lang: Any = "en") -> list[tuple[str, str]]:
    header, _ = read_log(logs[kind].splitlines(keepends=True))
    return [(happening.time, happening.text) for happening in history(header, lang)]


@pytest.mark.parametrize("lang", ["en", "da", "de"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_race_has_a_history_that_ends_with_its_end(
    logs: dict[str, bytes], kind: str, lang: Any
) -> None:
    happened = told(logs, kind, lang)
    closed = {"en": "closed", "da": "lukket", "de": "beendet"}[lang]
    assert any(closed in text for _, text in happened)
    assert all(text and "None" not in text for _, text in happened)


def test_times_are_since_the_start(logs: dict[str, bytes]) -> None:
    happened = told(logs, "by_ready")
    started = next(at for at, (_, text) in enumerate(happened) if text.startswith("The race is on!"))
    assert happened[started][0] == "00:00.000"
    assert all(time.startswith("-") for time, _ in happened[:started])
    assert not any(time.startswith("-") for time, _ in happened[started:])
    assert ("Bob B is here.") in [text for _, text in happened]


def test_who_was_put_out_and_why(logs: dict[str, bytes]) -> None:
    texts = [text for _, text in told(logs, "put_out")]
    assert "B is disqualified. a mistake" in texts
    assert "C was removed." in texts
    assert "D was banned." in texts
    assert any(text.startswith("A has won: ") for text in texts)
    assert not any("next" in text for text in texts), "what was to be typed then is no history"


def test_what_is_told_late_stands_where_it_was(logs: dict[str, bytes]) -> None:
    header = read_log(logs["by_ready"].splitlines(keepends=True))[0]
    before, last = header.events[-2:]
    last["at"] = before["at"] - 1
    times = [happening.time for happening in history(header, "en") if not happening.time.startswith("-")]
    assert times == sorted(times)
    assert "closed" not in history(header, "en")[-1].text
