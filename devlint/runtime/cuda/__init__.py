"""What only real CUDA tells: waits that torch makes in C++, where no mode sees them."""
