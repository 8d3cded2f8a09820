// What is seldom written.

// A product of a byte that is an argument.
kernel void byte_argument(global int *out, char a) { out[get_global_id(0)] += a * 10; }

typedef struct Node {
    int value;
    struct Node *next;
} Node;

// A list in private memory: a structure that points to its like.
kernel void list(global int *out) {
    Node nodes[3];
    for (int j = 0; j < 3; j++) {
        nodes[j].value = j + 1;
        nodes[j].next = j < 2 ? &nodes[j + 1] : 0;
    }
    int sum = 0;
    for (Node *node = &nodes[get_global_id(0) & 1]; node; node = node->next)
        sum = sum * 3 + node->value;
    out[get_global_id(0)] = sum;
}

typedef struct {
    char a;
    long e;
    char3 f;
} Mixed;

// Addresses that begin with null.
kernel void offsets(global int *out) {
    out[get_global_id(0)] = (int)(long)&((Mixed *)0)->f;
}

int never(int a) {
    for (;;) {
    }
    return a;
}

// A function that does not return.
kernel void unreached(global int *out) {
    int id = get_global_id(0);
    out[id] = id < 1000 ? id : never(id) + 1;
}

// What a phi takes from two blocks is one value, where the loop begins, and a newer one.
kernel void search(global int *out, global const int *sorted) {
    uint id = get_global_id(0);
    int key = out[id];
    uint low = 0, high = 256;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[id] = low;
}

// A null pointer to private memory is one to anywhere, also where there is no private memory.
kernel void nulls(global int *out) {
    int *any = 0;
    private int *own = 0;
    if (out[get_global_id(0)] == 4)
        any = out;
    out[get_global_id(0)] = any == own;
}

// Where members lie, as programs find it without a name for that.
struct members {
    char first;
    int second;
    long third;
};

kernel void members_from_null(global int *out) {
    int id = get_global_id(0);
    ulong local_one = (ulong)&((local struct members *)0)->third;
    ulong private_one = (ulong)&((private struct members *)0)->second;
    ulong element = (ulong)&((local struct members *)0)[id].second;
    out[id] = local_one + 100 * private_one + 10000 * element;
}
