"""Progress a person can follow: a live bar on a terminal, a line for each step elsewhere.

Snakemake finds this package by its name; the option ``--logger fidelity`` asks for it.
"""

import re
import sys
from logging import LogRecord

from snakemake.logging import ColorizingTextHandler, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase

REFUSED = "nothing was run\n"
OUR_LINES = re.compile(
    r'\AWorkflowError in file "[^"]*", line \d+:\n|\n  File "[^"]*", line \d+, in <module>'
)


class LogHandler(LogHandlerBase):
    """Shows what Snakemake tells, as it can be read where it is read.

    A dry-run and ``--verbose`` are there to list jobs, and ``--quiet`` to leave them out: both are
    left to Snakemake. Its own full log is in ``.snakemake/log`` in any case.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Choose the form."""
        settings = self.common_settings
        self.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))
        if settings.dryrun or settings.verbose or settings.debug_dag or settings.quiet:
            stream = sys.stdout if settings.stdout else sys.stderr
            self._form = ColorizingTextHandler(settings.nocolor, stream, self.formatter)
        else:
            from fidelity_study.app.run.live import Bar, Log

            on_terminal = sys.stderr is not None and sys.stderr.isatty()
            self._form = (Bar if on_terminal else Log)(self.formatter)

    def emit(self, record: LogRecord) -> None:
        """Show a message, or what it says of the progress."""
        if record.msg == "None":  # a queue made it so of no message
            record.msg = None
        if isinstance(record.msg, str) and REFUSED in record.msg:
            record.msg = OUR_LINES.sub("", record.msg)  # where the workflow noticed is no news
        try:
            self._form.emit(record)
        except Exception:  # a bar that fails must not keep the rest from being told
            self.handleError(record)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._form.close()
        super().close()
