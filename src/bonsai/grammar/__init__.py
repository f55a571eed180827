"""Grammar text comes in; a frozen `Grammar`, and what follows from it, goes out."""
