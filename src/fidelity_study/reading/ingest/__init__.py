"""From raw answers to the tables that the steps read."""
