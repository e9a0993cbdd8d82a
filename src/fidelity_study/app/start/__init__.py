"""From a user's files to the config of a study: reads them, says what it understood, writes it.

``files`` tells the form of each file, ``look`` reads the answers as the study will, ``kind`` says
what an answer is, ``summary`` tells all of it, and ``config`` writes it down. ``faults`` finds what
is wrong, and ``syntax`` writes remedies as options of the command, or as arguments in Python.
"""
