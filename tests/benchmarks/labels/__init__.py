"""What lifted suites of public libraries say of each executed line, held against `devlint check`."""
