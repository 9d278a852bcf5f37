"""Makes device bugs by removing one thing from programs that run, and measures how many the check finds."""
