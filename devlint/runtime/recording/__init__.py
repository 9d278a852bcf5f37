"""Counting events by place, and the findings that follow from them."""
