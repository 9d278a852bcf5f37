"""The names of Python's operators in the intermediate representation: the methods that they call, without
underscores."""

from __future__ import annotations

import libcst as cst

BINARY_OPERATORS: dict[type[cst.BaseBinaryOp], str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.MatrixMultiply: "matmul",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.LeftShift: "lshift",
    cst.RightShift: "rshift",
    cst.BitAnd: "and",
    cst.BitOr: "or",
    cst.BitXor: "xor",
}
UNARY_OPERATORS: dict[type[cst.BaseUnaryOp], str] = {
    cst.Minus: "neg",
    cst.Plus: "pos",
    cst.BitInvert: "invert",
    cst.Not: "not",
}
COMPARISONS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
    cst.Equal: "eq",
    cst.NotEqual: "ne",
    cst.Is: "is",
    cst.IsNot: "is_not",
    cst.In: "in",
    cst.NotIn: "not_in",
}
AUGMENTED_OPERATORS: dict[type[cst.BaseAugOp], str] = {
    getattr(cst, f"{operator.__name__}Assign"): name for operator, name in BINARY_OPERATORS.items()
}
