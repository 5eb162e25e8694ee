"""Whether a server that gave no answer to plain HTTP speaks TLS: most just hang up then, and say nothing."""

import socket
import ssl
from urllib.parse import urlsplit

PATIENCE_S = 3.0


def speaks_tls(url: str) -> bool:
    """Whether the server at this `ws://` or `http://` address shakes hands by TLS, whatever its certificate
    is. It takes up to some seconds.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "http") or parts.hostname is None:
        return False
    return _shakes_hands(parts.hostname, parts.port or 80)


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
