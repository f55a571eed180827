"""Tests of the semantic analysis, one module for each of its modules."""
