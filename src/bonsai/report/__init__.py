"""What people look at after a run: one self-contained page, `report.html`."""
