"""The log that somebody names: opened wherever it is, and what is wrong in a sentence."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from client_cli import exits
from client_cli.address import Address, AddressError, NoRoomError, split_room
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
from client_cli.report import NotALogError
from client_cli.texts import say
from client_cli.verify_texts import finding_text
from protocol.messages import Lang

_NOT_FOR_US = (401, 403, 404, 409, 429)


class LogFailure(Exception):
    """No log to be had: str() says why, to people; `code` is the exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


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
        text = say("no_connection", lang, url=error.url, reason=str(error))
        raise LogFailure(text, exits.NO_CONNECTION) from None
    except PageRefusedError as error:
        code = exits.REFUSED if error.status in _NOT_FOR_US else exits.NO_CONNECTION
        raise LogFailure(say("no_log", lang, reason=str(error)), code) from None


def _opened(source: str, server: Address, password: str | None) -> AbstractContextManager[Iterator[bytes]]:
    if is_url(source):
        return page_lines(page_of(source), password)
    if is_file(source):
        return file_lines(source)
    address, room = split_room(source, server)
    return page_lines(room_page(address, room), password)
