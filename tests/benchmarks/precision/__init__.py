"""How often findings on released packages were right: readings, tables, a check."""
