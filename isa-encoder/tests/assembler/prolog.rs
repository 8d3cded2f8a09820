//! `//.payload load`: the code in front of a kernel.

use super::assembled;

const LOADED: &str = "\
//.kernel k
//.simd 16
//.ids xyz
//.arg out ptr
//.arg table f32x16
//.arg n i32
        mov (8|M0)  r100.0<1>:d  r1.0<1;1,0>:d
";

fn loaded(platform: &str) -> isa_encoder::Assembly {
    assembled(&format!("//.platform {platform}\n{LOADED}"))
}

/// What the prolog loads, in the order of its sends: the first register and how many.
fn loads(assembly: &isa_encoder::Assembly) -> Vec<(u8, u8, bool)> {
    let kernel = &assembly.kernels[0];
    let program = isa_encoder::swsb::Program::decode(assembly.family, assembly.code_of(kernel));
    program
        .instructions()
        .iter()
        .filter_map(|placed| {
            let length = placed.instruction.send()?.dst_len()?;
            let isa_encoder::Dst::Direct { reg, .. } = placed.instruction.dst else {
                return None;
            };
            Some((reg.number, length, placed.offset >= kernel.entry_with_ids))
        })
        .collect()
}

#[test]
fn payload_load_puts_the_prolog_in_front() {
    let dg2 = loaded("dg2:8");
    assert_eq!(dg2.kernels[0].directives.cross_thread_bytes(), 96);
    assert_eq!(
        loads(&dg2),
        [(1, 2, false), (3, 1, false), (4, 2, true), (6, 1, true)]
    );
    // Registers of 64 bytes: three of ids, two of data.
    for platform in ["pvc", "bmg"] {
        let loads = loads(&loaded(platform));
        assert_eq!(loads, [(1, 2, false), (3, 1, false), (4, 2, true)]);
    }
    for platform in ["dg2:8", "pvc", "bmg"] {
        let assembly = loaded(platform);
        let kernel = &assembly.kernels[0];
        assert!(kernel.entry_with_ids > 0 && kernel.entry_with_ids.is_multiple_of(64));
        let report = isa_encoder::swsb::check(assembly.family, assembly.code_of(kernel));
        assert_eq!(report.hazards, []);
    }
}

#[test]
fn only_what_the_hardware_does_not_load_is_loaded() {
    assert_eq!(loaded("tgl").kernels[0].code, 0..16);
    let raw = format!("//.platform dg2:8\n//.payload raw\n{LOADED}");
    let raw = assembled(&raw);
    assert_eq!(raw.kernels[0].code, 0..16);
    assert_eq!(raw.kernels[0].entry_with_ids, 0);
    let nothing = "//.platform dg2:8\nmov (8|M0) r100.0<1>:d r0.0<1;1,0>:d\n";
    let nothing = assembled(nothing);
    assert_eq!(nothing.kernels[0].code, 0..16);
}
