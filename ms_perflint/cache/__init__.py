"""What earlier runs found, kept while all that was consulted is unchanged."""
