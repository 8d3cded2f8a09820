// Variables of functions: those of calls one after the other share a place, those of calls within each
// other and those whose addresses are known to others do not.
#define SIZE 1100

uint sparse(uint x, uint by) {
    uint a[SIZE];
    for (uint i = 0; i < 20; i++)
        a[(i * 53 + x) % SIZE] = x + i * by;
    uint r = 0;
    for (uint i = 0; i < 20; i++)
        r = r * 3 + a[(i * 53 + x) % SIZE];
    return r;
}

uint around(uint x) {
    uint b[SIZE];
    for (uint i = 0; i < 6; i++)
        b[(i * 37 + x) % SIZE] = sparse(x + i, i);
    uint r = 0;
    for (uint i = 0; i < 6; i++)
        r = r * 5 + (b[(i * 37 + x) % SIZE] ^ sparse(r % 1000, i));
    return r;
}

struct Large {
    uint v[SIZE];
};

uint by_value(struct Large s, uint at) {
    uint before = s.v[at];
    s.v[at] += sparse(at, 7);
    return s.v[at] + before;
}

struct Node {
    uint v[SIZE];
    struct Node *next;
};

// A list through the variables of calls that have not ended.
uint third(struct Node *last, uint x) {
    struct Node n;
    n.v[x % SIZE] = x;
    n.next = last;
    uint sum = 0;
    for (struct Node *at = &n; at; at = at->next)
        sum = sum * 7 + at->v[x % SIZE];
    return sum;
}

uint second(struct Node *last, uint x) {
    struct Node n;
    n.v[x % SIZE] = x + 1;
    n.next = last;
    return third(&n, x) + sparse(x, 2) + third(&n, x);
}

uint first(uint x) {
    struct Node n;
    n.v[x % SIZE] = x + 2;
    n.next = 0;
    return second(&n, x) ^ third(&n, x);
}

kernel void frames(global uint *out) {
    uint id = get_global_id(0);
    struct Large large;
    uint r = 0;
    for (uint k = 0; k < 3; k++) {
        large.v[k + id] = r + k;
        r += sparse(id + k, 3);
        r ^= around(id + r % 5);
        r += by_value(large, k + id);
        r ^= first(id * 31 + k);
    }
    for (uint k = 0; k < 3; k++)
        r = r * 3 + large.v[k + id];
    out[id] = r;
}
