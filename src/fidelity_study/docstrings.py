"""What docstrings say of single things: a section's entries, such as the attributes of a class."""

import re


def entries(docstring: str, section: str) -> dict[str, str]:
    """Return the text of each name of a section; that of "lower, upper: ..." is both's.

    Examples:
        >>> entries("A mean.\\n\\nTables:\\n    lower, upper: its\\n        ends.", "Tables")
        {'lower': 'its ends.', 'upper': 'its ends.'}
    """
    _, _, below = docstring.partition(f"\n\n{section}:\n")
    found = re.findall(r"^    (\w.*?): (.*(?:\n {8}.*)*)", below.partition("\n\n")[0], re.MULTILINE)
    return {name: " ".join(text.split()) for names, text in found for name in names.split(", ")}
