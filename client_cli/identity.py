"""Who this terminal is to a server: a token a server and slot, kept in the user's configuration directory.

Two terminals on one machine share that directory. Each holds its slot locked while it runs, and one that
finds `default` in use takes `default-2`, and so on; so two friends at one machine are two players. Each slot
keeps the name and the room of the last time: by them a terminal finds its own again, whoever starts first.
"""

import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from protocol.limits import PLAYER_NAME_RAW_CHARACTERS_MAX, ROOM_ID_CHARACTERS, TOKEN_CHARACTERS_MAX

CONFIG_VARIABLE = "CRESCENT_CONFIG_DIR"
DEFAULT_SLOT = "default"
BOT_SLOT = "bot"
SLOTS_MAX = 100  # more terminals than anybody runs at once; it bounds the search

_SLOT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class IdentityError(Exception):
    """An identity that cannot be used: `reason` is `name`, `in_use` or `storage`, `detail` names it."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class Identity:
    """A locked slot: its token, the name and the room of the last time, and the rooms where something of
    one's own waits. Close it to free the slot."""

    slot: str
    path: Path
    lock: int
    token: str | None = None
    name: str | None = None
    room: str | None = None
    unfinished: tuple[str, ...] = ()

    def save(
        self,
        *,
        token: str | None = None,
        name: str | None = None,
        room: str | None = None,
        unfinished: tuple[str, ...] | None = None,
    ) -> None:
        """Keep a new token, name, room or rooms; IdentityError where the file cannot be written."""
        before = (self.token, self.name, self.room, self.unfinished)
        rooms = self.unfinished if unfinished is None else unfinished
        after = (token or self.token, name or self.name, room or self.room, rooms)
        if after == before and self.path.exists():
            return
        self.token, self.name, self.room, self.unfinished = after
        try:
            names = ("token", "name", "room", "unfinished")
            stored = dict(zip(names, after, strict=True))
            _write_atomically(self.path, json.dumps(stored))
        except OSError as error:
            raise IdentityError("storage", f"{self.path}: {error.strerror}") from error

    def forget(self) -> None:
        """Delete what is kept: the next one in this slot is somebody new."""
        self.token, self.name, self.room, self.unfinished = None, None, None, ()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Free the slot for the next program."""
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def config_directory() -> Path:
    """Return where identities are kept; `CRESCENT_CONFIG_DIR` overrides the platform's place."""
    override = os.environ.get(CONFIG_VARIABLE)
    return Path(override) if override else Path(platformdirs.user_config_dir("crescent-race"))


def open_identity(
    url: str,
    wanted: str | None = None,
    directory: Path | None = None,
    *,
    slot: str = DEFAULT_SLOT,
    player: str | None = None,
    room: str | None = None,
) -> Identity:
    """Return a free identity for the server at `url`, locked.

    With `wanted`, that one or IdentityError. Without, one of `slot`, `slot-2` … that is free: rather one that
    was called `player` the last time, then one that was in `room`, then the first.
    """
    if wanted is not None and not _SLOT_NAME.fullmatch(wanted):
        raise IdentityError("name", wanted)
    base = directory or config_directory()
    try:
        folder = _private_folder(base, url)
        names = [wanted] if wanted else [slot, *(f"{slot}-{i}" for i in range(2, SLOTS_MAX))]
        if len(names) > 1:
            names.sort(key=lambda name: _strangeness(_read(folder / f"{name}.json"), player, room))
        for name in names:
            lock = _lock(folder / f"{name}.lock")
            if lock is not None:
                return _load(name, folder / f"{name}.json", lock)
    except OSError as error:
        raise IdentityError("storage", f"{error.filename or base}: {error.strerror}") from error
    raise IdentityError("in_use", names[0])


def _private_folder(base: Path, url: str) -> Path:
    """Return the folder of one server, made if need be, open to its owner alone."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", url.partition("://")[2])[:40]
    digest = hashlib.sha256(url.encode()).hexdigest()[:12]
    folder = base / "identities" / f"{readable}-{digest}"
    base.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in (folder.parent, folder):
        part.mkdir(exist_ok=True, mode=0o700)
        part.chmod(0o700)  # it may have been there, more open, before
    return folder


def _lock(path: Path) -> int | None:
    """Return a descriptor that holds the lock, None if another program has it.

    The lock is a file of its own: the identity's file is replaced at each write, and a lock with it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        os.close(descriptor)
        return None
    return descriptor


def _load(slot: str, path: Path, lock: int) -> Identity:
    """Return the identity with what its file says; an unreadable file is an identity without a token."""
    stored = _read(path)
    rooms = stored.get("unfinished")
    found = [_text(room, ROOM_ID_CHARACTERS) for room in rooms] if isinstance(rooms, list) else []
    return Identity(
        slot,
        path,
        lock,
        token=_text(stored.get("token"), TOKEN_CHARACTERS_MAX),
        name=_text(stored.get("name"), PLAYER_NAME_RAW_CHARACTERS_MAX),
        room=_text(stored.get("room"), ROOM_ID_CHARACTERS),
        unfinished=tuple(room for room in found if room is not None),
    )


def _read(path: Path) -> dict[str, object]:
    """Return what a slot's file says, nothing for one that is missing or damaged."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _strangeness(stored: dict[str, object], player: str | None, room: str | None) -> int:
    """Return how little a slot is what is sought: 0 by name and room, 1 by name, 2 by room, 3 not at all."""
    by_name, by_room = _same(stored.get("name"), player), _same(stored.get("room"), room)
    return (0 if by_room else 1) if by_name else (2 if by_room else 3)


def _same(kept: object, sought: str | None) -> bool:
    return isinstance(kept, str) and sought is not None and kept.casefold() == sought.strip().casefold()


def _text(value: object, characters_max: int) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= characters_max else None


def _write_atomically(path: Path, text: str) -> None:
    """Write so that a crash leaves the old file or the new, readable by its owner alone (mkstemp: 600)."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
