"""All rules and their modules. A rule is imported on first use."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devlint.rules.base import Rule

_DL1 = {
    "DL101": "cross_device_operation:CrossDeviceOperation",
    "DL102": "factory_without_device:FactoryWithoutDevice",
    "DL103": "unregistered_module_tensor:UnregisteredModuleTensor",
    "DL104": "unregistered_submodules:UnregisteredSubmodules",
    "DL105": "dropped_move:DroppedMove",
    "DL106": "module_and_input:ModuleAndInput",
    "DL107": "host_consumer:HostConsumer",
    "DL108": "index_device:IndexDevice",
    "DL109": "generator_device:GeneratorDevice",
    "DL110": "host_argument:HostArgument",
    "DL111": "two_device_sources:TwoDeviceSources",
    "DL112": "device_comparison:DeviceComparison",
    "DL113": "invalid_device:InvalidDevice",
    "DL114": "host_tensor_in_collective:HostTensorInCollective",
}
"""Mismatch: would raise, or silently take the wrong device."""

_DL2 = {
    "DL201": "host_read_on_hot_path:HostReadOnHotPath",
    "DL202": "branch_on_device_tensor:BranchOnDeviceTensor",
    "DL203": "formatting_device_tensor:FormattingDeviceTensor",
    "DL204": "dynamic_shape_operator:DynamicShapeOperator",
    "DL205": "host_copy_on_hot_path:HostCopyOnHotPath",
    "DL206": "explicit_synchronize_on_hot_path:ExplicitSynchronizeOnHotPath",
    "DL207": "element_by_element:ElementByElement",
    "DL208": "hidden_scalar_read:HiddenScalarRead",
    "DL209": "timing_without_synchronization:TimingWithoutSynchronization",
    "DL210": "synchronization_in_backward:SynchronizationInBackward",
}
"""Synchronization: the host waits for the device."""

_DL3 = {
    "DL301": "made_on_host_then_moved:MadeOnHostThenMoved",
    "DL302": "loop_invariant_move:LoopInvariantMove",
    "DL303": "round_trip:RoundTrip",
    "DL304": "blocking_upload:BlockingUpload",
    "DL305": "async_download_read_early:AsyncDownloadReadEarly",
    "DL306": "small_upload_on_hot_path:SmallUploadOnHotPath",
    "DL307": "repeated_upload:RepeatedUpload",
    "DL308": "move_that_does_nothing:MoveThatDoesNothing",
}
"""Transfer: wasteful or unsafe copies."""

_DL4 = {
    "DL401": "hard_coded_cuda:HardCodedCuda",
    "DL402": "load_without_map_location:LoadWithoutMapLocation",
    "DL403": "device_resolved_at_import:DeviceResolvedAtImport",
    "DL404": "visible_devices_set_too_late:VisibleDevicesSetTooLate",
    "DL405": "launch_blocking_left_on:LaunchBlockingLeftOn",
    "DL406": "legacy_cuda_type:LegacyCudaType",
    "DL407": "cuda_in_worker:CudaInWorker",
    "DL408": "nccl_without_device:NcclWithoutDevice",
    "DL409": "pinned_without_accelerator:PinnedWithoutAccelerator",
    "DL410": "implicit_device:ImplicitDevice",
    "DL416": "idle_device:IdleDevice",
    "DL418": "cuda_beside_fallback:CudaBesideFallback",
}
"""Portability: the program only runs on one kind of machine, or on one device."""

_DL9 = {
    "DL900": "unreadable_file:UnreadableFile",
    "DL901": "unused_suppression:UnusedSuppression",
}
"""Findings about the check itself."""

_PLACES = {**_DL1, **_DL2, **_DL3, **_DL4, **_DL9}
"""For each code, a module of this package and the class in it."""

OFF_BY_DEFAULT = frozenset({
    "DL210", "DL401", "DL403", "DL407", "DL408", "DL409", "DL410", "DL416",
})  # fmt: skip
"""The same as `enabled` of the rules, so that no rule needs to be imported; a test compares both."""

ONLY_IN_A_RUN = frozenset({"DL210"})
"""The same as `runtime_only` of the rules; a test compares both."""

HOME: str | None = None
"""The URL of devlint's repository, with which all links start; None as long as it has none."""


@cache
def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule, sorted by code."""
    return tuple(_load(code) for code in sorted(_PLACES))


def codes() -> tuple[str, ...]:
    """Every rule's code, sorted; imports no rule."""
    return tuple(sorted(_PLACES))


def default_codes() -> frozenset[str]:
    """The codes of the rules that are on by default; imports no rule."""
    return frozenset(_PLACES) - OFF_BY_DEFAULT


def rule(code: str) -> Rule[Any] | None:
    """The rule with this code, or None if there is none."""
    return _load(code) if code in _PLACES else None


def url(code: str) -> str | None:
    """The URL of a rule's documentation; None if devlint has no URL. `devlint rule` prints it without one."""
    return None if HOME is None else f"{HOME}/blob/main/docs/rules/{code}.md"


@cache
def _load(code: str) -> Rule[Any]:
    module, _, name = _PLACES[code].partition(":")
    made: Rule[Any] = getattr(import_module(f"devlint.rules.{module}"), name)()
    return made
