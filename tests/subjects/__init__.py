"""Tests of the subjects that come with Bonsai."""
