"""Asking a language model a study's questions.

``prompts`` plans what to ask, ``client`` asks what ``store`` does not hold yet, ``parse`` reads an
answer, ``collect`` makes tables of all answers, and ``embedded`` serves a small model.
"""
