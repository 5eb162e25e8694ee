import re
import string
from pathlib import Path

import pytest

from client_cli.help_texts import HELP
from client_cli.texts import TEXTS, environment_lang, say, status_text
from client_cli.verify_texts import SENTENCES, WHAT, WHY
from server.engine.texts import LANGUAGES

BOOKS = {"help": HELP, "verify": SENTENCES, "why": WHY, "what": WHAT}
SOURCES = Path(__file__).parents[2] / "client_cli"
ALL = {
    **TEXTS,
    **{f"{name}:{key}": texts for name, book in BOOKS.items() for key, texts in book.items()},
}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", sorted(ALL))
def test_every_text_stands_in_all_languages_with_the_same_values(key: str) -> None:
    texts = ALL[key]
    assert all(getattr(texts, lang).strip() for lang in LANGUAGES)
    assert fields(texts.en) == fields(texts.da) == fields(texts.de)


def test_every_key_the_client_names_is_there() -> None:
    source = "\n".join(path.read_text() for path in SOURCES.glob("*.py"))
    for key in re.findall(r'(?:\bsay|\.tell|CommandError|SettingError)\(\s*"(\w+)"', source):
        assert key in TEXTS, key
    for key in re.findall(r'(?:\bdiffer|\bconfirm|NotALogError)\(\s*"(\w+)"', source):
        assert key in SENTENCES, key
    for key in re.findall(r'(?:help_text\(|_option\("[^"]+", )"(\w+)"', source):
        assert key in HELP, key


def test_values_are_made_safe() -> None:
    assert say("event_joined", "en", who="A\x1b[2J\u202eda") == "A[2Jda is here."
    assert say("event_joined", "da", who="{x}") == "{x} er her."


def test_a_status_this_version_does_not_know_is_shown_as_it_came() -> None:
    assert status_text("won", "de") == "gewonnen"
    assert status_text("pau\x1bsed", "de") == "paused"


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "da_DK.UTF-8"}, "da"),
        ({"LANG": "de_AT"}, "de"),
        ({"LANG": "fr_FR"}, "en"),
        ({"LANG": "da_DK", "LC_ALL": "de_DE"}, "de"),
        ({"LANG": "da_DK", "LC_ALL": "C"}, "en"),
    ],
)
def test_the_language_of_the_environment(environment: dict[str, str], lang: str) -> None:
    assert environment_lang(environment) == lang
