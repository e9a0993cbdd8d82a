"""What users start: the command line, files they hand over, a call in a notebook, and runs."""
