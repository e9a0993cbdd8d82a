"""The loops of the steps, between the tables that they read and write."""
