"""Every way in which torch is told a device: expressions in which `d` is the device, however it is spelled.

`x` is a tensor on the host and `like` one on the device; `layer()` makes a module on the host.
"""

from __future__ import annotations

MOVES = """
x.to(d)
x.to(device=d)
x.to(d, torch.float64)
x.to(d, dtype=torch.float64)
x.to(device=d, dtype=torch.float64)
x.to(d, None)
x.to(d, non_blocking=True)
x.to(d, copy=True)
x.to(d, memory_format=torch.contiguous_format)
x.to(d, torch.float16, True, True)
x.to(torch.float64, device=d)
x.to(like)
x.to(other=like)
x.to(tensor=like)
x.to(like, True)
x.to(like, dtype=torch.float16)
torch.Tensor.to(x, d)
like.to(None)
like.to(device=None)
like.to(device=None, dtype=torch.float16)
like.to(None, torch.float16)
like.to(torch.float16)
like.to(dtype=torch.float16)
like.to()
like.to(torch.float16, True, True)
x.type_as(like)
x.type_as(other=like)
like.copy_(x)
x.new_tensor(x, device=d)
torch.as_tensor(x, device=d)
torch.asarray(x, device=d)
torch.asarray(obj=x, device=d)
torch.tensor(x, device=d)
layer().to(d)
layer().to(device=d)
layer().to(d, torch.float64)
layer().to(d, torch.float64, True)
layer().to(device=d, dtype=torch.float64)
layer().to(dtype=torch.float64, device=d)
layer().to(device=d, dtype=torch.float64, non_blocking=True)
layer().to(torch.float64, device=d)
layer().to(d, dtype=torch.float64)
layer().to(d, non_blocking=True)
layer().to(like)
layer().to(like, True)
layer().to(tensor=like)
layer().to(tensor=like, non_blocking=True)
layer().to(other=like)
layer().to(nn.Parameter(like))
layer().to(d).to(None)
layer().to(d).to(device=None)
layer().to(d).to(device=None, dtype=torch.float16)
layer().to(d).to(None, torch.float16)
layer().to(d).to(torch.float16)
layer().to(d).to(dtype=torch.float16)
layer().to(d).to()
layer().to(d).half()
layer().to_empty(device=d)
nn.Sequential(layer(), layer()).to(device=d)
nn.ParameterList([x]).to(d)
nn.LazyLinear(3).to(d)
nn.Conv2d(1, 1, 1).to(d, memory_format=torch.channels_last)
nn.Conv2d(1, 1, 1).to(d).to(memory_format=torch.channels_last)
nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)).to(d)
torch.jit.trace(nn.Linear(2, 2), x).to(d)
torch.jit.trace(nn.Linear(2, 2), x).to(device=d)
nn.utils.rnn.pack_sequence([x]).to(d).data
nn.utils.rnn.pack_sequence([x]).to(device=d).data
torch.optim.swa_utils.AveragedModel(layer(), device=d)
torch.optim.swa_utils.AveragedModel(layer(), d)
"""
"""Moves, and values that were moved before."""

FACTORIES = """
torch.arange(2, {})
torch.as_tensor([1.0], {})
torch.asarray([1.0], {})
torch.bartlett_window(3, {})
torch.blackman_window(3, {})
torch.empty(2, {})
torch.empty_like(x, {})
torch.empty_permuted((2,), (0,), {})
torch.empty_strided((2,), (1,), {})
torch.eye(2, {})
torch.fft.fftfreq(3, {})
torch.fft.rfftfreq(3, {})
torch.full((2,), 1.0, {})
torch.full_like(x, 1, {})
torch.hamming_window(3, {})
torch.hann_window(3, {})
torch.kaiser_window(3, {})
torch.linspace(0, 1, 3, {})
torch.linspace(start=torch.tensor(0.0), end=torch.tensor(1.0), steps=3, {})
torch.logspace(0, 1, 3, {})
torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged, {})
torch.normal(0.0, 1.0, (2,), {})
torch.ones(2, {})
torch.ones_like(x, {})
torch.ones_like(input=x, {})
torch.rand(2, {})
torch.rand_like(x, {})
torch.randint(3, (2,), {})
torch.randint_like(x, 3, {})
torch.randn(2, {})
torch.randn_like(x, {})
torch.randperm(3, {})
torch.range(0, 2, {})
torch.scalar_tensor(3, {})
torch.signal.windows.bartlett(3, {})
torch.signal.windows.blackman(3, {})
torch.signal.windows.cosine(3, {})
torch.signal.windows.exponential(3, {})
torch.signal.windows.gaussian(3, {})
torch.signal.windows.general_cosine(3, a=[0.5, 0.5], {})
torch.signal.windows.general_hamming(3, {})
torch.signal.windows.hamming(3, {})
torch.signal.windows.hann(3, {})
torch.signal.windows.kaiser(3, {})
torch.signal.windows.nuttall(3, {})
torch.sparse_bsc_tensor([0, 1], [0], [[[1.0]]], (1, 1), {})
torch.sparse_bsr_tensor([0, 1], [0], [[[1.0]]], (1, 1), {})
torch.sparse_compressed_tensor([0, 1], [0], [1.0], (1, 2), layout=torch.sparse_csr, {})
torch.sparse_coo_tensor([[0]], [1.0], (2,), {})
torch.sparse_coo_tensor((2, 2), {})
torch.sparse_csc_tensor([0, 1], [0], [1.0], (2, 1), {})
torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 2), {})
torch.tensor([1.0], {})
torch.tril_indices(2, 2, {})
torch.triu_indices(2, 2, {})
torch.zeros(2, {})
torch.zeros_like(x, {})
x.new_empty(2, {})
x.new_empty_strided((2,), (1,), {})
x.new_full((2,), 1.0, {})
x.new_ones(2, {})
x.new_tensor([1.0], {})
x.new_zeros(2, {})
nn.Parameter(torch.ones(1, {}))
nn.UninitializedBuffer({})
nn.UninitializedParameter({})
nn.Transformer.generate_square_subsequent_mask(3, {})
torch.TypedStorage(2, dtype=torch.float32, {})
torch.UntypedStorage(2, {})
"""
"""Factories, with a device by keyword in place of the braces; and without one, on a default device."""

ON_A_DEVICE = """
x.cuda(d)
x.cuda(device=d)
layer().cuda(d)
layer().cuda(device=d)
nn.utils.rnn.pack_sequence([x]).cuda(d).data
nn.utils.rnn.pack_sequence([x]).cuda(device=d).data
torch.jit.trace(nn.Linear(2, 2), x).cuda(d)
nn.LSTM(2, 2).to(d)
nn.LSTM(2, 2, device=d)
[lazy := nn.UninitializedParameter(), lazy.materialize((2,), device=d)][0]
[lazy := nn.UninitializedBuffer(), lazy.materialize((2,), d)][0]
[norm := layer().to(d), norm.load_state_dict(layer().state_dict())][0]
[norm := layer(), norm.load_state_dict(layer().to(d).state_dict(), assign=True)][0]
[norm := layer().to(d), torch.optim.swa_utils.update_bn([x], norm, device=d)][0]
[*momenta(layer().to(d), momenta(layer()).state_dict()).state.values()][0]["momentum_buffer"]
torch.nested.nested_tensor([x], device=d)
torch.nested.nested_tensor([torch.ones(2, device=d)])
torch.nested.nested_tensor([torch.ones(2, device=d)], layout=torch.jagged)
torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged).to(d)
torch.nested.as_nested_tensor([x], device=d)
torch.nested.as_nested_tensor([torch.ones(2, device=d)])
torch.from_dlpack(x, device=torch.device(d))
torch.cuda.FloatTensor(2, device=d)
torch.Generator(torch.empty(1, device=d).device)
torch.Generator(device=torch.empty(1, device=d).device)
like.untyped_storage()
like.storage()
x.untyped_storage().to(device=d)
x.storage().to(device=d)
torch.empty(0, device=d).set_(like.untyped_storage())
torch.load(saved(like))
torch.load(saved(x), map_location=str(like.device))
torch.load(saved(x), map_location=torch.device(d))
torch.load(saved(x), map_location={"cpu": str(like.device)})
torch.load(saved(x), map_location=lambda storage, place: storage.to(device=d))
inside(torch.device(d), lambda: torch.nested.nested_tensor([torch.ones(2)]))
inside(torch.cuda.device(d), lambda: torch.empty(1, device="cuda"))
inside(torch.cuda.device_of(like), lambda: torch.empty(1, device="cuda"))
inside(torch.accelerator.device_index(like.device.index), lambda: torch.empty(1, device="cuda"))
inside(torch.cuda.Stream(d), lambda: torch.empty(1, device="cuda"))
inside(torch.cuda.stream(torch.cuda.Stream(device=d)), lambda: torch.empty(1, device="cuda"))
[torch.cuda.set_device(d), torch.empty(1, device="cuda")][1]
[torch.accelerator.set_device_index(d), torch.empty(1, device="cuda")][1]
[torch.accelerator.set_device_idx(d), torch.empty(1, device="cuda")][1]
torch.cuda.Stream(d)
torch.cuda.Stream(device=d)
torch.cuda.ExternalStream(0, d)
torch.cuda.ExternalStream(0, device=d)
torch.cuda.get_stream_from_external(0, d)
torch.Stream(d)
torch.Stream(device=d)
torch.cuda.current_stream(d)
torch.cuda.current_stream(device=d)
torch.cuda.default_stream(d)
torch.accelerator.current_stream(d)
nn.DataParallel(nn.Linear(2, 2).to(d), device_ids=[d, 0])(x)
nn.DataParallel(nn.Linear(2, 2).cuda(), output_device=d)(x)
nn.parallel.data_parallel(nn.Linear(2, 2).cuda(), x, [0, d], output_device=d)
nn.parallel.scatter(x, [0, d])[-1]
nn.parallel.gather([x.cuda(0), like], d)
nn.parallel.gather([x.cuda(0), like], target_device=d)
nn.parallel.replicate(nn.Linear(1, 1).cuda(), [0, d])[-1].weight
nn.parallel.parallel_apply([nn.Linear(2, 2).to(d)], [x.to(d)], devices=[d])
nn.parallel.comm.broadcast(x.cuda(), [0, d])[-1]
nn.parallel.comm.broadcast(x.cuda(), out=[torch.empty(2, 2, device=d)])
nn.parallel.comm.broadcast_coalesced([x.cuda()], [0, d])[-1]
nn.parallel.comm.scatter(x.cuda(), [0, d])[-1]
nn.parallel.comm.scatter(x.cuda(), out=[torch.empty(2, 2, device=d)])
nn.parallel.comm.gather([x.cuda(), x.to(d)], destination=d)
nn.parallel.comm.gather([x.cuda(), x.to(d)], out=torch.empty(4, 2, device=d))
nn.parallel.comm.reduce_add([x.cuda(0), x.cuda(1)], d)
nn.parallel.comm.reduce_add([x.cuda(0), x.cuda(1)], destination=d)
nn.parallel.comm.reduce_add_coalesced([[x.cuda(0)], [x.cuda(1)]], d)
torch.amp.GradScaler("cuda").scale(torch.ones((), device=d))
swapped(lambda: nn.Linear(1, 1).to(d))
torch.ops.aten._to_copy(x, device=torch.device(d))
torch.ops.aten.to.device(x, torch.device(d), torch.float32)
torch.ops.aten.to(x, torch.device(d))
torch.ops.aten.to.other(x, like)
torch.ops.aten.to.dtype_layout(x, device=torch.device(d))
torch.ops.aten.zeros([2], device=torch.device(d))
"""
"""Features of accelerators that the meta device lacks; with CUDA, all of these values are on the device."""

REFUSED = {
    "torch.FloatTensor(2, device=d)": RuntimeError,
    "torch.Tensor(2, device=d)": RuntimeError,
    "torch.cuda.FloatTensor(2, device='cpu')": RuntimeError,
    "torch.from_file('somewhere', size=0, device=d)": NotImplementedError,
    "torch.get_device_module(7)": RuntimeError,
    "x.new(2, device=d)": RuntimeError,
    "inside(torch.device('cuda:0'), lambda: torch.from_dlpack(x.cuda(1)))": BufferError,
}
"""Calls that torch's CUDA build rejects, with the errors."""

ASKED = """
torch.accelerator.max_memory_allocated(d)
torch.accelerator.max_memory_reserved(d)
torch.accelerator.memory_allocated(d)
torch.accelerator.memory_reserved(d)
torch.accelerator.memory_stats(d)
torch.accelerator.get_memory_info(d)
torch.accelerator.synchronize(d)
torch.cuda.can_device_access_peer(d, 0)
torch.cuda.get_device_capability(d)
torch.cuda.get_device_name(d)
torch.cuda.get_device_properties(d)
torch.cuda.get_per_process_memory_fraction(d)
torch.cuda.get_rng_state(d).device
torch.cuda.max_memory_allocated(d)
torch.cuda.max_memory_cached(d)
torch.cuda.max_memory_reserved(d)
torch.cuda.mem_get_info(d)
torch.cuda.memory_allocated(d)
torch.cuda.memory_cached(d)
torch.cuda.memory_reserved(d)
torch.cuda.memory_stats(d)
torch.cuda.memory_stats_as_nested_dict(d)
torch.cuda.memory_summary(d)
torch.cuda.reset_accumulated_memory_stats(d)
torch.cuda.reset_max_memory_allocated(d)
torch.cuda.reset_max_memory_cached(d)
torch.cuda.reset_peak_memory_stats(d)
torch.cuda.set_per_process_memory_fraction(0.5, d)
torch.cuda.set_rng_state(torch.cuda.get_rng_state(d), d)
torch.cuda.synchronize(d)
"""
"""Queries and settings that are the same for all names of a device."""

ELSEWHERE = {
    "pins for a device, and moves nothing to it": "pin_memory is_pinned",
    "compares": "eq ne",
    "lies with a quantized tensor": "empty_quantized",
    "other accelerators": "ipu mtia xpu",
    "needs NVIDIA's own library": (
        "clock_rate device_memory_used list_gpu_processes memory_usage power_draw temperature utilization"
    ),
    "addresses of memory, which simulated devices have not": "caching_allocator_alloc use_mem_pool",
    "takes no device: its class names one": (
        "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage "
        "DoubleStorage FloatStorage HalfStorage IntStorage LongStorage QInt32Storage QInt8Storage "
        "QUInt2x4Storage QUInt4x2Storage QUInt8Storage ShortStorage Storage"
    ),
    "has a test among factories": "set_default_device",
}
"""Functions with a parameter for a device that are not asked here, and why."""
