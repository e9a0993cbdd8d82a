"""The study around the statistics: config, tables, figures and report of the workflow."""
