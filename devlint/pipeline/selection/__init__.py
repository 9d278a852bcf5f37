"""Which findings are reported: by baseline, by changed lines, by the evidence of a run."""
