"""The subjects that come with Bonsai: languages with their grammar and the program that reads them."""
