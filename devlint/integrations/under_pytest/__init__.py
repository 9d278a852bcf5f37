"""What the pytest plugin does when it is on."""
