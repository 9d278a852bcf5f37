"""What is known at one point of a program: abstract values, the lattice that they form, who holds them."""
