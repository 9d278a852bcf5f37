"""How much devlint finds of what is wrong, and how much it says of what is right."""
