"""What tests of the JVM engine need."""

import shutil

import pytest

MISSING = [tool for tool in ("java", "javac", "mvn") if shutil.which(tool) is None]
needs_java = pytest.mark.skipif(bool(MISSING), reason=f"not on this machine: {', '.join(MISSING)}")
