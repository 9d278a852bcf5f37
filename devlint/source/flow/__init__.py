"""Abstract interpretation of the intermediate form: device-carrying values flowing through a file.

A newcomer reads it in this order:

- `state`: what a name may hold (`values`) and how values join (`lattice`); the state at one point
  (`environment`), of one activation (`frame`), of a class (`class_info`); what an activation asks of its file
  (`surroundings`), and which ones are under way (`activations`);
- `evidence`: what shows what comes from outside, such as the uses of a parameter (`evidence`);
- `syntax`: what Python does: `statements`, which join states where paths meet, and `expressions`;
- `calls`: what calls do; `calls` decides by what is called, and asks `methods`, `moves` and the others;
- `modules`: what classes and modules hold, where that lies, and what moves it;
- `operators`: what operators do; `binding` sorts out arguments, `operations` asks the operators table;
- `functions`: what functions do for their callers, and callers for functions;
- `patterns`: what no single operation shows;
- `sightings`: what has been seen, until it is known to count; `program`: a file as a whole.

Inside, the folders know each other: an expression is a call, whose argument is an expression.
"""
