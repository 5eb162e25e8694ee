"""The certificate of a server: read, tried, and read again once it is renewed."""

import asyncio
import ssl
from pathlib import Path
from typing import NamedTuple

import structlog

from server.node.errors import SettingsError
from server.transport.listener import Listener

LOOKED_AT_EVERY_S = 60.0

log = structlog.get_logger()


class TlsFiles(NamedTuple):
    """Where the certificate (with those of the authorities between it and a root) and its key are, in PEM."""

    cert: Path
    key: Path


def tls_files(cert: Path | None, key: Path | None) -> TlsFiles | None:
    """The pair, if one is given. Raises `SettingsError` for half a pair and for one that cannot be used."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise SettingsError("--tls-cert and --tls-key belong together; give both, or neither")
    files = TlsFiles(cert, key)
    tls_context(files)
    return files


def tls_context(files: TlsFiles) -> ssl.SSLContext:
    """What handshakes need. Raises `SettingsError`."""
    for option, path in (("--tls-cert", files.cert), ("--tls-key", files.key)):
        try:
            path.read_bytes()
        except OSError as error:
            why = error.strerror or error
            raise SettingsError(f"cannot read `{path}` ({why}); name a PEM file with {option}") from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.options |= ssl.OP_NO_RENEGOTIATION  # of TLS 1.2: the peer's way to have us compute for nothing
    try:
        context.load_cert_chain(files.cert, files.key, password=lambda: _refuse_passphrase(files.key))
    except OSError as error:
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            what = f"the key `{files.key}` is not that of the certificate `{files.cert}`"
            raise SettingsError(f"{what}; give the two that were made together") from None
        what = f"`{files.cert}` and `{files.key}` are no certificate and key"
        raise SettingsError(f"{what}; give them in PEM, which begins with -----BEGIN") from None
    return context


def _refuse_passphrase(key: Path) -> str:
    raise SettingsError(
        f"the key `{key}` wants a passphrase; give it without one, readable for the server alone"
    )


async def keep_renewed(files: TlsFiles, listener: Listener) -> None:
    """Look at the files now and then, and have a new pair used for connections from then on."""
    seen = _state(files)
    while True:
        await asyncio.sleep(LOOKED_AT_EVERY_S)
        found = _state(files)
        if found == seen:
            continue
        try:
            listener.renew(tls_context(files))
        except SettingsError as error:  # perhaps only one of the two is there yet
            log.warning("the certificate is kept as it was", reason=str(error))
        else:
            seen = found
            log.info("the certificate is renewed")


def _state(files: TlsFiles) -> list[tuple[int, int, int] | None]:
    """What changes when a file does."""
    states: list[tuple[int, int, int] | None] = []
    for path in files:
        try:
            found = path.stat()
        except OSError:
            states.append(None)
        else:
            states.append((found.st_ino, found.st_mtime_ns, found.st_size))
    return states
