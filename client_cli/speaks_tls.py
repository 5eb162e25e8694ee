"""Whether a server that gave no answer to plain HTTP speaks TLS: most just hang up then, and say nothing."""

import asyncio
import socket
import ssl
from urllib.parse import urlsplit

PATIENCE_S = 3.0


async def speaks_tls(url: str) -> bool:
    """Whether the server at this `ws://` address shakes hands by TLS, whatever its certificate is."""
    parts = urlsplit(url)
    if parts.scheme != "ws" or parts.hostname is None:
        return False
    return await asyncio.to_thread(_shakes_hands, parts.hostname, parts.port or 80)


def _shakes_hands(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # nothing is told to it
    try:
        with (
            socket.create_connection((host, port), PATIENCE_S) as line,
            context.wrap_socket(line, server_hostname=host),
        ):
            return True
    except OSError:
        return False
