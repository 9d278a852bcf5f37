"""From what a run has shown to its report: findings, profile, comparison."""
