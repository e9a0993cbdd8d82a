"""The audit of the library as a command: what it measures, its tables, sentences and figures."""
