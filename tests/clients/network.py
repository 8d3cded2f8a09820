"""A network of ncnn, which computes with Vulkan, beside what it computes on the processor."""

import os
import struct
import sys
import tempfile

import ncnn
import numpy

PARAM = """7767517
4 4
Input            in   0 1 in
Convolution      conv 1 1 in c 0=8 1=3 4=1 5=1 6=216
ReLU             relu 1 1 c r
Pooling          pool 1 1 r out 0=0 1=2 2=2
"""


def run(folder, image, vulkan):
    """The network's output."""
    net = ncnn.Net()
    net.opt.use_vulkan_compute = vulkan
    net.opt.use_fp16_packed = False
    net.opt.use_fp16_storage = False
    net.opt.use_fp16_arithmetic = False
    if vulkan:
        net.set_vulkan_device(0)
    assert net.load_param(os.path.join(folder, "param")) == 0
    assert net.load_model(os.path.join(folder, "model")) == 0
    content = ncnn.Mat(image).clone()
    extractor = net.create_extractor()
    extractor.input("in", content)
    error, out = extractor.extract("out")
    assert error == 0, error
    return numpy.array(out).copy()


assert ncnn.get_gpu_count() == 1, "no Vulkan device"
random = numpy.random.default_rng(1)
weights = random.standard_normal(216).astype(numpy.float32)
biases = random.standard_normal(8).astype(numpy.float32)
image = random.standard_normal((3, 16, 16)).astype(numpy.float32)
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "param"), "w") as file:
        file.write(PARAM)
    with open(os.path.join(folder, "model"), "wb") as file:
        file.write(struct.pack("<I", 0) + weights.tobytes() + biases.tobytes())
    expected, got = run(folder, image, False), run(folder, image, True)
if not numpy.allclose(expected, got, atol=1e-4):
    sys.exit(f"differs by up to {numpy.abs(expected - got).max()}")
print("done")
