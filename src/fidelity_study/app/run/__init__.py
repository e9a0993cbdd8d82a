"""What every job and every run shares: log, progress, digest, provenance, fetching."""
