"""Tests of the ChocoPy subject."""
