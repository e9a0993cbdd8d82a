"""Simulators that need no model: a uniform guess, and what other people's answers foretell."""
