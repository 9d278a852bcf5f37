"""Abstract interpretation of the intermediate form: device-carrying values flowing through a file.

`values` is the lattice, `environment` the state at one point, `frame` the state of one activation;
`expressions` and `statements` walk the intermediate form; `calls` decides what a call does and asks
`operations`, `moves`, `places`, `modules` and `settings` for their share; `program` holds a file together.
"""
