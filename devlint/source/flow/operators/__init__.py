"""What an operator of the table does: arguments, results, ranks, places, waits."""
