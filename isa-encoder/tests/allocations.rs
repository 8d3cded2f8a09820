//! Decoding allocates nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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

/// The bytes of the committed vectors of a family.
fn vectors(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/vectors/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut code = Vec::new();
    for line in text.lines() {
        let hex = line.split(' ').next().unwrap();
        if hex.len() < 16 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            continue;
        }
        for at in (0..hex.len()).step_by(2) {
            code.push(u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
        }
    }
    code
}

#[test]
fn decoding_and_encoding_allocate_nothing() {
    for (name, family) in [
        ("gen8", Family::Gen8),
        ("gen9", Family::Gen9),
        ("gen11", Family::Gen11),
        ("gen12lp", Family::Gen12Lp),
        ("xehpg", Family::XeHpg),
        ("xehpc", Family::XeHpc),
        ("xe2", Family::Xe2),
    ] {
        let code = vectors(name);
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
            rest.is_empty() && count > 5_000,
            "{family}: {count} instructions"
        );
    }
}
