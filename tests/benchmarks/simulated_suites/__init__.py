"""Device tests of public libraries, on the CPU and on simulated devices."""
