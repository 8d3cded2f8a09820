// Generic pointers of which it is plain where they point, beside the same with pointers into one memory; and
// pointers that are compared across memories.

#define HALVES(name, space)                                                      \
    kernel void name(global uint *out, global const uint *in) {                  \
        uint id = get_global_id(0);                                              \
        uint even[4], odd[4];                                                    \
        for (uint i = 0; i < 4; i++) {                                           \
            even[i] = in[id + i];                                                \
            odd[i] = in[id + i] * 3;                                             \
        }                                                                        \
        space uint *from = in[id] & 1 ? odd : even;                              \
        space uint *to = in[id] & 1 ? even : odd;                                \
        for (uint i = 0; i < (in[id + 1] & 3); i++) {                            \
            to[i] += from[in[id + i] & 3];                                       \
            space uint *other = from;                                            \
            from = to;                                                           \
            to = other;                                                          \
        }                                                                        \
        space uint *found = 0;                                                   \
        for (uint i = 0; i < 4; i++)                                             \
            if ((from[i] & 3) == 2)                                              \
                found = &from[i];                                                \
        out[id] = found ? *found : to[in[id + 2] & 3] + 1;                       \
    }
HALVES(halves, )
HALVES(plain_halves, private)

#define WALK(name, space)                                                        \
    struct name##_pair {                                                         \
        space uint *first, *second;                                              \
    };                                                                           \
    kernel void name(global uint *out, global const uint *in) {                  \
        uint id = get_global_id(0);                                              \
        local uint words[64];                                                    \
        local uint *own = words + 4 * get_local_id(0);                           \
        for (uint i = 0; i < 4; i++)                                             \
            own[i] = in[id + i];                                                 \
        space uint *end = own + 4;                                               \
        struct name##_pair pair = {own, in[id] & 1 ? own + 2 : 0};               \
        if (in[id] & 2)                                                          \
            pair = (struct name##_pair){pair.second, pair.first};                \
        uint sum = pair.first ? 1 : pair.second ? 2 : 3;                         \
        for (space uint *at = pair.first ? pair.first : pair.second; at != end; at++) { \
            sum = sum * 3 + *at;                                                 \
            *at = sum;                                                           \
        }                                                                        \
        atomic_fetch_add((space volatile atomic_uint *)(end - 1), sum);          \
        out[id] = own[0] * 3 + own[3];                                           \
    }
WALK(walk, )
WALK(plain_walk, local)

#define BIT(truth) bits = bits * 2 + ((truth) ? 1 : 0)

// Each pointer is null or not.
kernel void compared(global uint *out, global uint *in) {
    uint id = get_global_id(0);
    uint bits = 0, which = in[id], own = 0;
    local uint words[16];
    words[get_local_id(0)] = 1;
    uint *p = which & 1 ? &own : 0;
    uint *q = which & 2 ? &words[get_local_id(0)] : 0;
    uint *r = which & 4 ? &in[id] : 0;
    uint *any = which & 8 ? p : q;
    uint *here = &own;
    BIT(p == q);
    BIT(p == r);
    BIT(q != r);
    BIT(p);
    BIT(!q);
    BIT(any == p);
    BIT(any == q);
    BIT(any);
    BIT(here);
    BIT(here == p);
    BIT(here == any);
    BIT((ulong)p == 0);
    BIT((ulong)q == (ulong)r);
    BIT(to_private(p));
    BIT(to_local(p));
    BIT(to_global(p));
    BIT(to_private(q));
    BIT(to_local(q));
    BIT(to_global(q));
    BIT(to_private(r));
    BIT(to_local(r));
    BIT(to_global(r));
    BIT(to_private(any));
    BIT(to_local(any));
    BIT(to_global(any));
    if (any)
        *any = 5;
    if (q)
        own += *q * 2;
    bits = bits * 16 + (own & 15);
    out[id] = bits;
}
