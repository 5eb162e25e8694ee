"""The log of a closed race: fetched once, in the background, and read, checked or saved from then on."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from client_cli import exits
from client_cli.address import parse_address
from client_cli.asking_again import patiently
from client_cli.history import Happening, history
from client_cli.log_access import LogFailure, named_log
from client_cli.log_file import read_log
from client_cli.reasons import reason_of
from client_cli.replay_model import Replay
from client_cli.report import NotALogError, Report
from client_cli.verify import verify
from client_cli.verify_texts import finding_text
from protocol.messages import Lang

Result = TypeVar("Result")


class UnsavedError(Exception):
    """The log's file cannot be written; str() says why."""


class RaceLog:
    """Everything here takes a while and is done beside the event loop. LogFailure where there is no log."""

    def __init__(self, room: str, url: str, lang: Lang, password: str | None) -> None:
        self.room = room
        self._server, self._lang, self._password = parse_address(url), lang, password
        self._lines: list[bytes] | None = None
        self._fetching = asyncio.Lock()

    async def history(self) -> list[Happening]:
        """Return what happened."""
        return await self._read(lambda lines: history(read_log(lines)[0], self._lang))

    async def report(self) -> Report:
        """Return what a check of it finds."""
        return await self._read(verify)

    async def replay(self) -> Replay:
        """Return the race at any moment."""
        return await self._read(Replay.read)

    async def _read(self, read: Callable[[list[bytes]], Result]) -> Result:
        """Have its lines read; LogFailure where they are no log."""
        lines = await self._fetched()
        try:
            return await asyncio.to_thread(read, lines)
        except NotALogError as error:
            raise LogFailure(finding_text(error, self._lang), exits.USAGE) from None

    @property
    def file_name(self) -> str:
        """Where `save` writes it, in the present folder."""
        return f"crescent-{self.room}.jsonl"

    async def save(self) -> Path:
        """Write it to its file, and return in which folder; UnsavedError where that cannot be."""
        lines = await self._fetched()
        try:
            await asyncio.to_thread(_write, Path(self.file_name), lines)
        except OSError as error:
            raise UnsavedError(reason_of(error, self._lang)) from None
        return Path.cwd()

    async def _fetched(self) -> list[bytes]:
        async with self._fetching:
            if self._lines is None:
                self._lines = await patiently(self._fetch)
            return self._lines

    def _fetch(self) -> list[bytes]:
        with named_log(self.room, self._server, self._lang, self._password) as lines:
            return list(lines)


def _write(path: Path, lines: list[bytes]) -> None:
    """Write all of it or nothing: half a log would be told from a whole one by nobody."""
    whole = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        whole.write_bytes(b"".join(lines))
        whole.replace(path)
    finally:
        whole.unlink(missing_ok=True)
