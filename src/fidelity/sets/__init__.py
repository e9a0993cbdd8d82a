"""Confidence sets for what people answer, and the coverage asked of them."""
