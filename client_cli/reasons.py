"""Why a server could not be reached, in the system's words; about TLS, in our own."""

import os
import ssl

from client_cli.texts import DEFAULT_LANG
from protocol.messages import Lang
from server.engine.texts import Texts

SPEAKS_TLS = Texts(
    "it speaks TLS: write wss:// or https://",
    "den taler TLS: skriv wss:// eller https://",
    "er spricht TLS: schreibe wss:// oder https://",
)
_SPEAKS_NO_TLS = Texts(
    "it speaks no TLS: write ws:// or http://",
    "den taler ikke TLS: skriv ws:// eller http://",
    "er spricht kein TLS: schreibe ws:// oder http://",
)
_NOT_TRUSTED = Texts(
    "its certificate is not trusted: {why}; for an authority of your own, name its file in SSL_CERT_FILE",
    "dens certifikat er der ikke tillid til: {why}; har du din egen udsteder, så angiv dens fil i "
    "SSL_CERT_FILE",
    "seinem Zertifikat wird nicht vertraut: {why}; für eine eigene Zertifizierungsstelle nenne deren Datei "
    "in SSL_CERT_FILE",
)


def reason_of(error: Exception, lang: Lang = DEFAULT_LANG) -> str:
    """Return the system's own words for an error, where it has them without asyncio's addresses; about TLS,
    what to do, in `lang`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _NOT_TRUSTED.text(lang).format(why=error.verify_message)
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return _SPEAKS_NO_TLS.text(lang)
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
