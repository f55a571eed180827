"""New subjects: what there is, a grammar or a function, becomes a folder that already grows."""
