"""The tables of operators: the device behavior of all operators of torch, as data.

Both observers use them; no other code knows the behavior of single operators. The rows are data files in this
package, which are read without torch.
"""

from devlint.operators.attributes import tensor_only_attributes, tensor_only_methods_of_numbers
from devlint.operators.binding import UNNAMED, argument_for
from devlint.operators.consumers import (
    Consumption,
    HostFunction,
    find_host_consumer,
    is_handed_on,
    is_read_as_number,
)
from devlint.operators.kernels import find_kernel, kernel_names
from devlint.operators.operator import (
    MAKERS,
    MODULE_CALL,
    SCALAR_ARGUMENT_WAITS,
    WRITTEN,
    ArgumentKind,
    DeviceRule,
    Dimensions,
    Operator,
    OperatorArgument,
    OperatorResult,
    ResultDevice,
    ResultKind,
    Sync,
    SyncWhen,
)
from devlint.operators.table import (
    find,
    is_between_host_data_and_tensors,
    names,
    takes_host_data,
    torch_versions,
)

__all__ = [
    "MAKERS",
    "MODULE_CALL",
    "SCALAR_ARGUMENT_WAITS",
    "UNNAMED",
    "WRITTEN",
    "ArgumentKind",
    "Consumption",
    "DeviceRule",
    "Dimensions",
    "HostFunction",
    "Operator",
    "OperatorArgument",
    "OperatorResult",
    "ResultDevice",
    "ResultKind",
    "Sync",
    "SyncWhen",
    "argument_for",
    "find",
    "find_host_consumer",
    "find_kernel",
    "is_between_host_data_and_tensors",
    "is_handed_on",
    "is_read_as_number",
    "kernel_names",
    "names",
    "takes_host_data",
    "tensor_only_attributes",
    "tensor_only_methods_of_numbers",
    "torch_versions",
]
