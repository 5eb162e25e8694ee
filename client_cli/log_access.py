"""The log that somebody names: opened wherever it is, and what is wrong in a sentence."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from time import sleep

from client_cli import exits
from client_cli.address import Address, AddressError, NoRoomError, split_room
from client_cli.asking_again import NotNowError, Patience
from client_cli.log_source import (
    FileFaultError,
    NoAnswerError,
    PageRefusedError,
    file_lines,
    is_file,
    is_url,
    page_lines,
    page_of,
    room_page,
)
from client_cli.reasons import SPEAKS_TLS, reason_of
from client_cli.report import NotALogError
from client_cli.speaks_tls import speaks_tls
from client_cli.texts import say
from client_cli.verify_texts import finding_text
from protocol.messages import Lang

_NOT_FOR_US = (401, 403, 404, 409, 429)
_BAD_REQUEST, _BUILDING = 400, 503


class LogFailure(NotNowError):
    """No log to be had: str() says why, to people; `code` is the exit code. `busy` says of a server that
    wants to be asked again that this is done.
    """

    def __init__(self, text: str, code: int, again_s: int | None = None, busy: str = "") -> None:
        super().__init__(text)
        self.code, self.again_s, self.busy = code, again_s, busy


@contextmanager
def awaited_log(
    source: str, server: Address, lang: Lang, password: str | None, tell: Callable[[str], None]
) -> Iterator[Iterator[bytes]]:
    """The same as `named_log`, but a server that is busy is asked again, which `tell` is told once.

    It blocks meanwhile: for a command that does nothing else.
    """
    patience, told = Patience(), False
    with ExitStack() as opened:
        while True:
            try:
                lines = opened.enter_context(named_log(source, server, lang, password))
                break
            except LogFailure as failure:
                pause_s = patience.pause_s(failure)
                if not told:
                    tell(failure.busy)
                told = True
            sleep(pause_s)
        yield lines


@contextmanager
def named_log(source: str, server: Address, lang: Lang, password: str | None) -> Iterator[Iterator[bytes]]:
    """The lines of the log at `source`: a file, `-`, an address, or a room of `server`.

    Whatever goes wrong inside, in reading the lines as well, is a `LogFailure` in `lang`.
    """
    if not source.strip():
        raise LogFailure(say("no_source", lang), exits.USAGE)
    try:
        with _opened(source, server, password) as lines:
            yield lines
    except NotALogError as error:
        raise LogFailure(finding_text(error, lang), exits.USAGE) from None
    except FileFaultError as error:
        text = say("unreadable", lang, name=source, reason=str(error))
        raise LogFailure(text, exits.USAGE) from None
    except NoRoomError:
        raise LogFailure(say("link_without_room", lang), exits.USAGE) from None
    except AddressError as error:
        raise LogFailure(say("bad_address", lang, text=str(error)), exits.USAGE) from None
    except NoAnswerError as error:
        raise _no_answer(error, lang) from None
    except PageRefusedError as error:
        raise _refused(error, lang) from None


def _no_answer(error: NoAnswerError, lang: Lang) -> LogFailure:
    # Most servers that speak TLS just hang up on who does not.
    hung_up = isinstance(error.cause, http.client.HTTPException | ConnectionResetError | BrokenPipeError)
    tls = hung_up and speaks_tls(error.url)
    reason = SPEAKS_TLS.text(lang) if tls else reason_of(error.cause, lang)
    return LogFailure(say("no_connection", lang, url=error.url, reason=reason), exits.NO_CONNECTION)


def _refused(error: PageRefusedError, lang: Lang) -> LogFailure:
    if error.status == _BAD_REQUEST and speaks_tls(error.url):  # some say so, in words of their own
        text = say("no_connection", lang, url=error.url, reason=SPEAKS_TLS.text(lang))
        return LogFailure(text, exits.NO_CONNECTION)
    code = exits.REFUSED if error.status in _NOT_FOR_US else exits.NO_CONNECTION
    busy = say("log_is_built" if error.status == _BUILDING else "log_busy", lang)
    return LogFailure(say("no_log", lang, reason=str(error)), code, error.again_s, busy)


def _opened(source: str, server: Address, password: str | None) -> AbstractContextManager[Iterator[bytes]]:
    if is_url(source):
        return page_lines(page_of(source), password)
    if is_file(source):
        return file_lines(source)
    address, room = split_room(source, server)
    return page_lines(room_page(address, room), password)
