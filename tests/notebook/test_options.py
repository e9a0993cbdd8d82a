"""Every option of the command that is about answers is an argument in a notebook."""

import inspect

from fidelity_study import compare
from fidelity_study.app.start.command import OF_LOGS, start

OF_COMMANDS = {"example", "out", "force", "yes"}


def test_every_option_of_start_is_an_argument_of_compare():
    options = {each.name for each in start.params}
    assert options - OF_COMMANDS - {*OF_LOGS} <= set(inspect.signature(compare).parameters)
