"""What `devlint check` says of whole programs, held against what a run of them on simulated devices shows."""
