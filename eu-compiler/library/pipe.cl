// Pipes on the layout of Intel's compiler (intel-graphics-compiler, IGC/BiFModule/Implementation/pipe.cl):
// one more than the packets that fit, the place of the next read, that of the next write, and at 64 a
// lock, which counts who writes, or below zero who reads. One place is always free.

typedef struct {
    uint places;
    volatile atomic_uint head;
    volatile atomic_uint tail;
    uint rest[13];
    volatile atomic_int lock;
} control;

#define SEEN(place) atomic_load_explicit(place, memory_order_relaxed, memory_scope_device)

static uint held(uint places, uint head, uint tail) { return tail >= head ? tail - head : tail + places - head; }

// Takes places for so many packets, to write (1) or to read (-1) them: the first, or all ones.
uint claim_pipe(ulong address, uint count, int direction) {
    global control *at = (global control *)address;
    int now = SEEN(&at->lock);
    do {
        if (now * direction < 0)
            return ~0u;
    } while (!atomic_compare_exchange_weak_explicit(&at->lock, &now, now + direction,
        memory_order_acquire, memory_order_relaxed, memory_scope_device));
    bool writes = direction > 0;
    uint places = at->places;
    global volatile atomic_uint *next = writes ? &at->tail : &at->head;
    uint first = SEEN(next), after;
    do {
        uint there = writes ? places - 1 - held(places, SEEN(&at->head), first) : held(places, first, SEEN(&at->tail));
        if (count > there) {
            atomic_fetch_sub_explicit(&at->lock, direction, memory_order_relaxed, memory_scope_device);
            return ~0u;
        }
        after = first + count;
        after -= after >= places ? places : 0;
    } while (!atomic_compare_exchange_weak_explicit(next, &first, after, memory_order_relaxed,
        memory_order_relaxed, memory_scope_device));
    return first;
}

void release_pipe(ulong address, int direction) {
    global control *at = (global control *)address;
    atomic_fetch_sub_explicit(&at->lock, direction, memory_order_release, memory_scope_device);
}

// The address of a packet, the first of which has a place.
ulong packet_pipe(ulong address, uint first, uint index, uint size) {
    global control *at = (global control *)address;
    uint place = first + index;
    place -= place >= at->places ? at->places : 0;
    return address + 128 + (ulong)place * size;
}

uint count_pipe(ulong address) {
    global control *at = (global control *)address;
    return held(at->places, SEEN(&at->head), SEEN(&at->tail));
}

uint most_pipe(ulong address) { return ((global control *)address)->places - 1; }
