"""One connection to a server: opened, and introduced by `hello`."""

import asyncio
from importlib.metadata import PackageNotFoundError, version

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from client_cli.address import Address
from client_cli.checking import frame_of
from client_cli.failures import NoConnection, UnknownToken
from client_cli.reasons import SPEAKS_TLS, reason_of
from client_cli.speaks_tls import speaks_tls
from protocol import limits
from protocol.codec import MSGPACK, MalformedFrame
from protocol.messages import Error, Hello, Lang, Welcome

OPEN_S = 10.0
PING_INTERVAL_S = 10.0  # a race is short: a dead line is noticed within twenty seconds
PING_TIMEOUT_S = 10.0
CLOSE_S = 2.0
BAD_REQUEST = 400
MESSAGE_BYTES_MAX = 1 << 20  # a room of a thousand people is some 200 KiB


def client_name() -> str:
    """Return what this client calls itself in `hello`."""
    try:
        return f"crescent-cli/{version('crescent-race')}"
    except PackageNotFoundError:
        return "crescent-cli"


async def open_link(
    url: str, token: str | None, lang: Lang, *, was_there: bool = False
) -> tuple[ClientConnection, Welcome]:
    """Connect to `url` and say `hello`; return the connection and the server's welcome.

    `was_there`: a server has answered at this address before, so that its scheme is right, and is not asked
    whether it speaks TLS.

    NoConnection if nobody answers there as this game's server, UnknownToken for 4401, InvalidRequest for a
    token or a language that cannot be one.
    """
    hello = frame_of(Hello(token=token, lang=lang, client=client_name()), lang)
    link = await _connect(url, lang, was_there)
    try:
        await link.send(hello)
        async for frame in link:
            message = MSGPACK.decode_server(frame if isinstance(frame, bytes) else frame.encode())
            if isinstance(message, Welcome):
                return link, message
            if isinstance(message, Error):
                raise NoConnection(message.text)
    except (ConnectionClosed, MalformedFrame) as error:
        if link.close_code == limits.CLOSE_UNKNOWN_TOKEN:
            raise UnknownToken from None
        raise NoConnection(str(error)) from error
    except BaseException:
        await link.close()
        raise
    raise NoConnection(link.close_reason or "the server closed the connection")


async def _connect(url: str, lang: Lang, was_there: bool) -> ClientConnection:
    try:
        link = await connect(
            url,
            subprotocols=[Subprotocol(limits.SUBPROTOCOL_MSGPACK)],
            compression=None,
            proxy=None if Address(url).loopback else True,
            open_timeout=OPEN_S,
            ping_interval=PING_INTERVAL_S,
            ping_timeout=PING_TIMEOUT_S,
            close_timeout=CLOSE_S,
            max_size=MESSAGE_BYTES_MAX,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        # Some say so, in words of their own.
        if status == BAD_REQUEST and not was_there and await asyncio.to_thread(speaks_tls, url):
            raise NoConnection(SPEAKS_TLS.text(lang)) from error
        raise NoConnection(f"HTTP {status}") from error
    except InvalidMessage as error:
        tls = not was_there and await asyncio.to_thread(speaks_tls, url)
        raise NoConnection(SPEAKS_TLS.text(lang) if tls else reason_of(error, lang)) from error
    except TimeoutError as error:
        raise NoConnection(f"{OPEN_S:.0f} s") from error
    except (OSError, WebSocketException, ValueError) as error:
        raise NoConnection(reason_of(error, lang)) from error
    if link.subprotocol != limits.SUBPROTOCOL_MSGPACK:
        await link.close()
        raise NoConnection(f"no {limits.SUBPROTOCOL_MSGPACK}")
    return link
