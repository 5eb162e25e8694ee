"""The line under the table: one sentence, in as many lines as it takes."""

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
            self.refresh(layout=True)  # it may take more lines now, or fewer

    def drawn(self) -> Text:
        """Return the sentence."""
        return Text(self.sentence.text)
