"""Source text and positions, findings, fingerprints, internal errors: what all other folders build on."""
