"""What a run is asked to do, what is allowed where, and which guards are active."""
