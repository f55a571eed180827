"""The Python engine: a callable runs in a process of its own, with probes on the branch arms of what it covers."""
