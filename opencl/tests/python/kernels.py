# A set of kernels of many kinds: what they compute is the same on every platform. Floating point is
# held to what OpenCL C rounds correctly.
import warnings

import numpy as np
import pyopencl as cl

warnings.simplefilter("ignore")
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
flags = cl.mem_flags
N = 256


def run(name, body, before="", local=64, inputs=(), words=N, options=""):
    """Runs a kernel of the body over N items with `out`, and prints what it leaves there."""
    types = {"int32": "int", "uint32": "uint", "float32": "float", "uint8": "uchar", "int64": "long"}
    given = [f"global {types[a.dtype.name]} *in{i}" for i, a in enumerate(inputs)]
    source = (f"{before}\nkernel void k({', '.join(['global uint *out', *given])}) {{\n"
              f"size_t i = get_global_id(0);\n{body}\n}}\n")
    kernel = cl.Program(context, source).build(options).k
    out = np.zeros(words, dtype=np.uint32)
    buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=out)
    copies = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a) for a in inputs]
    kernel(queue, (N,), (local,), buffer, *copies)
    cl.enqueue_copy(queue, out, buffer)
    digest = 0
    for word in out.tolist():
        digest = (digest * 1000003 ^ word) & 0xFFFFFFFFFFFFFFFF
    print(f"{name}: {digest:016x} {[hex(word) for word in out[:4].tolist()]}")


rng = np.random.default_rng(7)
ints = rng.integers(-2**31, 2**31, N, dtype=np.int32)
other = rng.integers(-2**31, 2**31, N, dtype=np.int32)
longs = rng.integers(-2**62, 2**62, N, dtype=np.int64)
floats = (rng.standard_normal(N) * 100).astype(np.float32)
small = rng.integers(0, 50, N, dtype=np.int32)
text = np.frombuffer(bytes((b"the quick brown fox jumps over the lazy dog " * 8)[:N]), dtype=np.uint8)

run("saturating", "out[i] = add_sat(in0[i], in1[i]) ^ (sub_sat(in0[i], in1[i]) * 3);", inputs=(ints, other))
run("halves", "out[i] = hadd(in0[i], in1[i]) ^ rhadd(in0[i], in1[i]) ^ mul_hi(in0[i], in1[i]);",
    inputs=(ints, other))
run("bits", "out[i] = popcount(in0[i]) + clz(in0[i]) * 64 + (rotate(in0[i], 5) ^ (in0[i] >> 3));", inputs=(ints,))
# Apart: of a signed and an unsigned quotient of the same numbers, ocloc 22.43 makes one for DG2.
run("quotients", "out[i] = in0[i] / (in1[i] | 1) ^ in0[i] % (in1[i] | 1) * 3;", inputs=(ints, other))
run("unsigned quotients", "uint x = in0[i], y = in1[i] | 1; out[i] = x / y ^ x % y * 3;", inputs=(ints, other))
run("longs", "long x = in0[i], y = in0[255 - i] | 1; ulong z = x * y + x / y + (x % y ^ x >> 7);\n"
    "out[i] = (uint)z ^ (uint)(z >> 32);", inputs=(longs,))
run("chars", "char4 c = as_char4(in0[i]); uchar4 u = as_uchar4(in1[i]);\n"
    "out[i] = as_uint(convert_uchar4_sat(convert_int4(c) * 3 + convert_int4(u))) ^ as_uint(abs_diff(c, as_char4(u)));",
    inputs=(ints, other))
run("conversions", "float f = in0[i] * 1e5f; out[i] = convert_int_sat(f) ^ convert_uint_sat_rtz(-f)\n"
    " ^ convert_short_sat_rte(in0[i] * 500.0f) ^ as_uint(convert_float_rtp(as_int(f)));", inputs=(floats,))
run("floats", "float x = in0[i], y = in0[255 - i]; out[i] = as_uint(fma(x, y, x)) ^ as_uint(floor(x) + rint(y))\n"
    " ^ as_uint(fmin(x, y)) ^ as_uint(copysign(x, -y)) ^ ilogb(x) ^ as_uint(trunc(ldexp(x, 3)));", inputs=(floats,))
run("compares", "float x = in0[i], y = in0[i ^ 1]; out[i] = isless(x, y) | isgreaterequal(x, y) << 1\n"
    " | isunordered(x, y / 0.0f) << 2 | signbit(y) << 3 | (any((float2)(x, y) < 0.0f) ? 16 : 0);", inputs=(floats,))
run("vectors", "int8 v = vload8(i / 8, in0); out[i] = v.s0 + v.s73.x * 3 + v.even.y * 5 + v.hi.odd.x * 7\n"
    " + shuffle(v, (uint8)(7, 6, 5, 4, 3, 2, 1, 0)).s2 + select(v.s1, v.s2, v.s3 < 0);", inputs=(ints,))
run("stores", "if (i < 64) vstore3(vload3(i, in0), i, (global int *)out);", inputs=(ints,))
run("half memory", "vstore_half(in0[i], i, (global half *)out); ", inputs=(floats,), words=N // 2)
run("tree", "local int s[64]; uint l = get_local_id(0); s[l] = in0[i];\n"
    "for (int n = 32; n; n >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < n) s[l] += s[l + n]; }\n"
    "barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[0] + l;", inputs=(ints,))
run("transpose", "local int s[64]; event_t e = async_work_group_copy(s, in0 + get_group_id(0) * 64, 64, 0);\n"
    "wait_group_events(1, &e); uint l = get_local_id(0); out[i] = s[l % 8 * 8 + l / 8];", inputs=(ints,))
run("histogram", "atomic_inc(&out[in0[i]]); atomic_max(&out[60], (uint)in0[i]); atomic_xor(&out[61], i * in0[i]);",
    inputs=(small,))
run("local atomics", "local uint c[8]; uint l = get_local_id(0); if (l < 8) c[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "atomic_add(&c[in0[i] & 7], l); barrier(CLK_LOCAL_MEM_FENCE); out[i] = c[l & 7];", inputs=(small,))
run("structs", "struct item a[5]; for (int n = 0; n < 5; n++) { a[n].key = in0[(i + n) & 255]; a[n].tag = n; }\n"
    "sort(a, 5); out[i] = a[0].key ^ a[4].tag << 8 ^ a[2].tag;",
    before="struct item { int key; char tag; };\n"
    "void sort(struct item *a, int n) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && a[j].key < a[j - 1].key; j--) {\n"
    "struct item t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } }", inputs=(ints,))
run("switches", "int x = in0[i] & 7, r = 0; for (int n = 0; n < 9; n++) { switch (x) { case 0: r += 5; x = 3; break;\n"
    "case 1: continue; case 2: case 3: r ^= n; x++; break; case 6: goto out; default: x = r & 7; } }\nout: out[i] = r * 16 + x;",
    inputs=(ints,))
run("tables", "out[i] = crc[in0[i] & 15] ^ crc[i & 15] * (in0[(i + 1) & 255] - 'a') ^ sizes.y;",
    before="constant uint crc[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158,\n"
    "0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};\n"
    "constant uint2 sizes = (uint2)(3, 77);", inputs=(text,))
run("md5 step", "uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;\n"
    "for (int n = 0; n < 64; n++) { uint f = n < 32 ? (b & c | ~b & d) : (b ^ c ^ d); uint t = d; d = c; c = b;\n"
    "b += rotate(a + f + in0[(i + n) & 255] + 0x5a827999u, (uint)(n % 4 * 5 + 7)); a = t; } out[i] = a ^ b ^ c ^ d;",
    inputs=(ints,))
run("global ids", "out[i] = get_group_id(0) | get_local_id(0) << 8 | get_local_size(0) << 16 | get_num_groups(0) << 24;",
    local=32)
run("rounding", "out[i] = as_uint(in0[i] / in0[(i + 7) & 255]) ^ as_uint(sqrt(fabs(in0[i])));", inputs=(floats,),
    options="-cl-fp32-correctly-rounded-divide-sqrt")
print("done")
