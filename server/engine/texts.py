"""Sentences for people, in the three languages this project speaks."""

from typing import NamedTuple

LANGUAGES = ("en", "da", "de")


class Texts(NamedTuple):
    """One sentence in English, Danish and German."""

    en: str
    da: str
    de: str

    def text(self, lang: str) -> str:
        """Return the sentence in `lang`, one of `LANGUAGES`; ValueError for any other."""
        if lang not in LANGUAGES:
            raise ValueError(f"There are no texts in the language {lang!r}; choose en, da or de")
        sentence: str = getattr(self, lang)
        return sentence


def in_every_language(text: str) -> Texts:
    """Return a text that needs no translation: names, codes, figures."""
    return Texts(text, text, text)


class TextError(ValueError):
    """Something a person typed is wrong; `str()` says it in English, `.text(lang)` in any of the three."""

    def __init__(self, texts: Texts) -> None:
        super().__init__(texts.en)
        self.texts = texts

    def text(self, lang: str) -> str:
        """Return what is wrong and what to do, in `lang`: "en", "da" or "de"."""
        return self.texts.text(lang)
