"""The config: checked against its schema, completed, and cut up for the rules."""
