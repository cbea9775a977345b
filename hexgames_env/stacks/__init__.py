"""Libraries that the package adapts to, one module and one extra each."""
