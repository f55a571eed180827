"""Grading: a candidate's answers compared with the reference's, on a corpus."""
