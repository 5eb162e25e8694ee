"""The screen's colours and proportions: textual's CSS, and the two themes."""

from textual.theme import Theme

DARK = Theme(
    name="crescent-dark",
    primary="#7fb8ff",
    secondary="#b9c7d8",
    warning="#ffcf5c",
    error="#ff7b72",
    success="#7ee08a",
    accent="#ffcf5c",
    foreground="#e6e9ee",
    background="#12161c",
    surface="#1a2028",
    panel="#252d38",
    dark=True,
    variables={"felt": "#143226", "felt-text": "#9fc2b1", "felt-strong": "#e8f4ee", "back": "#5b6f86"},
)

LIGHT = Theme(
    name="crescent-light",
    primary="#0a53a8",
    secondary="#4a5a6a",
    warning="#8a5a00",
    error="#b3261e",
    success="#1a6b2d",
    accent="#8a5a00",
    foreground="#1b1f24",
    background="#f6f7f9",
    surface="#ffffff",
    panel="#e3e8ee",
    dark=False,
    variables={"felt": "#cfe3d6", "felt-text": "#47604f", "felt-strong": "#10291a", "back": "#8fa2b7"},
)

THEMES = {"dark": DARK, "light": LIGHT}


def other_theme(name: str) -> str:
    """The light one's name for the dark one's, and the other way."""
    return LIGHT.name if name == DARK.name else DARK.name


CSS = """
Screen { layout: vertical; background: $background; overflow: hidden; }
StatusWidget { height: 2; background: $panel; color: $foreground; }
#middle { layout: horizontal; }
TableWidget { background: $felt; }
StandingsWidget { width: 1fr; background: $surface; padding: 0 1; }
WaitingWidget { width: 1fr; background: $felt; color: $felt-strong; padding: 1 2; }
SentenceWidget { height: auto; min-height: 1; background: $panel; color: $foreground; padding: 0 1; }
SentenceWidget.-wrong { color: $warning; text-style: bold; }
SentenceWidget.-good { color: $success; text-style: bold; }
NewsWidget { height: 1fr; background: $background; padding: 0 1; scrollbar-size: 0 0; }
KeysWidget, ChoiceWidget, BarsWidget { link-style: none; link-style-hover: underline; }
KeysWidget { height: 1; background: $panel; color: $foreground; }
#typing { height: 1; display: none; background: $surface; border: none; padding: 0 1; }
#typing.-open { display: block; }
#too-small { display: none; height: 1fr; padding: 1 2; }
.-too-small > * { display: none; }
.-too-small > #too-small { display: block; }

.table--felt { background: $felt; color: $felt-text; }
.table--card { background: #fdfcf7; text-style: bold; }
.table--suit-S { color: #101418; }
.table--suit-H { color: #c3141c; }
.table--suit-D { color: #0b57c4; }
.table--suit-C { color: #0a7031; }
.table--back { background: $back; color: #ffffff; }
.table--empty { color: $felt-text; background: $felt; }
.table--number { color: $felt-text; }
.table--count { color: $felt-strong; text-style: bold; }
.table--full { color: $success; text-style: bold reverse; }
.table--target { background: #b7f0c0; }
.table--cursor { background: #ffd95e; }
.table--held { background: #ffb02e; text-style: bold underline; }
.table--pending { background: #d3d9e2; text-style: italic; }
App:nocolor .table--card { text-style: bold reverse; }

HelpScreen { align: center middle; background: $background; }
#help { width: 100%; max-width: 96; height: 100%; max-height: 44; background: $surface; padding: 0 1; }

.over { align: center middle; background: $background 60%; }
.band { width: 100%; height: auto; align-horizontal: center; background: $background; }
.window { width: 100%; height: auto; border: round $primary; background: $panel; }
.window > .keys { height: 1; color: $secondary; }
"""
