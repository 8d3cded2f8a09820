//! Addresses of blocks in code as Intel's compilers write it, and in code that says less.

#![cfg(test)]

use isa_encoder::AsmOptions;
use isa_encoder::audit::{BlockAddress, Pointers, Start, Value};
use isa_encoder::message::Direction;

/// The blocks in a kernel's text, with `pointers` in dwords of registers and of memory.
fn blocks(platform: &str, pointers: &[(u16, u16)], memory: &[(u32, u16)], text: &str) -> Pointers {
    let text = format!("//.platform {platform}\n//.kernel k\n//.simd 16\n{text}\n");
    let assembly = isa_encoder::assemble(&text, &AsmOptions::default()).unwrap();
    let code = assembly.code_of(&assembly.kernels[0]);
    let family = devinfo::Target::parse(platform).unwrap().platform.family;
    let registers: Vec<_> = pointers
        .iter()
        .map(|&(dword, pointer)| (dword, Value::pointer(pointer)))
        .collect();
    let found = |at| memory.iter().find(|(byte, _)| *byte == at);
    let start = Start {
        registers: &registers,
        memory: &|at| found(at).map_or(Value::UNKNOWN, |(_, pointer)| Value::pointer(*pointer)),
    };
    isa_encoder::audit::pointers(family, code, &start)
}

/// Direction, pointer, and what the pointer must be a multiple of for addresses of 16 bytes.
fn summary(found: &Pointers) -> Vec<(Direction, u16, u32)> {
    let one = |block: &BlockAddress| (block.direction, block.pointer, block.alignment(16));
    found.blocks.iter().map(one).collect()
}

const WRITE: &str = "(W) send.dc1 (16|M0) null r10 r8 0x80 0x020D43FF";
const READ: &str = "(W) send.dc1 (16|M0) r20 r10 null 0x0 0x022D0CFF";
use Direction::{Read, Write};

#[test]
fn moves_and_sums_are_followed() {
    // The pointer is r5.0 and r5.1.
    let on_tgl = |text: &str| summary(&blocks("tgl", &[(40, 7)], &[], text));
    let moved = "(W) mov (2|M0) r3.2<1>:f r5.0<2;2,1>:f\n(W) mov (1|M0) r10.0<1>:f r3.2<0;1,0>:f\n\
                 (W) mov (1|M0) r10.1<1>:f r3.3<0;1,0>:f";
    assert_eq!(on_tgl(&format!("{moved}\n{WRITE}")), [(Write, 7, 16)]);
    assert_eq!(on_tgl(&format!("{moved}\n{READ}")), [(Read, 7, 16)]);
    // A group's number times 64, times 8 and plus 4.
    let sum = |offset: &str| {
        on_tgl(&format!(
            "(W) shl (1|M0) r3.0<1>:d r0.1<0;1,0>:d {offset}\n\
             (W) add (1|M0) r10.0<1>:d r5.0<0;1,0>:d r3.0<0;1,0>:d\n{WRITE}"
        ))
    };
    assert_eq!(sum("6:w"), [(Write, 7, 16)]);
    assert_eq!(sum("3:w"), [(Write, 7, 8)]);
    assert_eq!(
        sum("2:w\n(W) add (1|M0) r3.0<1>:d r3.0<0;1,0>:d 4:w"),
        [(Write, 7, 4)]
    );
    assert_eq!(sum("r0.2<0;1,0>:d"), []);
}

#[test]
fn what_is_not_sure_is_left_out() {
    let on_tgl = |text: &str| summary(&blocks("tgl", &[(40, 7), (42, 8)], &[], text));
    for text in [
        // Of two pointers, of memory, written in part, by some channels, or with a condition.
        "(W) add (1|M0) r10.0<1>:d r5.0<0;1,0>:d r5.2<0;1,0>:d",
        "send.dc1 (16|M0) r10 r6 null 0x0 0x04205E01",
        "(W) mov (1|M0) r10.0<1>:d r5.0<0;1,0>:d\n(W) mov (1|M0) r10.1<1>:w 0:w\n",
        "(W) mov (1|M0) r10.0<1>:d r5.0<0;1,0>:d\n(W&f0.0) mov (1|M0) r10.0<1>:d 0:w",
        "(W) mov (1|M0) r10.0<1>:d r5.0<0;1,0>:d\n(f0.0) if (16|M0) L L\n\
         mov (16|M0) r10.0<1>:d 64:w\nL: endif (16|M0) M\nM:",
    ] {
        assert_eq!(on_tgl(&format!("{text}\n{WRITE}")), [], "{text}");
    }
}

#[test]
fn code_that_looks_at_the_lowest_bits_is_noted() {
    let of_mask = |mask: &str| {
        let text = format!("(W) and (1|M0) r3.0<1>:d r5.0<0;1,0>:d {mask}\n{WRITE}");
        let found = blocks("tgl", &[(40, 7)], &[], &text);
        found.examined.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(of_mask("0xF:d"), [7]);
    assert_eq!(of_mask("0x3FFF:d"), [7]);
    // Aligned down, or the bits above.
    assert_eq!(of_mask("0xFFFFFFF0:d"), []);
    assert_eq!(of_mask("0xFF0:d"), []);
}

#[test]
fn loops_keep_what_all_their_rounds_have() {
    let round = |step: u32| {
        let text = format!(
            "(W) mov (1|M0) r10.0<1>:d r5.0<0;1,0>:d\nL:\n{WRITE}\n\
             (W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d {step}:w\n(f0.0) while (16|M0) L"
        );
        summary(&blocks("tgl", &[(40, 7)], &[], &text))
    };
    assert_eq!(round(64), [(Write, 7, 16)]);
    assert_eq!(round(8), [(Write, 7, 8)]);
}

#[test]
fn payloads_in_memory_are_read() {
    let load = "(W) mov (16|M0) r127.0<1>:ud 0x0:ud\n\
                (W) and (1|M0) r127.0<1>:ud r0.0<0;1,0>:ud 0xFFFFFFC0:ud\n\
                (W) add (1|M0) r127.0<1>:ud r127.0<0;1,0>:ud 0x40:ud\n\
                (W) load.ugm.d32x16t.a32 (1|M0) r4:1 bti[255][r127:1]\n";
    let gather = "load.ugm.d32.a64 (16|M0) r9:1 [r7:2]\n";
    let shared = "(W) mov (16|M0) r9.0<1>:ud 0:ud\n";
    let store = "(W) shl (1|M0) r1.4<1>:q r0.1<0;1,0>:ud 6:w\n\
                 (W) add (1|M0) r10.0<1>:q r1.4<0;1,0>:q r4.4<0;1,0>:q\n\
                 (W) store.ugm.d64x8t.a64 (1|M0) [r10:1] r9:1";
    let read = "(W) load.ugm.d32x16t.a64 (1|M0) r20:1 [r4:1+0x8]";
    let on = |platform: &str, text: &str| {
        let memory = [(0x40 + 32, 3), (0x40, 4)];
        summary(&blocks(platform, &[], &memory, text))
    };
    for platform in ["pvc", "bmg"] {
        let text = [load, gather, store].concat();
        assert_eq!(on(platform, &text), [(Write, 3, 16)], "{platform}");
        // What all channels share is no block.
        assert_eq!(
            on(platform, &[load, shared, store].concat()),
            [],
            "{platform}"
        );
        // The address of the payload is not known.
        assert_eq!(on(platform, &[gather, store].concat()), [], "{platform}");
    }
    assert_eq!(on("bmg", &[load, read].concat()), [(Read, 4, 8)]);
}
