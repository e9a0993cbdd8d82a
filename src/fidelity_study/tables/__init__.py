"""The tables between the steps: for each step the schemas of the tables that it makes.

``read_write`` checks them on every read and write.
"""
