"""The command engine: any program that reads an input from a file or from its standard input."""
