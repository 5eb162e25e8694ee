"""The screens around the race held as SVG, as `test_snapshots` holds the race's; see `pictures`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from client_cli.screen.look import Look
from tests.client_cli.screen import still, still_around
from tests.client_cli.screen.pictures import compare, picture
from tests.client_cli.screen.seats import Sitting

KEPT = Path(__file__).with_name("snapshots_around")
SMALL, LARGE = (80, 24), (140, 45)
LIGHT, ASCII = Look(theme="light"), Look(ascii_only=True)

Scene = Callable[[], AbstractAsyncContextManager[Sitting]]


def then(scene: Scene, *keys: str) -> Scene:
    """A scene after some keys."""

    @asynccontextmanager
    async def pressed() -> AsyncIterator[Sitting]:
        async with scene() as sitting:
            await sitting.press(*keys)
            await sitting.pilot.pause()
            yield sitting

    return pressed


SCENES: dict[str, Scene] = {
    "lobby-80x24": lambda: still_around.lobby(SMALL),
    "lobby-140x45": lambda: still_around.lobby(LARGE),
    "lobby-empty-german-80x24": lambda: still_around.lobby(SMALL, lang="de", summaries=[]),
    "form-140x45": then(lambda: still_around.lobby(LARGE), "o", "down"),
    "form-german-light-80x24": then(lambda: still_around.lobby(SMALL, LIGHT, "de"), "o"),
    "form-wrong-80x24": lambda: still_around.wrong_form(SMALL),
    "form-set-80x24": then(lambda: still.shown(still.race(), SMALL), "m", "enter", "enter"),
    "countdown-80x24": lambda: still.shown(still_around.countdown(), SMALL),
    "manage-80x24": then(lambda: still.shown(still.race(), SMALL), "m", "down", "down"),
    "follow-80x24": then(lambda: still.shown(still.won(), SMALL), "v"),
    "result-80x24": lambda: still_around.result(SMALL),
    "result-140x45": lambda: still_around.result(LARGE),
    "replay-80x24": lambda: still_around.replay(SMALL),
    "replay-140x45": lambda: still_around.replay(LARGE),
    "replay-ascii-80x24": lambda: still_around.replay(SMALL, ASCII),
}


@pytest.mark.parametrize("name", SCENES)
async def test_it_looks_as_it_did(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with SCENES[name]() as sitting:
        assert "\x1b" not in sitting.text
        assert "ascii" not in name or sitting.text.isascii()
        for field in sitting.app.screen.query(Input):
            field.cursor_blink = False  # it is seen, at every moment
        await sitting.pilot.pause()
        svg = picture(sitting.app)
    compare(svg, KEPT / f"{name}.svg", tmp_path)


def test_no_picture_is_left_over() -> None:
    assert {file.stem for file in KEPT.glob("*.svg")} == set(SCENES)
