"""The cache: findings of earlier runs, valid while all consulted files are unchanged."""
