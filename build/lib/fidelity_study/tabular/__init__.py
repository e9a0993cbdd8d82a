"""Anybody's answers, by config alone: from files to what a dataset's ingest hands over.

``files`` reads them, ``columns`` and ``forms`` turn each form into rows of answers, ``options``
finds what could be answered in each scenario, and ``assemble`` counts.
"""
