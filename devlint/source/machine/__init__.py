"""An abstract machine that executes programs as Python would, on abstract values.

Each package imports only from the packages before it. A lower package calls a higher one through the protocol
in `heap/machine.py`.

- `domain`: abstract values, their order and their join; all of them are immutable.
- `reporting`: the events that were observed, which loops are hot, and every reason not to report.
- `heap`: the mutable state of a program (objects, scopes, containers), and the store that executes paths.
- `operators`: the effects of torch's operators on their operands: devices, moves, waits.
- `modules`: the effects of `nn.Module`: registration, moves, copies, and torch's layers.
- `library`: functions outside the project: builtins, the standard library, torch, functions that read on the
  host.
- `transfer`: the transfer functions of the expressions and statements of the intermediate representation.
- `interprocedural`: the complete machine; calling contexts, hypotheses, and the runs of a program.
"""
