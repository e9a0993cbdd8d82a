"""Datasets from users' own files, by config alone: from files to a dataset's ingested answers.

``files`` reads the files, ``columns`` and ``forms`` turn each form into rows of answers,
``options`` finds the possible answers of each scenario, and ``assemble`` counts.
"""
