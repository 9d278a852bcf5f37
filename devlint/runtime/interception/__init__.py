"""What a function mode does not see by itself: a module for each reason, and the way to see it all the same.

Everything here is in place only while somebody observes, and is put back afterwards.
"""
