// Pointers that private memory has as numbers, too: what is added to one leads into another allocation.

union pointer {
    global uint *p;
    ulong n;
    uint2 both;
    uint halves[2];
    double d;
};

struct with_pointer {
    global uint *p;
    uint more;
    union pointer u;
};

// The compiler does not see what this adds up to.
#define APART(from, to) \
    local ulong apart; \
    if (get_local_id(0) == 0) \
        apart = (ulong)from - (ulong)to; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    uint g = get_global_id(0);

kernel void read_by_number(global uint *to, global uint *from)
{
    APART(from, to)
    union pointer u;
    u.p = to;
    u.n += apart;
    to[g] = u.p[g];
}

kernel void written_by_number(global uint *to, global uint *from)
{
    APART(from, to)
    union pointer u;
    u.p = to + g;
    u.n = apart + u.n;
    *u.p = 2 * to[g];
}

kernel void read_by_vector(global uint *to, global uint *from)
{
    APART(from, to)
    union pointer u;
    u.p = to;
    ulong n = as_ulong(u.both);
    to[g] = ((global uint *)(n + apart))[g];
}

kernel void read_by_halves(global uint *to, global uint *from)
{
    APART(from, to)
    union pointer u, v;
    u.p = to;
    v.n = ((ulong)u.halves[1] << 32 | u.halves[0]) + apart;
    to[g] = v.p[g];
}

kernel void read_by_vload(global uint *to, global uint *from)
{
    APART(from, to)
    union pointer u[2];
    u[0].p = to;
    u[1].p = from;
    ulong2 n = vload2(0, (ulong *)u);
    u[0].n = n.x + apart;
    u[1].n = n.y - apart;
    to[g] = u[0].p[g] + (u[1].p == to);
}

// Each second round leads back; and structures are copied with their pointers.
kernel void read_from_copies(global uint *to, global uint *from)
{
    APART(from, to)
    struct with_pointer one = {to, 3, {to}}, two;
    for (uint i = 0; i < (g & 3); i++) {
        one.u.n += i & 1 ? -apart : apart;
        two = one;
        one = two;
    }
    two = one;
    two.p[g] = two.more + two.u.p[g];
}

typedef global uint *pointer;

// What local memory has of a pointer is forwarded from the store: it is a number all the same.
kernel void read_through_local(global uint *to, global uint *from)
{
    APART(from, to)
    local pointer kept[32];
    uint l = get_local_id(0);
    ulong distance = apart;
    kept[l] = to;
    ulong n = (ulong)kept[l] + distance;
    to[g] = ((global uint *)n)[g];
}

kernel void read_by_local_number(global uint *to, global uint *from)
{
    APART(from, to)
    local union pointer kept[32];
    uint l = get_local_id(0);
    ulong distance = apart;
    kept[l].p = to;
    kept[l].n += distance;
    to[g] = kept[l].p[g];
}

kernel void read_through_both(global uint *to, global uint *from)
{
    APART(from, to)
    local pointer kept[32];
    uint l = get_local_id(0);
    ulong distance = apart;
    kept[l] = to;
    union pointer u[2];
    u[g & 1].p = kept[l];
    u[g & 1].n += distance;
    to[g] = u[g & 1].p[g];
}
