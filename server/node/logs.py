"""Lines on standard error: for people at a terminal, JSON for machines.

Each names the room and the player it is about, if it is about one: given with the line, or bound to the task
that logs it (`World.spawn`). No line has a token, a password or a message; an address stands only beside a
fault of ours.
"""

import logging
import sys
from enum import StrEnum

import structlog
from structlog.contextvars import merge_contextvars
from structlog.stdlib import ProcessorFormatter
from structlog.types import Processor


class LogLevel(StrEnum):
    """The least that is told. `debug` adds a line when the server closes a connection, and one when any has
    ended."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def configure_logs(level: LogLevel) -> None:
    """Set up the lines of this process, those of libraries included."""
    number = logging.getLevelNamesMapping()[level.upper()]
    people = sys.stderr.isatty()
    about: list[Processor] = [
        merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not people:
        about.append(structlog.processors.format_exc_info)
    line = structlog.dev.ConsoleRenderer() if people else structlog.processors.JSONRenderer()
    # A line is one write, its end included: else those of two workers on one terminal or pipe get mixed.
    structlog.configure(
        processors=[*about, line],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
    libraries = logging.StreamHandler(sys.stderr)
    remove_meta = ProcessorFormatter.remove_processors_meta
    libraries.setFormatter(ProcessorFormatter(processors=[remove_meta, line], foreign_pre_chain=about))
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[libraries], force=True)
