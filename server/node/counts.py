"""Plain integers on a move's way, read when somebody scrapes them."""


class Counts:
    """What a node has done since it started."""

    __slots__ = ("connections", "dropped", "refused", "stored")

    def __init__(self) -> None:
        self.connections = 0
        self.dropped = 0
        self.stored = 0
        self.refused = 0
