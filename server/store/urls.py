"""URLs of stores: what may stand in one, and how one is shown."""

import re
from urllib.parse import parse_qsl, urlsplit

HIDDEN = "***"
SCHEMES = ("redis://", "rediss://", "unix://")

# What else the client would take changes how a store answers, or replaces limits of ours.
_OPTIONS = ("db",)
_TLS_OPTIONS = (
    "ssl_cert_reqs", "ssl_check_hostname", "ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile",
)  # fmt: skip

_UNQUOTED = "host and port cannot be made out; in a password write / ? # @ as %2F %3F %23 %40"
# Without an `@`, what stands where a port would may be the password.
_NO_PORT = re.compile(r"^(?P<host>[^/:\[]*):(?!\d{1,5}(?:/|$))[^/]*")


def without_password(url: str) -> str:
    """A URL, or what was given for one, as it may be shown: without user, password and options."""
    scheme, divider, rest = url.partition("://")
    if not divider:
        scheme, rest = "", url
    if "@" in rest:  # one that is not quoted may have any sign in it, a `/` and a `?` as well
        return f"{scheme}{divider}{HIDDEN}@{_without_options(rest.rpartition('@')[2])}"
    return scheme + divider + _NO_PORT.sub(rf"\g<host>:{HIDDEN}", _without_options(rest), count=1)


def _without_options(text: str) -> str:
    return re.split(r"[?#]", text, maxsplit=1)[0]


def check_url(url: str) -> None:
    """Raise ValueError for what is no URL of a store; the reason has nothing of a password."""
    if not url.startswith(SCHEMES):
        raise ValueError(f"it begins with none of {', '.join(SCHEMES)}")
    try:
        parts = urlsplit(url)
        port_is_one = parts.port is None or parts.port > 0
    except ValueError:
        raise ValueError(_UNQUOTED) from None
    is_socket = parts.scheme == "unix"
    if not port_is_one or (not is_socket and "@" in f"{parts.path}{parts.query}{parts.fragment}"):
        raise ValueError(_UNQUOTED)
    if not is_socket and not re.fullmatch(r"/?|/\d+", parts.path):
        raise ValueError("the database, behind the last /, is no number")
    allowed = _OPTIONS + (_TLS_OPTIONS if parts.scheme == "rediss" else ())
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in allowed:
            told = name if re.fullmatch(r"\w+", name) else HIDDEN
            raise ValueError(f"of options behind the ? there are {', '.join(allowed)}, and no `{told}`")
        if name == "db" and not value.isdecimal():
            raise ValueError("the database, behind db=, is no number")
