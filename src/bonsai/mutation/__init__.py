"""A corpus comes in; how many small faults in its subject's program it notices goes out: the mutation score."""
