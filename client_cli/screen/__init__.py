"""The terminal client's screen: the race as a textual app."""
