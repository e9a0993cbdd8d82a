"""A study in one call: ``compare`` for notebooks.

``frames`` makes files of tables in memory, ``running`` runs the study with a bar, ``comparison`` is
what comes of it, ``drawing`` a figure of it, and ``compare`` the call.
"""
