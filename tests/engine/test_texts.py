import pytest

from server.engine.texts import LANGUAGES, TextError, Texts

GREETING = Texts("Hello", "Hej", "Hallo")


@pytest.mark.parametrize(("lang", "sentence"), [("en", "Hello"), ("da", "Hej"), ("de", "Hallo")])
def test_a_sentence_in_each_language(lang, sentence):
    assert lang in LANGUAGES
    assert GREETING.text(lang) == sentence
    assert TextError(GREETING).text(lang) == sentence


@pytest.mark.parametrize("lang", ["", "EN", "fr", "count", "text"])
def test_another_language_is_a_mistake(lang):
    with pytest.raises(ValueError, match="en, da or de"):
        GREETING.text(lang)


def test_an_error_reads_as_english():
    assert str(TextError(GREETING)) == "Hello"
