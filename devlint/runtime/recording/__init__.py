"""What was observed, counted by place, and the findings made from it."""
