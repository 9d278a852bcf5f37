"""What lifting does to public libraries' own suites."""
