"""Whether a request fits the wire, asked before it is sent: the server closes the connection of who sends
what does not.
"""

import re

from client_cli.failures import InvalidRequest
from protocol.codec import MSGPACK, MalformedFrame
from protocol.limits import CLIENT_FRAME_BYTES_MAX
from protocol.messages import Lang, Request
from server.engine.texts import LANGUAGES, Texts

_NOT_SENT = Texts("Not sent", "Ikke sendt", "Nicht gesendet")
_AT_MOST = Texts("at most {most} characters", "højst {most} tegn", "höchstens {most} Zeichen")
_AT = re.compile(r"(.*) - at `\$\.(\w+).*`", re.DOTALL)
"""How a decoder tells of a field: what is wrong, and which it is."""
_LENGTH = re.compile(r"Expected `str` of length <= (\d+)")
"""How it tells of a text that is too long: the one fault that people can make."""


def frame_of(request: Request, lang: Lang) -> bytes:
    """Return a request as it is sent; InvalidRequest, in this language, where the server cannot read it."""
    try:
        frame: bytes = MSGPACK.encode(request)
        MSGPACK.decode_client(frame)
    except MalformedFrame as error:
        raise _invalid(request, str(error), lang) from None
    except (TypeError, ValueError, OverflowError, RecursionError) as error:  # of no type that could be sent
        raise _invalid(request, str(error), lang) from None
    if len(frame) > CLIENT_FRAME_BYTES_MAX:
        raise _invalid(request, f"{len(frame)} > {CLIENT_FRAME_BYTES_MAX} bytes", lang)
    return frame


def invalid(what: str, lang: Lang, field: str = "") -> InvalidRequest:
    """Return the failure of a request that is not sent: what is wrong, and with which argument."""
    known: Lang = lang if lang in LANGUAGES else "en"  # the language may be what is wrong
    if length := _LENGTH.fullmatch(what):
        what = _AT_MOST.text(known).format(most=length[1])
    return InvalidRequest(": ".join(part for part in (_NOT_SENT.text(known), field, what) if part), field)


def _invalid(request: Request, reason: str, lang: Lang) -> InvalidRequest:
    found = _AT.fullmatch(reason)
    return invalid(found[1], lang, _argument(request, found[2])) if found else invalid(reason, lang)


def _argument(request: Request, on_the_wire: str) -> str:
    """Return a field's name in Python: of `as`, `role`."""
    names = dict(zip(request.__struct_encode_fields__, request.__struct_fields__, strict=True))
    return names.get(on_the_wire, on_the_wire)
