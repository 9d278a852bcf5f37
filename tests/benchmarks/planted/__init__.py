"""Device bugs, made by taking one thing away from programs that run, and whether the check finds them."""
