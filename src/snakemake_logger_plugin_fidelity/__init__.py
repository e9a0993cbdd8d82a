"""Progress a person can follow: a live bar on a terminal, Snakemake's own lines elsewhere.

Snakemake finds this package by its name; the option ``--logger fidelity`` asks for it.
"""

import os
import re
import sys
from logging import LogRecord

from snakemake.logging import ColorizingTextHandler, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase

IN_LINES = "FIDELITY_STEPS"  # as in fidelity_study.run.progress, which may not be installed
REFUSED = "nothing was run\n"
OUR_LINES = re.compile(
    r'\AWorkflowError in file "[^"]*", line \d+:\n|\n  File "[^"]*", line \d+, in <module>'
)


class LogHandler(LogHandlerBase):
    """Shows what Snakemake tells, as it can be read where it is read.

    A dry-run and ``--verbose`` are there to list jobs, and do so on a terminal, too; ``--quiet``
    leaves out what a bar shows.
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
        lists_jobs = settings.dryrun or settings.verbose or settings.debug_dag
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        if IN_LINES in os.environ or (on_terminal and not (lists_jobs or settings.quiet)):
            from fidelity_study.run.live import Bar, Steps

            self._form = Steps(self.formatter) if IN_LINES in os.environ else Bar(self.formatter)
        else:
            stream = sys.stdout if settings.stdout else sys.stderr
            self._form = ColorizingTextHandler(settings.nocolor, stream, self.formatter)

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
