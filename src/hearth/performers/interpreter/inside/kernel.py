"""The kernel: IPython's, with what hearth must know about every cell."""

from ipykernel.ipkernel import IPythonKernel


class HearthKernel(IPythonKernel):
    """One per process."""

    implementation = "hearth"
