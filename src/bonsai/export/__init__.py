"""Exporting: a corpus as a regression suite, as golden files, or as seeds for other fuzzers."""
