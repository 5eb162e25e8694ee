"""Games of every kind to draw from (`st.from_type(Game)`), and the forms tests read and write them in."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from server.engine.cards import RANKS, SUITS
from server.engine.codes import GameCode
from server.engine.game import Game


def _codes() -> st.SearchStrategy[GameCode]:
    variants = st.sampled_from("NF")
    return st.builds(GameCode, st.just(1), variants, st.integers(0, 26**7 - 1)) | st.builds(
        GameCode, st.just(2), variants, st.integers(0, 26**28 - 1)
    )


def _played(code: GameCode, seed: int, steps: int) -> Game:
    """Return a game of `code` after some random, mostly sensible actions."""
    rng = random.Random(seed)
    game = Game.deal(code)
    for _ in range(steps):
        chance = rng.random()
        moves = [(src, dst) for src in range(24) for dst in game.destinations(src)]
        home = [move for move in moves if move[0] < 16 <= move[1]]
        if chance < 0.06:
            game.undo()
        elif not moves or chance < 0.1:
            game.redeal()
        else:
            game.move(*rng.choice(home if home and chance < 0.7 else moves))
    return game


def _built(seed: int) -> Game:
    """Return a position anywhere between the deal and the end: full and empty piles, redeals or none."""
    rng = random.Random(seed)
    lowest = rng.choice([1, 1, 7, 11, 13])
    up = [rng.randint(lowest, 13) for _ in SUITS]
    down = [rng.choice([rng.randint(lowest, 13), max(1, 13 - height)]) for height in up]
    cards = [rank + suit for suit in SUITS for rank in RANKS] * 2
    for suit, rising, falling in zip(SUITS, up, down, strict=True):
        for rank in RANKS[:rising] + RANKS[::-1][:falling]:
            cards.remove(rank + suit)
    rng.shuffle(cards)
    piles: list[list[str]] = [[] for _ in range(16)]
    in_use = piles[: max(rng.randint(1, 16), -(-len(cards) // 13))]
    greedy = rng.random() < 0.6
    for card in cards:
        free = [pile for pile in in_use if len(pile) < 13]
        (free[0] if greedy else rng.choice(free)).append(card)
    rng.shuffle(piles)
    return Game.position(piles, up, down, rng.choice([0, 0, 1, 3]))


def _ended(status: str, count: int) -> list[Game]:
    """Return the first built positions that have ended like this: drawn at random they are rare."""
    games = (_built(seed) for seed in range(100_000))
    return list(itertools.islice((game for game in games if game.status == status), count))


ENDED = [*_ended("won", 3), *_ended("blocked", 12)]

st.register_type_strategy(GameCode, _codes())
st.register_type_strategy(
    Game,
    st.builds(_played, _codes(), st.integers(0, 2**32), st.integers(0, 220))
    | st.builds(_built, st.integers(0, 2**32))
    | st.sampled_from(ENDED).map(Game.copy),
)


@pytest.fixture(scope="session")
def state() -> Callable[[Game], dict[str, Any]]:
    """Everything a game is, in the form of the case files."""

    def state_of(game: Game) -> dict[str, Any]:
        return {
            "piles": [" ".join(pile) for pile in game.piles],
            "up": list(game.up),
            "down": list(game.down),
            "redeals": game.redeals,
            "moves": game.moves,
            "undone": game.undone,
            "undoable": game.undoable,
            "status": game.status,
        }

    return state_of


@pytest.fixture(scope="session")
def table() -> Callable[..., Game]:
    """Make a position of a few piles that matter; the last ones take the other cards, 13 in each, by suit."""

    def position(
        *piles: str, up: tuple[int, ...] = (1,) * 4, down: tuple[int, ...] = (1,) * 4, redeals: int = 0
    ) -> Game:
        wanted = [pile.split() for pile in piles]
        rest = [rank + suit for suit in SUITS for rank in RANKS] * 2
        for suit, rising, falling in zip(SUITS, up, down, strict=True):
            for rank in RANKS[:rising] + RANKS[::-1][:falling]:
                rest.remove(rank + suit)
        for card in (card for pile in wanted for card in pile):
            rest.remove(card)
        others = [rest[at : at + 13] for at in range(0, len(rest), 13)]
        empty: list[list[str]] = [[] for _ in range(16 - len(wanted) - len(others))]
        return Game.position(wanted + empty + others, up, down, redeals)

    return position
