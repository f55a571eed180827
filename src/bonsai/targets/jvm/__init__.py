"""The JVM engine: a driver class runs in a JVM of its own, with probes on the branch arms of what it covers."""
