//! Each rule of the validator has an instruction that breaks it and a similar one that does not.
#![cfg(test)]

use std::collections::BTreeSet;

use isa_encoder::asm::Severity;
use isa_encoder::validate::{Machine, Place, Validator, rules};
use isa_encoder::{AsmOptions, Diagnostic, Instruction, Opcode, Validation, assemble, decode};

/// A rule, a platform, text that breaks the rule (and no other), text that breaks none.
type Case = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("width", "tgl", "add (4|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<4;4,1>:d", "add (4|M0) r10.0<1>:d r12.0<4;4,1>:d r14.0<4;4,1>:d"),
    ("full-row", "skl", "add (8|M0) r10.0<1>:d r12.0<4;8,1>:d r14.0<8;8,1>:d", "add (8|M0) r10.0<1>:d r12.0<4;4,1>:d r14.0<8;8,1>:d"),
    ("width-1", "icl", "mov (8|M0) r10.0<1>:d r12.0<1;1,1>:d", "mov (8|M0) r10.0<1>:d r12.0<1;1,0>:d"),
    ("one-channel", "tgl", "mov (1|M0) r10.0<1>:d r12.0<1;1,0>:d", "mov (1|M0) r10.0<1>:d r12.0<0;1,0>:d"),
    ("zero-strides", "bdw", "mov (8|M0) r10.0<1>:d r12.0<0;8,0>:d", "mov (8|M0) r10.0<1>:d r12.0<0;1,0>:d"),
    ("row-in-register", "tgl", "mov (8|M0) r10.0<1>:d r12.4<8;8,1>:d", "mov (8|M0) r10.0<1>:d r12.4<4;4,1>:d"),
    ("row-in-register", "pvc", "mov (16|M0) r10.0<1>:d r12.8<16;16,1>:d", "mov (8|M0) r10.0<1>:d r12.4<8;8,1>:d"),
    ("span", "tgl", "mov (16|M0) r10.0<2>:d r12.0<8;8,1>:d", "mov (8|M0) r10.0<2>:d r12.0<8;8,1>:d"),
    ("span", "tgl", "mad (16|M0) r10.0<1>:f r12.0<8;2>:f r14.0<8;1>:f r16.0<1>:f", "mad (16|M0) r10.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f"),
    ("register-number", "tgl", "mov (16|M0) r10.0<1>:d r127.0<8;8,1>:d", "mov (16|M0) r10.0<1>:d r126.0<8;8,1>:d"),
    ("dst-stride", "skl", "add (8|M0) r10.0<1>:w r12.0<8;8,1>:d r14.0<8;8,1>:d", "add (8|M0) r10.0<2>:w r12.0<8;8,1>:d r14.0<8;8,1>:d"),
    ("dst-alignment", "skl", "add (2|M0) r10.1<4>:w r12.0<2;2,1>:q r14.0<2;2,1>:q", "add (2|M0) r10.0<4>:w r12.0<2;2,1>:q r14.0<2;2,1>:q"),
    ("byte-alignment", "dg2", "add (8|M0) r10.2<4>:b r12.0<1;1,0>:d r14.0<1;1,0>:d", "add (8|M0) r10.1<4>:b r12.0<1;1,0>:d r14.0<1;1,0>:d"),
    ("packed-bytes", "tgl", "add (16|M0) r10.0<1>:ub r12.0<16;16,1>:ub 1:w", "mov (16|M0) r10.0<1>:ub r12.0<16;16,1>:ub"),
    ("vector-immediate", "icl", "mov (4|M0) r10.4<1>:w 0x3210:v", "mov (8|M0) r10.8<1>:w 0x76543210:v"),
    ("math-split", "skl", "math.inv (8|M0) r10.2<1>:f r12.0<8;8,1>:f", "math.inv (16|M0) r10.0<1>:f r12.0<8;8,1>:f"),
    ("address-registers", "tgl", "mov (16|M0) r10.0<1>:d r[a0.8]<1,0>:d", "mov (8|M0) r10.0<1>:d r[a0.8]<1,0>:d"),
    ("math-indirect", "tgl", "math.inv (8|M0) r10.0<1>:f r[a0.0]<8;8,1>:f", "mov (8|M0) r10.0<1>:f r[a0.0]<8;8,1>:f"),
    ("qword-indirect", "pvc", "mov (8|M0) r10.0<1>:q r[a0.0]<1,0>:q", "mov (8|M0) r10.0<1>:d r[a0.0]<1,0>:d"),
    ("small-core-regions", "apl", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:d", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:q"),
    ("small-core-indirect", "glk", "mov (4|M0) r10.0<1>:q r[a0.0]<4;4,1>:q", "mov (4|M0) r10.0<1>:d r[a0.0]<4;4,1>:d"),
    ("small-core-arf", "apl", "mov (1|M0) acc0.0<1>:q r12.0<0;1,0>:q", "mov (1|M0) acc0.0<1>:d r12.0<0;1,0>:d"),
    ("no-systolic", "mtl", "dpas.8x8 (8|M0) r10:f r20:f r30:hf r40:hf {$0}", "mov (8|M0) r10.0<1>:f r12.0<1;1,0>:f"),
    ("no-double", "tgl", "add (4|M0) r10.0<1>:df r12.0<4;4,1>:df r14.0<4;4,1>:df", "add (4|M0) r10.0<1>:f r12.0<4;4,1>:f r14.0<4;4,1>:f"),
    ("no-qword", "icl", "add (4|M0) r10.0<1>:q r12.0<4;4,1>:q r14.0<4;4,1>:q", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:q"),
    ("byte-source", "tgl", "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:b", "add (8|M0) r10.0<1>:d r12.0<8;8,1>:b r14.0<8;8,1>:d"),
    ("byte-qword", "skl", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:b", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:w"),
    ("half-qword", "bdw", "mov (4|M0) r10.0<4>:hf r12.0<4;4,1>:df", "mov (4|M0) r10.0<2>:f r12.0<4;4,1>:df"),
    ("half-integer", "tgl", "mov (8|M0) r10.1<2>:w r12.0<8;8,1>:hf", "mov (8|M0) r10.1<4>:b r12.0<8;8,1>:hf"),
    ("half-integer", "tgl", "mov (8|M0) r10.0<1>:hf r12.0<8;8,1>:w", "mov (8|M0) r10.0<2>:hf r12.0<8;8,1>:w"),
    ("source-kinds", "tgl", "add (8|M0) r10.0<1>:f r12.0<8;8,1>:f r14.0<8;8,1>:d", "add (8|M0) r10.0<1>:f r12.0<8;8,1>:f r14.0<8;8,1>:f"),
    ("source-types", "tgl", "and (8|M0) r10.0<1>:d r12.0<8;8,1>:f r14.0<8;8,1>:f", "and (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d"),
    ("dst-type", "skl", "bfrev (8|M0) r10.0<1>:f r12.0<8;8,1>:ud", "bfrev (8|M0) r10.0<1>:ud r12.0<8;8,1>:ud"),
    ("mixed-indirect", "skl", "add (8|M0) r10.0<1>:f r[a0.0]<8;8,1>:hf r14.0<8;8,1>:f", "add (8|M0) r10.0<1>:f r12.0<8;8,1>:hf r14.0<8;8,1>:f"),
    ("mixed-simd16", "tgl", "add (16|M0) r10.0<1>:f r12.0<16;16,1>:hf r14.0<8;8,1>:f", "add (8|M0) r10.0<1>:f r12.0<8;8,1>:hf r14.0<8;8,1>:f"),
    ("mixed-packed", "skl", "add (8|M0) r10.4<1>:hf r12.0<8;8,1>:f r14.0<8;8,1>:f", "add (8|M0) r10.8<1>:hf r12.0<8;8,1>:f r14.0<8;8,1>:f"),
    ("mixed-math", "skl", "math.inv (8|M0) r10.0<1>:f r12.0<8;8,1>:hf", "math.inv (8|M0) r10.0<1>:f r12.0<16;8,2>:hf"),
    ("mixed-accumulator", "skl", "add (8|M0) r10.0<1>:hf acc0.0<8;8,1>:f r12.0<8;8,1>:f", "add (8|M0) r10.0<2>:hf acc0.0<8;8,1>:f r12.0<8;8,1>:f"),
    ("float-region", "dg2", "add (8|M0) r10.0<1>:f r12.0<2;1,0>:f r14.0<1;1,0>:f", "add (8|M0) r10.0<1>:f r12.0<0;1,0>:f r14.0<1;1,0>:f"),
    ("float-arf", "pvc", "mov (1|M0) r10.0<1>:f sr0.0<0;1,0>:f", "mov (1|M0) r10.0<1>:ud sr0.0<0;1,0>:ud"),
    ("math-half-scalar", "dg2", "math.inv (8|M0) r10.0<1>:hf r12.0<0;1,0>:hf", "math.inv (8|M0) r10.0<1>:hf r12.0<1;1,0>:hf"),
    ("channel-offset", "tgl", "mov (16|M8) r10.0<1>:d r12.0<8;8,1>:d", "mov (16|M16) r10.0<1>:d r12.0<8;8,1>:d"),
    ("flag-half", "tgl", "(f0.1) mov (32|M0) r10.0<1>:w r12.0<16;16,1>:w", "(f1.0) mov (32|M0) r10.0<1>:w r12.0<16;16,1>:w"),
    ("predicate-group", "tgl", "(f0.0.anyv) mov (32|M0) r10.0<1>:w r12.0<16;16,1>:w", "(f0.0.anyv) mov (16|M0) r10.0<1>:w r12.0<16;16,1>:w"),
    ("accumulator-twice", "tgl", "add (8|M0) acc0.0<1>:d r12.0<8;8,1>:d 1:w {AccWrEn}", "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d 1:w {AccWrEn}"),
    ("ternary-arf", "tgl", "mad (8|M0) r10.0<1>:d a0.0<0;0>:d r12.0<8;1>:d r14.0<2>:w", "mad (8|M0) r10.0<1>:f acc0.0<8;1>:f r12.0<8;1>:f r14.0<1>:f"),
    ("null-source", "tgl", "mov (8|M0) r10.0<1>:d null<8;8,1>:d", "mov (8|M0) null<1>:d r10.0<8;8,1>:d"),
    ("depctrl", "apl", "mov (4|M0) r10.0<1>:q r12.0<4;4,1>:q {NoDDClr}", "mov (4|M0) r10.0<1>:d r12.0<4;4,1>:d {NoDDClr}"),
    ("jmpi-one-channel", "tgl", "jmpi (8|M0) 16", "jmpi (1|M0) 16"),
    ("branch-distance", "tgl", "while (8|M0) -12", "while (8|M0) -16"),
    ("branch-mask", "pvc", "(W) if (8|M0) 32 32", "(W&f0.0) while (1|M0) -16"),
    ("branch-mask", "tgl", "(W) while (8|M0) -16", "(f0.0) while (8|M0) -16"),
    ("cmp-condition", "skl", "cmp (8|M0) null<1>:d r12.0<8;8,1>:d 1:w", "cmp (8|M0) (lt)f0.0 null<1>:d r12.0<8;8,1>:d 1:w"),
    ("sel-condition", "tgl", "sel (8|M0) r10.0<1>:d r12.0<8;8,1>:d 1:w", "(f0.0) sel (8|M0) r10.0<1>:d r12.0<8;8,1>:d 1:w"),
    ("csel-condition", "tgl", "csel (8|M0) r10.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f", "csel (8|M0) (lt)f0.0 r10.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f"),
    ("csel-single", "skl", "csel (8|M0) (lt)f0.0 r10.0<1>:d r12.0<2;1>:d r14.0<2;1>:d r16.0<1>:d", "csel (8|M0) (lt)f0.0 r10.0<1>:f r12.0<2;1>:f r14.0<2;1>:f r16.0<1>:f"),
    ("csel-types", "tgl", "csel (8|M0) (lt)f0.0 r10.0<1>:d r12.0<8;1>:d r14.0<8;1>:d r16.0<2>:w", "csel (8|M0) (lt)f0.0 r10.0<1>:w r12.0<8;1>:w r14.0<8;1>:w r16.0<1>:w"),
    ("mul-dword-first", "tgl", "mul (8|M0) r10.0<1>:d r12.0<8;8,1>:w r14.0<8;8,1>:d", "mul (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:w"),
    ("mul-accumulator", "skl", "mul (8|M0) r10.0<1>:d acc0.0<8;8,1>:d r14.0<8;8,1>:w", "mul (8|M0) r10.0<1>:f acc0.0<8;8,1>:f r14.0<8;8,1>:f"),
    ("mul-dword-flags", "icl", "mul (8|M0) (sat)r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:w", "mul (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:w"),
    ("mul-modifiers", "tgl", "mul (8|M0) r10.0<1>:d r12.0<8;8,1>:d -r14.0<8;8,1>:w", "mul (8|M0) r10.0<1>:d -r12.0<8;8,1>:d r14.0<8;8,1>:w"),
    ("division-modifiers", "tgl", "math.iqot (8|M0) r10.0<1>:d -r12.0<8;8,1>:d r14.0<8;8,1>:d", "math.iqot (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d"),
    ("no-modifiers", "icl", "cbit (8|M0) r10.0<1>:ud -r12.0<8;8,1>:ud", "lzd (8|M0) r10.0<1>:ud -r12.0<8;8,1>:ud"),
    ("macl-types", "pvc", "macl (8|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:w", "macl (8|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d"),
    ("ternary-null", "icl", "mad (8|M0) null<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f", "mad (8|M0) acc0.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f"),
    ("scalar-register", "ptl", "add (1|M0) s0.0<1>:uq s0.0<0;1,0>:uq r4.0<0;1,0>:uq", "mov (1|M0) s0.0<1>:uq 0x1716151413121110:uq"),
    ("source-1-register", "icl", "add (8|M0) r10.0<1>:f r12.0<8;8,1>:f acc0.0<8;8,1>:f", "add (8|M0) r10.0<1>:f acc0.0<8;8,1>:f r12.0<8;8,1>:f"),
    ("source-1-null", "skl", "add (8|M0) null<1>:d r12.0<8;8,1>:d null<8;8,1>:d", "add (8|M0) null<1>:d null<8;8,1>:d r12.0<8;8,1>:d"),
    ("logic-abs", "tgl", "or (8|M0) r10.0<1>:d (abs)r12.0<8;8,1>:d 1:w", "or (8|M0) r10.0<1>:d -r12.0<8;8,1>:d 1:w"),
    ("logic-accumulator", "skl", "not (8|M0) r10.0<1>:d -acc0.0<8;8,1>:d", "not (8|M0) r10.0<1>:d acc0.0<8;8,1>:d"),
    ("logic-condition", "tgl", "and (8|M0) (ov)f0.0 r10.0<1>:d r12.0<8;8,1>:d 1:w", "and (8|M0) (eq)f0.0 r10.0<1>:d r12.0<8;8,1>:d 1:w"),
    ("bfi2-types", "tgl", "bfi2 (8|M0) r10.0<1>:d r12.0<8;1>:ud r14.0<8;1>:d r16.0<1>:d", "bfi2 (8|M0) r10.0<1>:d r12.0<8;1>:d r14.0<8;1>:d r16.0<1>:d"),
    ("dp4a-accumulator", "tgl", "dp4a (8|M0) r10.0<1>:d acc0.0<8;1>:d acc0.0<8;1>:d r16.0<1>:d", "dp4a (8|M0) r10.0<1>:d acc0.0<8;1>:d r14.0<8;1>:d r16.0<1>:d"),
    ("dp4a-types", "tgl", "dp4a (8|M0) r10.0<2>:w r12.0<8;1>:d r14.0<8;1>:d r16.0<1>:d", "dp4a (8|M0) r10.0<1>:d r12.0<8;1>:d r14.0<8;1>:ud r16.0<1>:ud"),
    ("end-registers", "tgl", "(W) send.ts (8|M0) null r12 null 0x0 0x02000010 {EOT}", "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}"),
    ("end-registers", "dg2", "(W) send.gtwy (8|M0) null r128 null:0 0x0 0x02000010 {EOT}", "(W) send.gtwy (8|M0) null r255 null:0 0x0 0x02000010 {EOT}"),
    ("end-response", "tgl", "(W) send.ts (8|M0) r10 r127 null 0x0 0x02000010 {EOT}", "(W) send.ts (8|M0) null r112 null 0x0 0x02000010 {EOT}"),
    ("payload-file", "tgl", "send.dc1 (16|M0) r11 acc0 null 0x0 0x04205E00", "send.dc1 (16|M0) r11 r5 null 0x0 0x04205E00"),
    ("payload-overlap", "tgl", "send.dc1 (16|M0) null r10 r11 0x80 0x04025E01", "send.dc1 (16|M0) null r10 r12 0x80 0x04025E01"),
    ("payload-end", "skl", "send (16|M0) r11:w r127 0xC 0x04205E00", "send (16|M0) r11:w r126 0xC 0x04205E00"),
    ("payload-length", "tgl", "send.dc1 (16|M0) r11 r5 null 0x0 0x00205E00", "send.dc1 (16|M0) r11 r5 null 0x0 0x04205E00"),
    ("payload-length-1", "dg2", "send.ugm (16|M0) null r5 r11:0 0x1000000 0x640E0504", "send.ugm (16|M0) null r5 r11:2 0x1000000 0x640E0504"),
    ("response-r127", "skl", "send (16|M0) r126:w r126 0xC 0x04205E00", "send (16|M0) r126:w r124 0xC 0x04205E00"),
    ("message", "tgl", "send.dc0 (16|M0) r11 r5 null 0x0 0x02118000", "send.dc1 (16|M0) r11 r5 null 0x0 0x04205E00"),
    ("transposed-one-channel", "dg2", "send.ugm (16|M0) r4 r12 null:0 0x1000000 0x6248E500", "(W) send.ugm (1|M0) r4 r12 null:0 0x1000000 0x6248E500"),
    ("dpas-exec-size", "pvc", "dpas.8x8 (8|M0) r10:d r20:d r40:b r60.0:b", "dpas.8x8 (16|M0) r10:d r20:d r40:b r60.0:b"),
    ("dpas-depth", "dg2", "dpas.4x8 (8|M0) r10:d r20:d r40:b r60.0:b", "dpas.8x8 (8|M0) r10:d r20:d r40:b r60.0:b"),
    ("dpas-source-types", "dg2", "dpas.8x8 (8|M0) r10:f r20:f r40:hf r60.0:bf", "dpas.8x8 (8|M0) r10:f r20:f r40:hf r60.0:hf"),
    ("dpas-accumulator-types", "dg2", "dpas.8x8 (8|M0) r10:hf r20:f r40:hf r60.0:hf", "dpas.8x8 (8|M0) r10:f r20:f r40:bf r60.0:bf"),
    ("dpas-signs", "dg2", "dpas.8x8 (8|M0) r10:ud r20:ud r40:b r60.0:ub", "dpas.8x8 (8|M0) r10:ud r20:ud r40:ub r60.0:ub"),
    ("dpas-alignment", "dg2", "dpas.8x8 (8|M0) r10:d r20:d r40.4:b r60.0:b", "dpas.8x8 (8|M0) r10:d r20:d r40.0:b r60.0:s4"),
    ("word-stride", "lnl", "add (16|M0) r10.0<1>:w r12.2<2;1,0>:w r14.0<1;1,0>:w", "add (16|M0) r10.1<1>:w r12.3<2;1,0>:w r14.0<1;1,0>:w"),
    ("word-stride", "pvc", "add (8|M0) r10.0<1>:w r12.0<1;1,0>:w r14.0<4;1,0>:w", "add (8|M0) r10.0<2>:w r12.0<2;1,0>:w r14.0<4;1,0>:w"),
    ("word-stride", "bmg", "cmp (8|M0) (lt)f0.0 null<1>:w r12.4<2;1,0>:w 1:w", "cmp (8|M0) (lt)f0.0 null<2>:w r12.4<2;1,0>:w 1:w"),
    ("word-to-byte-stride", "bmg", "add (16|M0) r10.0<2>:b r12.1<2;1,0>:w 1:w", "add (16|M0) r10.1<2>:b r12.1<2;1,0>:w 1:w"),
    ("byte-to-word-stride", "bmg", "mov (16|M0) r10.8<1>:w r12.0<4;1,0>:b", "mov (16|M0) r10.8<1>:w r12.32<4;1,0>:b"),
    ("byte-to-word-stride", "pvc", "mov (8|M0) r10.1<1>:w r12.0<8;1,0>:b", "mov (8|M0) r10.0<1>:w r12.3<8;1,0>:b"),
    ("byte-stride", "lnl", "add (16|M0) r10.2<2>:b r12.0<4;1,0>:b 1:w", "add (16|M0) r10.2<2>:b r12.4<4;1,0>:b 1:w"),
    ("byte-stride", "pvc", "mov (8|M0) r10.0<2>:b r12.8<8;1,0>:b", "mov (8|M0) r10.2<2>:b r12.8<8;1,0>:b"),
    ("packed-byte-stride", "bmg", "mov (16|M0) r10.0<1>:b r12.2<2;1,0>:b", "mov (16|M0) r10.1<1>:b r12.2<2;1,0>:b"),
    ("packed-byte-stride", "lnl", "mov (8|M0) r10.0<1>:b r12.0<8;1,0>:b", "mov (8|M0) r10.0<1>:b r12.3<4;1,0>:b"),
    ("packed-byte-pairs", "lnl", "mov (16|M0) r10.0<1>:b r12.0<2;2,2>:b", "mov (16|M0) r10.0<1>:b r12.0<4;2,2>:b"),
    ("packed-byte-pairs", "lnl", "mov (16|M0) r10.4<1>:b r12.0<4;2,1>:b", "mov (16|M0) r10.4<1>:b r12.8<4;2,1>:b"),
    ("row-alignment", "lnl", "mov (16|M0) r10.1<1>:w r12.0<4;2,1>:w", "mov (16|M0) r10.2<1>:w r12.0<4;2,1>:w"),
    ("odd-word-source", "bmg", "add (16|M0) r10.0<4>:b r12.0<1;1,0>:w r14.1<1;1,0>:w", "add (16|M0) r10.0<4>:b r12.1<1;1,0>:w r14.2<1;1,0>:w"),
    ("vector-immediate-stride", "icl", "mov (8|M0) r10.0<2>:w 0x76543210:v", "mov (8|M0) r10.0<1>:d 0x76543210:v"),
    ("vector-immediate-stride", "tgl", "mov (8|M0) r10.0<2>:f 0x30303030:vf", "mov (8|M0) r10.0<1>:f 0x30303030:vf"),
    ("accumulator-conversion", "dg2", "mov (8|M0) acc0.0<1>:f r12.0<1;1,0>:d", "mov (8|M0) acc0.0<1>:d r12.0<1;1,0>:w"),
    ("mixed-indirect", "bmg", "mul (8|M0) r10.0<2>:hf r[a0.0]<1;1,0>:f r14.0<1;1,0>:f", "mul (8|M0) r10.0<2>:hf r12.0<1;1,0>:f r14.0<1;1,0>:f"),
    ("half-move-region", "dg2", "mov (4|M0) r10.4<1>:hf r12.0<1;1,0>:f", "mov (4|M0) r10.12<1>:hf r12.4<1;1,0>:f"),
    ("half-move-region", "bmg", "mov (8|M0) r10.1<1>:f r12.0<1;1,0>:hf", "mov (8|M0) r10.0<1>:f r12.1<2;1,0>:hf"),
    ("half-move-region", "bmg", "mov (16|M0) r10.8<1>:hf r12.0<0;1,0>:f", "mov (16|M0) r10.16<1>:hf r12.0<0;1,0>:f"),
    ("mixed-stride", "skl", "mov (8|M0) r10.0<4>:hf r12.0<8;8,1>:f", "mov (8|M0) r10.0<2>:hf r12.0<8;8,1>:f"),
    ("float-region", "bmg", "mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.2<1;0>:f r16.0<1>:f", "mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.2<0;0>:f r16.0<1>:f"),
    ("bfloat-operation", "dg2", "cmpn (8|M0) (lt)f0.0 null<1>:f r12.0<1;1,0>:bf r14.0<1;1,0>:f", "add (8|M0) r10.0<1>:f r12.0<1;1,0>:bf r14.0<1;1,0>:f"),
    ("bfloat-pure", "pvc", "add (16|M0) r10.0<1>:bf r12.0<1;1,0>:bf r14.0<1;1,0>:bf", "add (16|M0) r10.0<1>:bf r12.0<1;1,0>:f r14.0<1;1,0>:bf"),
    ("bfloat-factor", "bmg", "mul (16|M0) r10.0<1>:f r12.0<1;1,0>:f r14.0<1;1,0>:bf", "mul (16|M0) r10.0<1>:f r12.0<1;1,0>:bf r14.0<1;1,0>:f"),
    ("bfloat-channels", "dg2", "add (16|M0) r10.0<1>:f r12.0<1;1,0>:bf r14.0<1;1,0>:f", "add (8|M0) r10.0<1>:f r12.0<1;1,0>:bf r14.0<1;1,0>:f"),
    ("bfloat-scalar", "bmg", "add (16|M0) r10.0<1>:f r12.0<0;1,0>:bf r14.0<1;1,0>:f", "add (1|M0) r10.0<1>:f r12.0<0;1,0>:bf r14.0<0;1,0>:f"),
    ("bfloat-region", "bmg", "add (8|M0) r10.0<1>:f r12.8<1;1,0>:bf r14.0<1;1,0>:f", "add (8|M0) r10.0<1>:f r12.16<1;1,0>:bf r14.0<1;1,0>:f"),
    ("bfloat-region", "dg2", "add (8|M0) r10.4<1>:bf r12.0<1;1,0>:f r14.0<1;1,0>:f", "add (8|M0) r10.1<2>:bf r12.0<1;1,0>:f r14.0<1;1,0>:f"),
    ("ternary-source-2", "icl", "mad (8|M0) r10.0<1>:f r12.0<2;1>:f r14.0<2;1>:f r16.4<1>:f", "mad (8|M0) r10.4<1>:f r12.0<2;1>:f r14.0<2;1>:f r16.4<1>:f"),
    ("ternary-qword", "pvc", "mad (8|M0) r10.0<1>:q r12.0<1;0>:q r14.0<1;0>:q r16.0<1>:q", "mad (8|M0) r10.0<1>:d r12.0<1;0>:d r14.0<1;0>:d r16.0<0>:w"),
    ("mad-dword", "tgl", "mad (8|M0) r10.0<1>:d r12.0<8;1>:d r14.0<8;1>:d r16.0<1>:d", "mad (8|M0) r10.0<1>:d r12.0<8;1>:d r14.0<8;1>:d r16.0<2>:w"),
    ("rotate-types", "tgl", "rol (8|M0) r10.0<1>:d r12.0<8;8,1>:ud r14.0<8;8,1>:ud", "rol (8|M0) r10.0<1>:ud r12.0<8;8,1>:ud r14.0<8;8,1>:uw"),
    ("math-types", "dg2", "math.inv (8|M0) r10.0<2>:hf r12.0<1;1,0>:f", "math.inv (8|M0) r10.0<1>:f r12.0<1;1,0>:f"),
    ("math-registers", "tgl", "math.inv (8|M0) r10.0<1>:f acc0.0<8;8,1>:f", "math.inv (8|M0) r10.0<1>:f r12.0<8;8,1>:f"),
    ("math-files", "skl", "math.inv (8|M0) null<1>:f r12.0<8;8,1>:f", "math.inv (8|M0) r10.0<1>:f r12.0<8;8,1>:f"),
    ("math-files", "icl", "math.inv (8|M0) r10.0<1>:f f0.0<0;1,0>:f", "math.inv (8|M0) r10.0<1>:f r12.0<0;1,0>:f"),
    ("plane-alignment", "skl", "pln (8|M0) r10.0<1>:f r12.1<0;1,0>:f r14.0<8;8,1>:f", "pln (8|M0) r10.0<1>:f r12.4<0;1,0>:f r14.0<8;8,1>:f"),
    ("dpas-registers", "dg2", "dpas.8x8 (8|M0) r10:d r20:d acc0:b r60.0:b", "dpas.8x8 (8|M0) r10:d null:d r40:b r60.0:b"),
    ("dpas-full", "bmg", "dpas.8x8 (16|M0) r10:f r20:f r40:hf r60.16:hf", "dpas.8x7 (16|M0) r10:f r20:f r40:hf r60.16:hf"),
];

fn instruction(platform: &str, text: &str) -> Instruction {
    let family = devinfo::by_name(platform).unwrap().family;
    let options = AsmOptions::for_family(family).validated(Validation::Off);
    let assembly = match assemble(text, &options) {
        Ok(assembly) => assembly,
        Err(errors) => {
            eprintln!("{text}: {errors:?}");
            return Instruction::new(Opcode::Nop);
        }
    };
    decode(family, &assembly.code).unwrap().0
}

fn broken(platform: &str, text: &str) -> Vec<(&'static str, Place)> {
    let machine = Machine::from(devinfo::by_name(platform).unwrap());
    Validator::new(machine)
        .check(&instruction(platform, text))
        .map(|violation| (violation.rule.name, violation.place))
        .collect()
}

#[test]
fn rules_have_a_case_that_breaks_them_and_one_that_does_not() {
    let mut wrong = Vec::new();
    for (rule, platform, bad, good) in CASES {
        let found = broken(platform, bad);
        let names: BTreeSet<&str> = found.iter().map(|(name, _)| *name).collect();
        if names != BTreeSet::from([*rule]) {
            wrong.push(format!("{rule} {platform}: {bad}: breaks {names:?}"));
        }
        let found = broken(platform, good);
        if !found.is_empty() {
            wrong.push(format!("{rule} {platform}: {good}: breaks {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A thread ends from its last 16 registers, which depend on how many it has.
#[test]
fn threads_end_in_their_last_registers() {
    let end = |register: u8| {
        let text = format!("(W) send.gtwy (8|M0) null r{register} null:0 0x0 0x02000010 {{EOT}}");
        instruction("dg2", &text)
    };
    let platform = Machine::from(devinfo::by_name("dg2").unwrap());
    for (registers, register, legal) in [
        (128, 127, true),
        (128, 111, false),
        (256, 127, false),
        (256, 240, true),
        (256, 239, false),
    ] {
        let validator = Validator::new(platform.with_registers(registers));
        let found: Vec<&str> = validator
            .check(&end(register))
            .map(|v| v.rule.name)
            .collect();
        let wanted: &[&str] = if legal { &[] } else { &["end-registers"] };
        assert_eq!(found, wanted, "r{register} of {registers}");
    }
}

/// Rules about what text cannot express, and the test that breaks them by values.
const BY_VALUE: &[&str] = &[
    "element-alignment",
    "dst-stride-0",
    "dpas-repeat",
    "macro-one-channel",
];

#[test]
fn every_rule_is_tested_and_says_its_source() {
    let tested: BTreeSet<&str> = CASES
        .iter()
        .map(|case| case.0)
        .chain(BY_VALUE.iter().copied())
        .collect();
    let mut names = BTreeSet::new();
    for rule in rules() {
        assert!(names.insert(rule.name), "two rules are named {}", rule.name);
        assert!(!rule.text.is_empty() && !rule.source.is_empty());
    }
    assert_eq!(tested, names);
}

#[test]
fn values_that_text_cannot_express_are_checked() {
    use isa_encoder::{Dpas, Dst, Register, Specific, Type};
    let validator = Validator::new(devinfo::Family::XeHpg);
    let names = |instruction: &Instruction| -> Vec<&str> {
        validator.check(instruction).map(|v| v.rule.name).collect()
    };
    let mut still = instruction("dg2", "mov (8|M0) r10.0<1>:d r12.0<1;1,0>:d");
    still.dst = Dst::Direct {
        reg: Register::grf(10),
        hstride: 0,
        ty: Type::D,
    };
    assert_eq!(names(&still), ["dst-stride-0"]);
    let mut misaligned = instruction("dg2", "mov (1|M0) r10.0<1>:d r12.0<0;1,0>:d");
    misaligned.dst = Dst::Direct {
        reg: Register {
            byte: 2,
            ..Register::grf(10)
        },
        hstride: 1,
        ty: Type::D,
    };
    assert_eq!(names(&misaligned), ["element-alignment"]);
    let mut repeated = instruction("dg2", "dpas.8x8 (8|M0) r10:d r20:d r40:b r60.0:b");
    repeated.specific = Specific::Dpas(Dpas {
        depth: 8,
        repeat: 9,
    });
    assert_eq!(names(&repeated), ["dpas-repeat"]);
    let mut one = instruction(
        "skl",
        "madm (4|M0) r10.mme1:f r12.mme2:f r14.mme3:f r16.mme4:f",
    );
    one.exec_size = 1;
    let of_skl = Validator::new(devinfo::Family::Gen9);
    let names: Vec<&str> = of_skl.check(&one).map(|v| v.rule.name).collect();
    assert_eq!(names, ["macro-one-channel"]);
}

const WRONG: &str = "\
//.platform tgl
        add (8|M0)  r10.0<1>:w  r12.0<8;8,1>:d  r14.0<8;8,1>:d
        add (8|M0)  r10.0<1>:d  r12.0<8;8,1>:d  r14.0<8;8,1>:d
        cmp (8|M0)  null<1>:d  r12.0<8;8,1>:d  r14.0<4;8,1>:d
";

fn found(validation: Validation) -> Vec<Diagnostic> {
    let options = AsmOptions {
        validation,
        ..AsmOptions::default()
    };
    match assemble(WRONG, &options) {
        Ok(assembly) => assembly.warnings,
        Err(diagnostics) => diagnostics,
    }
}

#[test]
fn the_assembler_points_at_the_operand_and_names_the_rule() {
    let found = found(Validation::default());
    let seen: Vec<(usize, &str, &str)> = found
        .iter()
        .map(|d| {
            assert_eq!(d.severity, Severity::Warning);
            let help = d.help.as_deref().unwrap();
            let rule = help.split('`').nth(1).unwrap();
            assert!(help.contains("PRM"), "{help}");
            (
                d.span.line_column(WRONG).0,
                &WRONG[d.span.start..d.span.end],
                rule,
            )
        })
        .collect();
    let third = "cmp (8|M0)  null<1>:d  r12.0<8;8,1>:d  r14.0<4;8,1>:d";
    assert_eq!(
        seen,
        [
            (2, "r10.0<1>:w", "dst-stride"),
            (4, third, "cmp-condition"),
            (4, "r14.0<4;8,1>:d", "full-row"),
        ]
    );
}

#[test]
fn violations_are_errors_or_nothing_if_so_asked() {
    let errors = found(Validation::Deny);
    assert_eq!(errors.len(), 3);
    assert!(errors.iter().all(|d| d.severity == Severity::Error));
    assert!(found(Validation::Off).is_empty());
}

#[test]
fn the_examples_break_no_rule() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "asm") {
            let text = std::fs::read_to_string(&path).unwrap();
            let assembly = assemble(&text, &AsmOptions::default()).unwrap();
            assert!(
                assembly.warnings.is_empty(),
                "{path:?}: {:?}",
                assembly.warnings
            );
            count += 1;
        }
    }
    assert!(count > 0);
}

/// Code that Intel and Mesa ship breaks no rule.
#[test]
fn shipped_code_is_legal() {
    let lines: &[(&str, &str)] = &[
        // Sub-registers of flow control count the units of the encoding, not elements.
        ("skl", "mov (2|M0) r10.0<1>:ud fc0.1<2;2,1>:ud"),
        ("tgl", "(W) mov (2|M0) fc0.1<1>:ud r10.0<2;2,1>:ud"),
        ("pvc", "mov (4|M0) r10.0<1>:ud fc0.1<2;2,1>:ud"),
        // The media driver's kernels use a wider stride than they must.
        ("bdw", "mov (4|M0) r14.0<4>:w (abs)r3.0<4;4,1>:d"),
        (
            "dg2",
            "(W) shr (8|M0) (sat)r74.2<4>:uw r9.0<1;1,0>:ud 0x2:uw",
        ),
        // A `movi` to null moves nothing.
        (
            "tgl",
            "movi (8|M0) null<1>:ub r[a0.0]<8;8,1>:ub null<8;8,1>:ub",
        ),
        ("pvc", "movi (16|M0) null<1>:ub r[a0.0]<16;8,2>:ub 0x0:ud"),
        ("bmg", "movi (16|M0) null<1>:b r[a0.0]<16;8,2>:b 0x0:ud"),
    ];
    for (platform, text) in lines {
        assert_eq!(broken(platform, text), [], "{platform}: {text}");
    }
}
