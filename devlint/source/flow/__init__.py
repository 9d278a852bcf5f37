"""Abstract interpretation of the intermediate form: device-carrying values flowing through a file.

A newcomer reads it in this order:

- what a name may hold: `values`, and how values join: `lattice`; the state at one point: `environment`; the
  state of one activation: `frame`; what the uses of a parameter show: `evidence`, `parameters`, and what its
  annotation does: `annotations`, `quoted`;
- what Python does: `statements`, `expressions`, `attributes`, `elements`, `indexing`, `arithmetic`,
  `branches`, `hot`;
- what calls do: `calls` decides by what is called, and asks `builtin_calls`, `torch_calls`, `methods`,
  `moves`, `modules` (with `layers`, `classes` and `plain_containers`), `constructions` and `settings`;
- what objects of a class have that is not `self`: `instances`;
- what operators do: `binding` sorts out arguments, `operations` asks the operators table, with `factories`,
  `ranks`, `operands`, `places` and `waits`; what cannot both be right: `contradictions`;
- what functions do for their callers: `summaries`, `demands`, `callgraph`; a file as a whole: `program`.
"""
