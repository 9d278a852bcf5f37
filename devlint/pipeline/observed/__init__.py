"""From the observations of a run to its report: findings, profile, comparison."""
