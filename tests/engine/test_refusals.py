from pathlib import Path

import pytest

from server.engine.refusals import Refusal, text

RULES = Path(__file__).parents[2] / "docs" / "rules.md"


def table_rows() -> list[tuple[str, str, str, str]]:
    """Return (code, English, Danish, German) of each row of the rules' table, in its order."""
    section = RULES.read_text(encoding="utf-8").split("## Refusals")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return [(code.strip(" `"), en.strip(), da.strip(), de.strip()) for code, _when, en, da, de in rows]


def test_the_codes_are_those_of_the_table_in_its_order():
    assert [refusal.value for refusal in Refusal] == [row[0] for row in table_rows()]


@pytest.mark.parametrize("row", table_rows(), ids=lambda row: row[0])
def test_the_sentences_are_those_of_the_table(row):
    code, *sentences = row
    assert [text(Refusal(code), lang) for lang in ("en", "da", "de")] == sentences


def test_no_sentence_in_another_language():
    with pytest.raises(ValueError, match="en, da or de"):
        text(Refusal.SUIT, "fr")
