# PyOpenCL's arrays, reductions, scans and sorts: what they print is the same on every platform.
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array as arrays
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel
from pyopencl.algorithm import RadixSort, copy_if

warnings.simplefilter("ignore")
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
numbers = arrays.to_device(queue, (np.arange(1000, dtype=np.int32) * 7919) % 1009)

print("sum", arrays.sum(numbers).get(), "max", arrays.max(numbers).get())
square = ElementwiseKernel(context, "int *out, int *in", "out[i] = in[i] * in[i]", "square")
out = arrays.empty_like(numbers)
square(out, numbers)
print("squares", out.get()[:5], int(out.get().astype(np.int64).sum()))
odd = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a + b", map_expr="x[i] & 1",
                      arguments="__global int *x")
print("odd", odd(numbers).get())
scan = InclusiveScanKernel(context, np.int32, "a + b", neutral="0")
total = numbers.copy()
scan(total)
print("scan", (total.get() == np.cumsum(numbers.get())).all(), total.get()[-1])
small, count, _ = copy_if(numbers, "ary[i] < 10")
print("small", small.get()[: int(count.get())])
sort = RadixSort(context, "int *keys", key_expr="keys[i]", sort_arg_names=["keys"], key_dtype=np.int32)
(ordered,), _ = sort(numbers)
print("sorted", (ordered.get() == np.sort(numbers.get())).all())
print("floats", arrays.dot(numbers.astype(np.float32), numbers.astype(np.float32)).get() > 0)
print("done")
