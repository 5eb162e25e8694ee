"""How much of what was sent has come to the other side: the system knows, whatever is buffered on the way."""

import asyncio
import socket
import struct
import sys
from typing import NamedTuple

# Of Linux' `struct tcp_info`: tcpi_unacked, tcpi_bytes_acked, tcpi_notsent_bytes. Others have another.
_TCP_INFO = getattr(socket, "TCP_INFO", None) if sys.platform == "linux" else None
_TCP_INFO_BYTES = 148
_UNACKED, _ACKED, _NOT_SENT = (24, "=I"), (120, "=Q"), (144, "=I")


class Taken(NamedTuple):
    """`bytes`: taken in by the peer's system so far, counted from anywhere. `all`: nothing is on the way."""

    bytes: int
    all: bool


def taken(transport: asyncio.Transport) -> Taken:
    """Return what the peer has taken in: its system stops taking when its program stops reading.

    Elsewhere than on Linux: what has left this process, which is less exact by the system's buffer.
    """
    waiting = transport.get_write_buffer_size()
    sock = transport.get_extra_info("socket")
    if _TCP_INFO is not None and sock is not None:
        try:
            info = sock.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _TCP_INFO_BYTES)
        except OSError:  # no TCP, or gone
            info = b""
        if len(info) == _TCP_INFO_BYTES:
            unacked, acked, not_sent = (
                struct.unpack_from(form, info, at)[0] for at, form in (_UNACKED, _ACKED, _NOT_SENT)
            )
            return Taken(acked, waiting == unacked == not_sent == 0)
    return Taken(-waiting, waiting == 0)
