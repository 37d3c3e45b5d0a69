"""The rules of tools/tidy. One function is one rule: it takes a Source and yields what it refuses."""
