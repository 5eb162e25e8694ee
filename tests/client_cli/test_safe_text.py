import pytest

from client_cli.safe_text import safe_text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Ada", "Ada"),
        ("Åse 你好 🂡", "Åse 你好 🂡"),
        ("a\x1b[31mb", "a[31mb"),
        ("a\x9b31mb", "a31mb"),
        ("a\u202eb\u2066c\u200fd", "abcd"),  # direction
        ("a\u200bb\ufeffc\u00add", "abcd"),  # format
        ("a\nb\tc\u2028d\r\ne", "a b c d  e"),
        ("\ud800\ue000\U000f0000", ""),  # surrogate and private use
        ("\x07\x00", ""),
        ("", ""),
    ],
)
def test_what_could_steer_a_terminal_is_gone(text: str, safe: str) -> None:
    assert safe_text(text) == safe
