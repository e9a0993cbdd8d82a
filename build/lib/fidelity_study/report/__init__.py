"""What a dataset's finished tables say in words."""
