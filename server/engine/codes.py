"""Game codes such as `CR1-N-AAAAAAB`: which deal, which variant (R17, R19, R21)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from server.engine.texts import TextError, Texts

Variant: TypeAlias = Literal["N", "F"]

RandBelow: TypeAlias = Callable[[int], int]
"""Takes n, returns a random integer of 0 to n - 1; randomness is the caller's, the rules have none."""

CODE_TEXT_CHARS_MAX = 200
"""A long code is 34 characters; this leaves room for a space after each and more, and bounds the work."""

_LETTERS = {1: 7, 2: 28}
_REDEALS: dict[str, int] = {"N": 3, "F": 4}
_FORM = re.compile(r"CR([12])-{0,2}([NF])-{0,2}([A-Z]+)")


class CodeError(TextError):
    """A text that is no game code; the sentence says what is wrong with it and what to do (R19)."""


@dataclass(frozen=True, slots=True)
class GameCode:
    """A deal and its variant; `str()` is the canonical form (R19).

    `algorithm` is 1, or 2 for a long code (R21); `variant` is `N` or `F` (R17); `number` is at least 0 and
    below 26**7, in a long code 26**28. Anything else raises ValueError.
    """

    algorithm: int
    variant: Variant
    number: int

    def __post_init__(self) -> None:
        if self.algorithm not in _LETTERS:
            raise ValueError(f"There is no deal algorithm {self.algorithm}; there are 1 and 2")
        if self.variant not in _REDEALS:
            raise ValueError(f"There is no variant {self.variant!r}; there are N and F")
        letters = _LETTERS[self.algorithm]
        if not 0 <= self.number < 26**letters:
            raise ValueError(f"Deal number {self.number} does not fit into {letters} letters")

    @property
    def redeals(self) -> int:
        """How many redeals a game begins with: 3, in Crescent Four 4 (R17)."""
        return _REDEALS[self.variant]

    @property
    def long(self) -> bool:
        """Whether this is a long code, for sealed deals (R21)."""
        return self.algorithm == 2

    def __str__(self) -> str:
        return f"CR{self.algorithm}-{self.variant}-{_number_text(self.number, _LETTERS[self.algorithm])}"


def parse_code(text: str) -> GameCode:
    """Return the game code that `text` is, in any form R19 accepts; CodeError if it is none.

    Lower case, whitespace anywhere, and missing or doubled hyphens are accepted.
    """
    if len(text) > CODE_TEXT_CHARS_MAX:
        raise CodeError(_TOO_LONG)
    compact = "".join(text.split())
    # Before upper(), which would make an S of ſ and two of ß.
    if not compact.isascii():
        raise CodeError(_CHARACTERS)
    compact = compact.upper()
    form = _FORM.fullmatch(compact)
    if form is None or len(form[3]) != _LETTERS[int(form[1])]:
        raise CodeError(_what_is_wrong(compact))
    return GameCode(int(form[1]), "N" if form[2] == "N" else "F", _number(form[3]))


def draw_code(variant: Variant, randbelow: RandBelow) -> GameCode:
    """Return a `CR1` code of `variant` whose number `randbelow` picks (R19)."""
    return GameCode(1, variant, randbelow(26 ** _LETTERS[1]))


def draw_long_code(variant: Variant, randbelow: RandBelow) -> GameCode:
    """Return a long code of `variant`; R21 asks that `randbelow` draw from a secure source."""
    return GameCode(2, variant, randbelow(26 ** _LETTERS[2]))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A")
    return number


def _number_text(number: int, letters: int) -> str:
    text = ""
    for _ in range(letters):
        number, digit = divmod(number, 26)
        text = chr(ord("A") + digit) + text
    return text


def _what_is_wrong(compact: str) -> Texts:
    """Return the sentence for `compact`, ASCII in upper case without whitespace, which is no code."""
    bare = compact.replace("-", "")
    game, version, variant, letters = bare[:2], bare[2:3], bare[3:4], bare[4:]
    if not bare:
        return _EMPTY
    if not bare.isalnum():
        return _CHARACTERS
    if game != "CR" or not version.isdigit():
        return _BEGINNING
    if int(version) not in _LETTERS:
        return _unknown_version(version)
    if variant not in _REDEALS:
        return _VARIANT
    if letters and not letters.isalpha():
        return _NUMBER
    if len(letters) != _LETTERS[int(version)]:
        return _wrong_length(version, len(letters))
    return _HYPHENS


_EMPTY = Texts(
    "There is no game code here. Type one such as CR1-N-AAAAAAB.",
    "Her er ingen spilkode. Skriv en som CR1-N-AAAAAAB.",
    "Hier ist kein Spielcode. Gib einen ein, etwa CR1-N-AAAAAAB.",
)
_TOO_LONG = Texts(
    "This is too long for a game code. Type one such as CR1-N-AAAAAAB.",
    "Det er for langt til en spilkode. Skriv en som CR1-N-AAAAAAB.",
    "Das ist zu lang für einen Spielcode. Gib einen ein, etwa CR1-N-AAAAAAB.",
)
_CHARACTERS = Texts(
    "A game code has only the letters A-Z, one digit and hyphens. Type it like CR1-N-AAAAAAB.",
    "En spilkode har kun bogstaverne A-Z, ét ciffer og bindestreger. Skriv den som CR1-N-AAAAAAB.",
    "Ein Spielcode hat nur die Buchstaben A-Z, eine Ziffer und Bindestriche. Schreibe ihn wie CR1-N-AAAAAAB.",
)
_BEGINNING = Texts(
    "A game code begins with CR1 or CR2. Type it like CR1-N-AAAAAAB.",
    "En spilkode begynder med CR1 eller CR2. Skriv den som CR1-N-AAAAAAB.",
    "Ein Spielcode beginnt mit CR1 oder CR2. Schreibe ihn wie CR1-N-AAAAAAB.",
)
_VARIANT = Texts(
    "The variant must be N (normal) or F (Crescent Four). Type it like CR1-N-AAAAAAB.",
    "Varianten skal være N (normal) eller F (Crescent Four). Skriv den som CR1-N-AAAAAAB.",
    "Die Variante muss N (normal) oder F (Crescent Four) sein. Schreibe ihn wie CR1-N-AAAAAAB.",
)
_NUMBER = Texts(
    "After the variant come letters only, no digits. Type it like CR1-N-AAAAAAB.",
    "Efter varianten kommer kun bogstaver, ingen cifre. Skriv den som CR1-N-AAAAAAB.",
    "Nach der Variante kommen nur Buchstaben, keine Ziffern. Schreibe ihn wie CR1-N-AAAAAAB.",
)
_HYPHENS = Texts(
    "The hyphens are in the wrong places. Type it like CR1-N-AAAAAAB.",
    "Bindestregerne står de forkerte steder. Skriv den som CR1-N-AAAAAAB.",
    "Die Bindestriche stehen an den falschen Stellen. Schreibe ihn wie CR1-N-AAAAAAB.",
)


def _unknown_version(version: str) -> Texts:
    return Texts(
        f"CR{version} is a deal this game does not know. Choose a code that begins with CR1 or CR2.",
        f"CR{version} er en fordeling, dette spil ikke kender. Vælg en kode, der begynder med CR1 eller CR2.",
        f"CR{version} ist eine Verteilung, die dieses Spiel nicht kennt. "
        "Wähle einen Code, der mit CR1 oder CR2 beginnt.",
    )


def _wrong_length(version: str, letters: int) -> Texts:
    wanted = _LETTERS[int(version)]
    return Texts(
        f"The last part of a CR{version} code has {wanted} letters, not {letters}. Check it and retype it.",
        f"Sidste del af en CR{version}-kode har {wanted} bogstaver, ikke {letters}. "
        "Se efter, og skriv den igen.",
        f"Der letzte Teil eines CR{version}-Codes hat {wanted} Buchstaben, nicht {letters}. "
        "Prüfe ihn und gib ihn noch einmal ein.",
    )
