"""What the report says and draws of the audit."""
