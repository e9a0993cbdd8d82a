"""The tables between the steps: reading and writing, and the columns that several of them have.

The schemas of what a step makes stand in its module; ``read_write`` checks them on every read and
write.
"""
