"""An abstract machine that runs programs as Python would, on values that stand for many.

Each room imports only from the rooms before it. Where a lower one needs a higher one, it asks the machine as
a whole, by the protocol in `heap/machine.py`.

- `domain`: abstract values, their order and their join. They do not change.
- `reporting`: what was seen, which loops are hot, and every reason not to report.
- `heap`: what a program can change: objects, scopes and containers, and the store that runs paths.
- `operators`: what an operator of torch does with its operands: devices, moves, waits.
- `modules`: what `nn.Module` does: registration, moves, copies, and the layers that torch brings.
- `library`: what is called outside the project: builtins, the standard library, torch,
  what reads on the host.
- `transfer`: what expressions and statements of the intermediate form do to the state.
- `interprocedural`: the machine put together; calling contexts, hypotheses, and the runs of a program.
"""
