"""The log behind the result: a server may answer with what is none."""

from __future__ import annotations

import pytest

from client_cli.log_access import LogFailure
from client_cli.screen.race_log import RaceLog


@pytest.mark.parametrize("lines", [[], [b"<html>\n"], [b'{"room":"R"}\n', b"["]])
@pytest.mark.parametrize("read", [RaceLog.history, RaceLog.report, RaceLog.replay])
async def test_what_is_no_log_is_told_in_a_sentence(read, lines: list[bytes], monkeypatch) -> None:
    log = RaceLog("ROOM", "ws://127.0.0.1:1/ws", "de", None)
    monkeypatch.setattr(log, "_fetch", lambda: lines)
    with pytest.raises(LogFailure, match=r"Protokoll|Zeile"):
        await read(log)
