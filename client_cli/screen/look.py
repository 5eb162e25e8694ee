"""How the screen looks and how much it explains: what a player sets, not what happens."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Theme = Literal["dark", "light"]

_LIGHT_BACKGROUNDS = ("7", "15")


@dataclass(frozen=True, slots=True)
class Look:
    """`ascii_only`: no character beyond ASCII. `explains`: *interactive rules*, refusals say why."""

    ascii_only: bool = False
    theme: Theme = "dark"
    explains: bool = True

    def with_explains(self, explains: bool) -> "Look":
        """Return the same look with interactive rules on or off."""
        return replace(self, explains=explains)


def environment_theme(environment: Mapping[str, str] | None = None) -> Theme:
    """Return the theme that fits the terminal's background where it tells it (`COLORFGBG`), else dark."""
    environment = os.environ if environment is None else environment
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in _LIGHT_BACKGROUNDS else "dark"
