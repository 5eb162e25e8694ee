"""Screens held as SVG: what they look like is decided by looking at them, and then kept.

`CRESCENT_SNAPSHOTS=write` keeps what is seen now. Look at the pictures before you commit them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from client_cli.screen.look import Look
from tests.client_cli.screen import still
from tests.client_cli.screen.pictures import compare, picture
from tests.client_cli.screen.seats import Sitting

KEPT = Path(__file__).with_name("snapshots")
SMALL, LARGE = (80, 24), (140, 45)
DARK, LIGHT, ASCII = Look(), Look(theme="light"), Look(ascii_only=True)

Do = Callable[[Sitting], Awaitable[None]]
SCREENS: dict[str, tuple[Callable[[], still.Still], Do, tuple[int, int], Look]] = {
    "lobby-80x24": (still.lobby, still.look, SMALL, DARK),
    "race-80x24": (still.race, still.hold, SMALL, DARK),
    "race-140x45": (still.race, still.hold, LARGE, DARK),
    "race-light-80x24": (still.race, still.hold, SMALL, LIGHT),
    "race-light-140x45": (still.race, still.look, LARGE, LIGHT),
    "race-danish-80x24": (lambda: still.race("da"), still.refuse, SMALL, DARK),
    "race-ascii-no-color-80x24": (still.race, still.hold, SMALL, ASCII),
    "drag-80x24": (still.race, still.drag, SMALL, DARK),
    "unconfirmed-80x24": (still.race, still.leave_unconfirmed, SMALL, DARK),
    "open-80x24": (lambda: still.race(open_room=True), still.look, SMALL, DARK),
    "blocked-80x24": (still.blocked, still.look, SMALL, DARK),
    "won-80x24": (still.won, still.look, SMALL, DARK),
    "closed-80x24": (still.closed, still.look, SMALL, DARK),
    "help-80x24": (still.race, still.read_help, SMALL, DARK),
    "help-140x45": (still.race, still.read_help, LARGE, DARK),
}


@pytest.mark.parametrize("name", SCREENS)
async def test_it_looks_as_it_did(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make, do, size, look = SCREENS[name]
    monkeypatch.delenv("NO_COLOR", raising=False)
    if "no-color" in name:
        monkeypatch.setenv("NO_COLOR", "1")
    async with still.shown(make(), size, look) as sitting:
        await do(sitting)
        svg = picture(sitting.app)
    compare(svg, KEPT / f"{name}.svg", tmp_path)


def test_no_picture_is_left_over() -> None:
    assert {file.stem for file in KEPT.glob("*.svg")} == set(SCREENS)
