"""Why a server could not be reached, in the system's words."""

import os
import ssl


def reason_of(error: Exception) -> str:
    """Return the system's own words for an error, where it has them without asyncio's addresses; about a
    certificate, what to do as well."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted: {error.verify_message}; for an authority of your own, name its "
            "file in SSL_CERT_FILE"
        )
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return "it speaks no TLS: write ws:// or http://"
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
