"""Where tasks run: this machine, or a cluster. Workers know the order of tasks, and nothing of what they do."""
