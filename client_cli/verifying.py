"""`crescent verify`: fetch a log, check it, and say what holds and what does not."""

from collections.abc import Iterator
from contextlib import AbstractContextManager

from client_cli import exits
from client_cli.address import AddressError, NoRoomError, split_room
from client_cli.json_lines import JsonScreen
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
from client_cli.output import Output
from client_cli.report import Finding, NotALogError, Report
from client_cli.terminal import Settings
from client_cli.texts import say
from client_cli.verify import verify
from client_cli.verify_texts import finding_text

_NOT_FOR_US = (401, 403, 404, 409, 429)


def run_verify(settings: Settings, source: str) -> int:
    """Check the log at `source`, and return the exit code."""
    output, lang = Output(), settings.lang
    complain = JsonScreen(output.raw).error if settings.json else output.complain
    if not source.strip():
        complain(say("no_source", lang))
        return exits.USAGE
    try:
        with _lines_of(source, settings) as lines:
            report = verify(lines)
    except NotALogError as error:
        complain(finding_text(error, lang))
        return exits.USAGE
    except FileFaultError as error:
        complain(say("unreadable", lang, name=source, reason=str(error)))
        return exits.USAGE
    except NoRoomError:
        complain(say("link_without_room", lang))
        return exits.USAGE
    except AddressError as error:
        complain(say("bad_address", lang, text=str(error)))
        return exits.USAGE
    except NoAnswerError as error:
        complain(say("no_connection", lang, url=error.url, reason=str(error)))
        return exits.NO_CONNECTION
    except PageRefusedError as error:
        complain(say("no_log", lang, reason=str(error)))
        return exits.REFUSED if error.status in _NOT_FOR_US else exits.NO_CONNECTION
    _show(report, settings, output)
    return exits.OK if report.agrees else exits.REFUSED


def _lines_of(source: str, settings: Settings) -> AbstractContextManager[Iterator[bytes]]:
    if is_url(source):
        return page_lines(page_of(source), settings.password)
    if is_file(source):
        return file_lines(source)
    server, room = split_room(source, settings.server)
    return page_lines(room_page(server, room), settings.password)


def _show(report: Report, settings: Settings, output: Output) -> None:
    lang = settings.lang

    def told(finding: Finding) -> dict[str, object]:
        values = {name: value for name, value in finding.values.items() if isinstance(value, str | int)}
        return {"code": finding.code, "text": finding_text(finding, lang), **values}

    if settings.json:
        output.json(
            {
                "room": report.room,
                "agrees": report.agrees,
                "confirmed": [told(finding) for finding in report.confirmed],
                "differs": [told(finding) for finding in report.differs],
            }
        )
        return
    output.line(say("verified_room", lang, room=report.room[:40]), "bold")
    for finding in report.confirmed:
        output.line(f"  {finding_text(finding, lang)}")
    for finding in report.differs:
        output.line(f"! {finding_text(finding, lang)}", "red")
    verdict = "verified" if report.agrees else "verified_not"
    if len(report.differs) == 1:
        verdict = "verified_not_one"
    output.line(say(verdict, lang, count=len(report.differs)), "green" if report.agrees else "red")
