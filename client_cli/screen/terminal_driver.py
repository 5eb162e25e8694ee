"""textual's driver for Linux and macOS, for terminals that can be taken away."""

from textual.drivers.linux_driver import LinuxDriver

from client_cli import exits
from client_cli.screen.themed_app import ThemedApp


class TerminalDriver(LinuxDriver):
    """Waits for no terminal that does not listen any more, and takes none for an app that is to end."""

    _app: ThemedApp
    _holds = False
    """The terminal was taken, and not given back yet."""

    @property
    def _is_read(self) -> bool:
        """Whether what is written goes anywhere: the writing thread ends once the terminal is closed."""
        return self._writer_thread is not None and self._writer_thread.is_alive()

    def write(self, data: str) -> None:
        """Write, if there is somewhere to write to; the queue to a thread that has ended would fill up."""
        if self._is_read:
            super().write(data)

    def start_application_mode(self) -> None:
        """Take the terminal. In the background the program stops here till `fg`; with none, the app ends."""
        if self._app.ends:  # stopped, ended, and then continued: it may be somebody else's by now
            return
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._holds = self._is_read
        if not self._holds:
            self._app.call_later(self._app.exit, exits.INTERRUPTED)

    def disable_input(self) -> None:
        """Read no more; in the background that would stop the program."""
        if self._holds:
            super().disable_input()

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        if self._holds:
            super().stop_application_mode()
            self._holds = False

    def close(self) -> None:
        """Have everything written."""
        if self._is_read:
            super().close()
