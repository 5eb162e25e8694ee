import pytest

from client_cli.notation import read_action, write_action
from server.engine.actions import Action
from server.engine.notation import NotationError
from tests.client_cli.samples import position


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("10>14", Action("m", 9, 13)),
        ("3>A", Action("m", 2, 17)),  # on pile 3 lies a heart
        ("3>k", Action("m", 2, 21)),
        ("3>F", Action("m", 2, 24)),
        ("3>*", Action("m", 2, 25)),
        ("AS>K", Action("m", 16, 20)),
        (" k s > a ", Action("m", 20, 16)),
        ("r", Action("r")),
        ("U", Action("u")),
    ],
)
def test_typed_moves_against_tops_alone(text: str, action: Action) -> None:
    assert read_action(text, position()) == action


def test_without_a_game_a_suit_is_unknown() -> None:
    assert read_action("10>14", None) == Action("m", 9, 13)
    with pytest.raises(NotationError):
        read_action("3>A", None)


def test_what_is_written_is_read_back() -> None:
    for src in range(24):
        for dst in range(26):
            text = write_action("m", src, dst)
            assert read_action(text, position()) == Action("m", src, dst)
    assert write_action("r", None, None) == "R"
    assert write_action("u", 3, 4) == "U"
