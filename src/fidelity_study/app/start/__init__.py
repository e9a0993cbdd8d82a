"""From a user's files to the config of a study: reads them, says what it understood, writes it.

``files`` tells the form of each file, ``look`` reads the answers as the study will, ``kind`` says
what an answer is, ``summary`` tells all of it, ``config`` writes it down, and ``remedies`` says a
fault's cure in options of the command.
"""
