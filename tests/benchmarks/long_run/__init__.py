"""Runs of millions of calls: what devlint holds, writes and costs must not grow with them."""
