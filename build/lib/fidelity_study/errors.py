"""The one exception for what a user can mend."""


class DataError(ValueError):
    """Something in the user's data or config is wrong; the message says where and what to do.

    Scripts print it without a traceback and end with exit code 1.
    """
