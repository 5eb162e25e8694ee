"""How much a peer may ask of the transport, and how long it may take: each limit with its reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds one connection. Durations are seconds of the loop's monotonic clock."""

    frame_bytes_max: int = 4096
    """The largest message of a client, whole or in fragments: the protocol's 4 KiB."""

    head_bytes_max: int = 8192
    """The largest HTTP request head. `websockets` refuses a longer line, so no line of ours reaches that."""

    head_fields_max: int = 100
    """The most HTTP fields in a head; browsers send some twenty. Below the 128 of `websockets`."""

    opening_seconds: float = 10.0
    """From accepting to a whole request head: several lost packets on a bad line, no slow-loris for long."""

    http_seconds: float = 10.0
    """For the application to answer a plain request, and then for the client to read some of the answer."""

    http_seconds_max: float = 300.0
    """For the whole answer: the longest logs of a race have a MiB, which a bad line takes in minutes."""

    close_seconds: float = 5.0
    """From our close frame to the end of the TCP connection: a round trip on any line a race is played on."""

    ping_every_seconds: float = 20.0
    """Silence before a ping: below the 30-60 s at which home routers and proxies forget a connection."""

    pong_within_seconds: float = 20.0
    """Silence after a ping that means a dead peer: a phone changing networks is back sooner."""

    sweep_seconds: float = 1.0
    """Between two looks at all connections: the precision of every time-out here."""

    write_buffer_bytes_max: int = 256 * 1024
    """What may wait for a slow reader: a room of a thousand (about 100 KiB), and a second of its boards."""

    socket_send_bytes: int = 128 * 1024
    """The kernel's send buffer. Left alone it grows to 4 MiB, hiding a stopped reader for half a minute."""

    slow_reader_seconds: float = 1.0
    """From 4429 to the abort: a chance for the close frame, then the memory is given back."""

    turn_bytes_max: int = 8192
    """What is read of one connection before the others have their turn: two of the largest messages."""

    other_frames_max: int = 500
    """Control frames and fragments between two sweeps: a player's largest messages in pieces, and pings. The
    application's rates do not see these, and each costs as much as two actions."""

    backlog: int = 1024
    """Connections that may wait to be accepted: everybody's reconnect after a restart."""

    openings_per_peer_max: int = 256
    """Connections of one address that are not yet WebSockets: one that asks for nothing holds a file too."""

    def __post_init__(self) -> None:
        """Raise ValueError where even a control frame (RFC 6455, 5.5) would be over the limit."""
        if self.frame_bytes_max < 125:
            raise ValueError("frame_bytes_max must be at least 125")
