"""Names of SciPy's sparse matrices."""

DENSE = frozenset({"todense", "toarray"})
"""Methods that write all elements of a sparse matrix out, which are many."""
SPARSE = frozenset(
    f"scipy.sparse.{name}"
    for name in (
        *(f"{form}_{kind}" for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
          for kind in ("array", "matrix")),
        "block_diag", "diags", "eye", "hstack", "identity", "kron", "load_npz", "random", "spdiags", "vstack",
    )
)  # fmt: skip
"""Functions that return a sparse matrix."""
