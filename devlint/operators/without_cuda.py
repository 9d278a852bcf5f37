"""The functions of `torch.cuda` that raise an error on a machine without CUDA."""

from __future__ import annotations

_NAMES = """
    CUDAGraph Event ExternalStream Stream clock_rate cudart current_blas_handle current_device
    current_solver_handle current_stream default_stream get_allocator_backend get_device_capability
    get_device_name get_device_properties get_per_process_memory_fraction get_rng_state get_sync_debug_mode
    graph init initial_seed ipc_collect mem_get_info memory_snapshot memory_summary memory_usage nvtx.mark
    nvtx.range_pop nvtx.range_push power_draw reset_accumulated_memory_stats reset_max_memory_allocated
    reset_max_memory_cached reset_peak_memory_stats set_device set_per_process_memory_fraction set_rng_state
    set_rng_state_all set_sync_debug_mode synchronize temperature utilization
"""
RAISE = frozenset(f"torch.cuda.{name}" for name in _NAMES.split())
"""Found by calls of all functions with torch 2.13 for the CPU. The others have no effect there, such as
`manual_seed_all`, or return zero, such as `device_count`."""
