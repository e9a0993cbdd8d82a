"""The study's report: one page that says what simulators may be used for, and why."""
