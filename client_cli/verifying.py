"""`crescent verify`: fetch a log, check it, and say what holds and what does not."""

from client_cli import exits
from client_cli.json_lines import JsonScreen
from client_cli.log_access import LogFailure, awaited_log
from client_cli.output import Output
from client_cli.report import Finding, Report
from client_cli.terminal import Settings
from client_cli.texts import say
from client_cli.verify import verify
from client_cli.verify_texts import finding_text


def run_verify(settings: Settings, source: str) -> int:
    """Check the log at `source`, and return the exit code."""
    output, lang = Output(), settings.lang
    complain = JsonScreen(output.raw).error if settings.json else output.complain
    try:
        with awaited_log(source, settings.server, lang, settings.password, output.complain) as lines:
            report = verify(lines)
    except LogFailure as failure:
        complain(str(failure))
        return failure.code
    _show(report, settings, output)
    return exits.OK if report.agrees else exits.REFUSED


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
