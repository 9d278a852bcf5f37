"""Measures runs of millions of calls: devlint's memory, output and cost must not grow with them."""
