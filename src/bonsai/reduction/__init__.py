"""A corpus comes in; the same corpus with smaller inputs goes out: picire and picireny, the paper's baseline."""
