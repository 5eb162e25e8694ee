import pytest

from client_cli.commands import COMMANDS, Command, CommandError, parse_line
from client_cli.throttle import Throttle


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("", None),
        ("  \n", None),
        ("10>14", Command("move", "10>14")),
        ("3 > F", Command("move", "3 > F")),
        ("AS>K", Command("move", "AS>K")),
        ("a s > k", Command("move", "a s > k")),
        ("r", Command("move", "r")),
        ("U", Command("move", "U")),
        ("READY", Command("ready")),
        ("say 1>2 is clever", Command("say", "1>2 is clever")),
        ("say  hello  all ", Command("say", "hello  all")),
        ("close", Command("close")),
        ("close it rains", Command("close", "it rains")),
        ("follow Bo B", Command("follow", "Bo B")),
    ],
)
def test_what_a_line_means(line: str, command: Command | None) -> None:
    assert parse_line(line) == command


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("dance", "unknown_command"),
        ("say", "needs_argument"),
        ("start now", "takes_no_argument"),
        ("say " + "x" * 301, "too_long"),
        ("x" * 1001, "too_long"),
    ],
)
def test_what_is_no_command(line: str, key: str) -> None:
    with pytest.raises(CommandError) as error:
        parse_line(line)
    assert error.value.key == key


def test_every_command_can_be_typed() -> None:
    for name, takes in COMMANDS.items():
        assert parse_line(name if takes != "text" else f"{name} x") is not None


def test_standings_at_most_once_an_interval_and_the_last_is_never_lost() -> None:
    throttle = Throttle(1.0)
    assert not throttle.due(0.0)
    throttle.changed()
    assert throttle.due(0.0)
    assert not throttle.due(5.0)
    throttle.changed()
    throttle.shown(5.0)
    throttle.changed()
    assert not throttle.due(5.9)
    assert throttle.due(6.0)
