"""From a text to its findings: observe, judge, merge, suppress."""
