"""Transforms by clFFT, through gpyfft: of many lengths, in one to three dimensions, beside NumPy's."""

import numpy
import pyopencl as cl
import pyopencl.array
from gpyfft.fft import FFT

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
random = numpy.random.default_rng(5)


def data(shape, real=False):
    values = random.random(shape, dtype=numpy.float32)
    if real:
        return values
    return (values + 1j * random.random(shape, dtype=numpy.float32)).astype(numpy.complex64)


def report(name, got, wanted):
    error = numpy.abs(got - wanted).max() / numpy.abs(wanted).max()
    print(name, "close" if error < 1e-5 else error)


CASES = [
    ((3, 60), (1,)), ((2, 343), (1,)), ((16384,), (0,)), ((30, 50), (0, 1)), ((4, 6, 10), (0, 1, 2)),
]
for shape, axes in CASES:
    host = data(shape)
    source = cl.array.to_device(queue, host)
    target = cl.array.empty_like(source)
    FFT(context, queue, source, target, axes=axes).enqueue_arrays()[0].wait()
    report(f"{shape} {axes}", target.get(), numpy.fft.fftn(host, axes=axes))
    back = FFT(context, queue, target, axes=axes)
    back.enqueue_arrays(forward=False)[0].wait()
    report(f"{shape} {axes} and back", target.get(), host)

for shape in [(6, 48), (12, 16, 20)]:
    host = data(shape, real=True)
    source = cl.array.to_device(queue, host)
    axes = (len(shape) - 1,)
    target = cl.array.empty(queue, shape[:-1] + (shape[-1] // 2 + 1,), numpy.complex64)
    FFT(context, queue, source, target, axes=axes).enqueue_arrays()[0].wait()
    report(f"real {shape}", target.get(), numpy.fft.rfft(host))
print("done")
