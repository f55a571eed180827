"""Faults as a suite: whatever happens to a run, nothing is lost, and a resumed run ends as if nothing had happened.

`BONSAI_FAULTS=60` asks for 60 kills and for all schedules; continuous integration has time for a few of them.
`BONSAI_FAULTS_SEED` chooses other random moments; it is part of the message of each test that fails.
"""
