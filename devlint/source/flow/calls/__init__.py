"""What calls do, by what is called: builtins, methods, moves, torch, frameworks, other libraries."""
