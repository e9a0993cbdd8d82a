"""What the steps between the tables have in common."""
