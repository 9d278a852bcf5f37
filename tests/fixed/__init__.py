"""What fixes do: programs compute what they did, run where they raised, and differ in nothing else."""
