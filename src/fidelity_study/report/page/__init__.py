"""The study's report: one page that says whether simulators can stand in for people, and why."""
