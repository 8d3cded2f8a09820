//! Decoding allocates nothing.
#![cfg(test)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::vectors;
use devinfo::Family;
use isa_encoder::{decode, encode};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts what each thread asks for.
struct Counting;

// SAFETY: everything goes to the system's allocator; counting allocates nothing, because the
// counter needs no initialisation and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn decoding_and_encoding_allocate_nothing() {
    for family in Family::ALL {
        let code: Vec<u8> = vectors::bytes(family).flatten().collect();
        let before = ALLOCATIONS.get();
        let (mut rest, mut count) = (code.as_slice(), 0);
        while let Ok((instruction, length)) = decode(family, rest) {
            let _ = encode(family, &instruction);
            rest = &rest[length..];
            count += 1;
        }
        // Errors allocate nothing either.
        for start in 0..64 {
            let _ = decode(family, &code[start..]);
        }
        assert_eq!(ALLOCATIONS.get(), before, "{family}");
        assert!(
            rest.is_empty() && count > 1_000,
            "{family}: {count} instructions"
        );
    }
}
