"""Asking a language model a study's questions.

``prompts`` plans what to ask, ``client`` asks what ``store`` does not hold yet, ``collect`` makes
tables of all answers, each read by ``reading.ingest.parse``, and ``embedded`` serves a small model.
"""
