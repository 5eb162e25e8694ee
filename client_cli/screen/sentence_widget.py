"""The line under the table: one sentence."""

from rich.text import Text

from client_cli.screen.drawn_widget import DrawnWidget
from client_cli.screen.saying import Sentence


class SentenceWidget(DrawnWidget):
    """Shows a sentence, and whether it is good news or bad."""

    def __init__(self) -> None:
        super().__init__("sentence")
        self.sentence = Sentence("")

    def show(self, sentence: Sentence) -> None:
        """Show this from now on."""
        if sentence != self.sentence:
            self.sentence = sentence
            self.set_class(sentence.kind == "wrong", "-wrong")
            self.set_class(sentence.kind == "good", "-good")
            self.redraw()

    def drawn(self) -> Text:
        """Return the sentence in one line."""
        return Text(self.sentence.text, no_wrap=True, overflow="ellipsis")
