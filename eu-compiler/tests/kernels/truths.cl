// Truth values of others, each for a choice and for a branch, and what of them is the same in all lanes.

bool together(uint which, bool a, bool b, bool c, bool d)
{
    switch (which) {
    case 0: return a & b;
    case 1: return a | b;
    case 2: return a & b & c & d;
    case 3: return a | b | c | d;
    case 4: return a & b | c & d;
    case 5: return (a | b) & (c | d);
    case 6: return a & (b | c & d);
    case 7: return a | b & (c | d);
    case 8: return (a & b | c) & d;
    case 9: return ((a | b) & c) | d;
    case 10: return a & ((b | c) & d);
    case 11: return a | (b & c | d);
    case 12: return !(a & b) | !c & d;
    case 13: return !(a | !b & (c | !d));
    case 14: return a ^ b & c ^ d;
    default: return !a & !(b & !(c | d));
    }
}

#define TRUTHS(which)                                                                             \
    kernel void truths_##which(global const uint *in, global uint *out, uint number)              \
    {                                                                                             \
        uint g = get_global_id(0), x = in[g], low = x & 0xff;                                     \
        /* One bit, less than, the same in all lanes, a float. */                                 \
        bool lanes = together(which, x & 0x10, low < 100, x >> 8 & 1, as_float(x) < 1.0f);        \
        bool mixed = together(which, low != 7, number & 2, (x | number) == 5, number > 4);        \
        bool same = together(which, number & 1, number < 6, number & 4, number != 3);             \
        uint sum = lanes ? 100 - x : x - 3;                                                       \
        if (mixed)                                                                                \
            out[2 * g + 1] = lanes;                                                               \
        if (same)                                                                                 \
            sum = sum * 5 + (x == 9);                                                             \
        out[2 * g] = (lanes ? 1 : 0) + (mixed ? sum : 7 * sum) + (uchar)(same & !lanes);          \
    }

TRUTHS(0)
TRUTHS(1)
TRUTHS(2)
TRUTHS(3)
TRUTHS(4)
TRUTHS(5)
TRUTHS(6)
TRUTHS(7)
TRUTHS(8)
TRUTHS(9)
TRUTHS(10)
TRUTHS(11)
TRUTHS(12)
TRUTHS(13)
TRUTHS(14)
TRUTHS(15)
