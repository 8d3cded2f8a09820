//! The text forms of every instruction of a family, legal or not: iga64 decides which are.

use devinfo::Family;
use isa_encoder::{Attributes, Format, MathFunction, Opcode, Sfid, SyncFunction, has_opcode};

use super::{extras, operands};

const INTEGERS: &[&str] = &["ub", "b", "uw", "w", "ud", "d", "uq", "q"];
const FLOATS: &[&str] = &["hf", "bf", "f", "df"];
const IMMEDIATES: &[(&str, &str)] = &[
    ("0x1234", "uw"),
    ("-2", "w"),
    ("0x12345678", "ud"),
    ("-5", "d"),
    ("0x123456789ABCDEF0", "uq"),
    ("-77", "q"),
    ("1.5", "hf"),
    ("-2.25", "f"),
    ("0.1", "df"),
    ("0x76543210", "v"),
    ("0x76543210", "uv"),
    ("0x40302010", "vf"),
];

/// All forms of all instructions.
pub fn all(family: Family) -> Vec<String> {
    let mut forms = Vec::new();
    for &opcode in Opcode::ALL {
        if has_opcode(family, opcode) {
            of(family, opcode, &mut forms);
            operands::of(family, opcode, &mut forms);
        }
    }
    forms.extend(extras::of(family));
    forms
}

/// All forms of one instruction.
pub fn of(family: Family, opcode: Opcode, out: &mut Vec<String>) {
    let op = opcode.mnemonic();
    match opcode.format() {
        Format::Nullary => out.push(op.into()),
        Format::Unary => unary(family, op, out),
        Format::Binary if opcode == Opcode::Movi => movi(family, out),
        Format::Binary => binary(family, op, out),
        Format::Ternary if opcode == Opcode::Madm => madm(out),
        Format::Ternary => ternary(family, op, out),
        Format::Math => math(family, out),
        Format::Sync => sync(out),
        Format::Wait => {
            for register in ["n0.0", "n0.1", "n1.0"] {
                out.push(format!("wait (1|M0) {register}<0;1,0>:ud"));
                out.push(format!("(W) wait (1|M0) {register}<0;1,0>:ud"));
            }
        }
        Format::Send => sends(family, op, out),
        Format::Dpas => dpas(op, out),
        Format::JumpUnary
        | Format::JumpJip
        | Format::JumpJipUip
        | Format::JumpBrc
        | Format::Call
        | Format::Ret => jumps(opcode, out),
    }
}

/// `(sat)` if every family with the instruction supports it.
fn sat(op: &str) -> &'static str {
    let family_dependent = ["lzd", "mach", "srnd", "pln"].contains(&op);
    match Opcode::from_mnemonic(op) {
        Some(opcode) if opcode.has(Attributes::SATURATION) && !family_dependent => "(sat)",
        _ => "",
    }
}

/// The instructions that represent all others in what does not depend on the opcode: registers,
/// regions, masks, options.
fn is_sample(op: &str) -> bool {
    matches!(op, "mov" | "add" | "mad" | "bfn.0xCA")
}

/// Pairs of destination and source types: each type with itself, and with d and f.
fn type_pairs() -> Vec<(&'static str, &'static str)> {
    let mut pairs = Vec::new();
    for ty in types() {
        for pair in [(ty, ty), (ty, "d"), (ty, "f"), ("d", ty), ("f", ty)] {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}

fn types() -> impl Iterator<Item = &'static str> {
    INTEGERS.iter().chain(FLOATS).copied()
}

fn packed(family: Family) -> &'static str {
    match family {
        Family::XeHpg | Family::XeHpc | Family::Xe2 | Family::Xe3 => "<1;1,0>",
        _ => "<8;8,1>",
    }
}

/// Execution sizes, masks, predicates, condition modifiers and options around `operands`.
fn controls(family: Family, op: &str, operands: &str, out: &mut Vec<String>) {
    for size in [
        "(1|M0)", "(2|M4)", "(4|M12)", "(8|M8)", "(16|M16)", "(32|M0)",
    ] {
        out.push(format!("{op} {size} {operands}"));
    }
    if Opcode::from_mnemonic(op).is_none_or(|o| o.has(Attributes::PREDICATE)) {
        out.push(format!("(W&~f0.1) {op} (8|M0) {operands}"));
    }
    out.push(format!("(W) {op} (8|M0) {operands}"));
    out.push(format!("{op} (8|M0) {operands} {{Compacted}}"));
    if Opcode::from_mnemonic(op).is_none_or(|o| o.has(Attributes::CONDITION)) {
        for cond in ["eq", "ne", "gt", "ge", "lt", "le", "ov", "un"] {
            out.push(format!("{op} (8|M0) ({cond})f0.1 {operands}"));
        }
    }
    if !is_sample(op) {
        return;
    }
    let wide = matches!(family, Family::XeHpc | Family::Xe2 | Family::Xe3);
    let groups: &[&str] = if wide {
        &["", ".any", ".all"]
    } else {
        &[
            "", ".anyv", ".allv", ".any2h", ".all2h", ".any4h", ".all4h", ".any8h", ".all8h",
            ".any16h", ".all16h", ".any32h", ".all32h",
        ]
    };
    for group in groups {
        out.push(format!("(f1.0{group}) {op} (8|M0) {operands}"));
        out.push(format!("(W&~f0.1{group}) {op} (8|M0) {operands}"));
    }
    out.push(format!("(W) {op} (8|M0) {operands}"));
    out.push(format!("(f3.1) {op} (8|M0) {operands}"));
    for option in [
        "AccWrEn",
        "Atomic",
        "Breakpoint",
        "NoDDChk",
        "NoDDClr",
        "NoPreempt",
        "Switch",
        "Serialize",
        "Compacted",
        "@1",
        "@7",
        "$3.dst",
        "$15.src",
        "$31.dst",
        "@2,$4.dst",
        "A@1",
        "F@2",
        "I@3",
        "L@4",
        "M@5",
        "A@1,$2.dst",
        "@1,$2.src",
        "NoAccSBSet",
        "NoDDClr,NoDDChk",
    ] {
        out.push(format!("{op} (8|M0) {operands} {{{option}}}"));
    }
}

/// Destinations of type `ty`.
fn destinations(ty: &str) -> Vec<String> {
    [
        "r10.0<1>",
        "r10.1<2>",
        "r127.0<4>",
        "null<1>",
        "acc0.0<1>",
        "a0.2<1>",
        "f0.1<1>",
        "sr0.1<1>",
        "cr0.0<1>",
        "ip<1>",
        "tm0.1<1>",
        "r[a0.3]<1>",
        "r[a0.0,-16]<2>",
        "(sat)r10.0<1>",
    ]
    .iter()
    .map(|dst| format!("{dst}:{ty}"))
    .collect()
}

/// Sources of type `ty`.
fn sources(family: Family, ty: &str) -> Vec<String> {
    let mut out: Vec<String> = [
        "r12.0<0;1,0>",
        "r12.1<0;1,0>",
        "r12.0<1;1,0>",
        "r12.0<8;8,1>",
        "r12.0<16;16,1>",
        "r12.0<4;4,1>",
        "r12.2<2;2,1>",
        "r12.0<2;1,0>",
        "r12.0<4;1,0>",
        "r12.0<8;4,2>",
        "r12.0<16;8,2>",
        "r12.0<32;8,4>",
        "r12.0<0;2,1>",
        "r255.0<8;8,1>",
        "null<0;1,0>",
        "acc0.0<8;8,1>",
        "acc1.0<1;1,0>",
        "a0.1<0;1,0>",
        "f1.0<0;1,0>",
        "sr0.0<0;1,0>",
        "cr0.1<0;1,0>",
        "ip<0;1,0>",
        "tm0.0<0;1,0>",
        "ce0<0;1,0>",
        "tdr0.0<0;1,0>",
        "dbg0.0<0;1,0>",
        "r[a0.0]<0;1,0>",
        "r[a0.5,32]<8;8,1>",
        "r[a0.0]<1,0>",
        "r[a0.2,-64]<1,0>",
        "r[a0.0]<4,1>",
        "r[a0.0,511]<8,1>",
    ]
    .iter()
    .map(|src| format!("{src}:{ty}"))
    .collect();
    for modifier in ["-", "(abs)", "-(abs)", "~"] {
        out.push(format!("{modifier}r12.0{}:{ty}", packed(family)));
    }
    out
}

fn unary(family: Family, op: &str, out: &mut Vec<String>) {
    let r = packed(family);
    for (dst, src) in type_pairs() {
        out.push(format!("{op} (8|M0) r10.0<1>:{dst} r12.0{r}:{src}"));
    }
    for (value, src) in IMMEDIATES {
        for dst in ["ud", "d", "f", src] {
            out.push(format!("{op} (8|M0) r10.0<1>:{dst} {value}:{src}"));
        }
    }
    if op == "mov" {
        for (dst, src) in [
            ("bf8", "hf"),
            ("hf", "bf8"),
            ("bf8", "bf8"),
            ("bf8", "f"),
            ("tf32", "f"),
            ("f", "tf32"),
            ("tf32", "tf32"),
        ] {
            out.push(format!("{op} (16|M0) r10.0<1>:{dst} r12.0{r}:{src}"));
        }
    }
    let sat = sat(op);
    out.push(format!("{op} (8|M0) {sat}r10.0<2>:d -(abs)r12.0<0;1,0>:d"));
    out.push(format!(
        "{op} (8|M0) {sat}r10.0<2>:f -(abs)r[a0.1,16]<1,0>:f"
    ));
    for ty in ["ud", "f", "uw"] {
        if !is_sample(op) {
            break;
        }
        for dst in destinations(ty) {
            out.push(format!("{op} (8|M0) {dst} r12.0{r}:{ty}"));
        }
        for src in sources(family, ty) {
            out.push(format!("{op} (8|M0) r10.0<1>:{ty} {src}"));
        }
    }
    for ty in ["ud", "f"] {
        controls(family, op, &format!("r10.0<1>:{ty} r12.0{r}:{ty}"), out);
    }
}

fn binary(family: Family, op: &str, out: &mut Vec<String>) {
    let r = packed(family);
    for (dst, src) in type_pairs() {
        out.push(format!(
            "{op} (8|M0) r10.0<1>:{dst} r12.0{r}:{src} r14.0{r}:{src}"
        ));
        out.push(format!(
            "{op} (8|M0) r10.0<1>:d r12.0{r}:{dst} r14.0{r}:{src}"
        ));
    }
    for (value, src1) in IMMEDIATES {
        for src0 in ["ud", "d", "f", src1] {
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{src0} r12.0{r}:{src0} {value}:{src1}"
            ));
        }
    }
    for ty in ["d", "f"] {
        out.push(format!(
            "{op} (8|M0) {}r10.0<2>:{ty} -(abs)r12.0<0;1,0>:{ty} (abs)r[a0.2,-16]<1,0>:{ty}",
            sat(op)
        ));
        out.push(format!(
            "{op} (8|M0) null<1>:{ty} acc0.0{r}:{ty} -r14.0{r}:{ty}"
        ));
        out.push(format!(
            "{op} (8|M0) r[a0.0]<1>:{ty} ~r12.0{r}:{ty} ~r14.0{r}:{ty}"
        ));
    }
    for ty in ["ud", "f"] {
        if !is_sample(op) {
            break;
        }
        for dst in destinations(ty) {
            out.push(format!("{op} (8|M0) {dst} r12.0{r}:{ty} r14.0{r}:{ty}"));
        }
        for src in sources(family, ty) {
            out.push(format!("{op} (8|M0) r10.0<1>:{ty} {src} r14.0{r}:{ty}"));
            out.push(format!("{op} (8|M0) r10.0<1>:{ty} r14.0{r}:{ty} {src}"));
        }
    }
    for ty in ["ud", "f"] {
        controls(
            family,
            op,
            &format!("r10.0<1>:{ty} r12.0{r}:{ty} r14.0{r}:{ty}"),
            out,
        );
    }
}

fn movi(family: Family, out: &mut Vec<String>) {
    let tail = match family {
        Family::Gen8 | Family::Gen9 => "",
        _ => " null<1;1,0>:ud",
    };
    for ty in types() {
        for src in ["r[a0.0]<8;8,1>", "r[a0.0,16]<1;1,0>", "r[a0.2]<1,0>"] {
            out.push(format!("movi (8|M0) r10.0<1>:{ty} {src}:{ty}{tail}"));
        }
    }
}

fn ternary(family: Family, op: &str, out: &mut Vec<String>) {
    let r = match family {
        Family::Gen8 | Family::Gen9 => "<2;1>",
        Family::Gen11 | Family::Gen12Lp => "<8;1>",
        _ => "<1;0>",
    };
    let bfn = if op == "bfn" { ".0xCA" } else { "" };
    let op = &format!("{op}{bfn}");
    let three = |dst: &str, a: &str, b: &str, c: &str| {
        format!("{op} (8|M0) r10.0<1>:{dst} r12.0{r}:{a} r14.0{r}:{b} r16.0<1>:{c}")
    };
    for (dst, src) in type_pairs() {
        out.push(three(dst, src, src, src));
        out.push(three(dst, dst, dst, src));
        out.push(three(dst, dst, src, dst));
        out.push(three(dst, src, dst, dst));
    }
    let shapes: &[&str] = if is_sample(op) {
        &["w", "d", "f", "hf", "df"]
    } else {
        &["d", "f"]
    };
    for ty in shapes {
        for (a, b, c) in [
            ("r12.0<0;0>", "r14.0<0;0>", "r16.0<0>"),
            ("r12.1<0;0>", "r14.2<0;0>", "r16.3<0>"),
            ("r12.0<4;1>", "r14.0<2;1>", "r16.0<2>"),
            ("r12.0<8;4>", "r14.0<8;2>", "r16.0<4>"),
            ("r12.0<1;0>", "r14.0<4;2>", "r16.0<1>"),
            ("-r12.0<4;1>", "(abs)r14.0<4;1>", "-(abs)r16.0<1>"),
            ("acc0.0<4;1>", "acc1.0<4;1>", "acc2.0<1>"),
            ("null<0;0>", "null<0;0>", "null<0>"),
        ] {
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} {a}:{ty} {b}:{ty} {c}:{ty}"
            ));
        }
        // One channel is a write mask in align16.
        if matches!(family, Family::Gen8 | Family::Gen9) {
            for element in [0, 1, 2, 3, 5] {
                out.push(format!(
                    "{op} (1|M0) r10.{element}<1>:{ty} r12.{element}<0;0>:{ty} r14.0{r}:{ty} \
                     r16.1<0>:{ty}"
                ));
            }
        }
        let saturated = format!("{}r10.0<1>", sat(&op.replace(".0xCA", "")));
        for dst in [
            "r10.0<2>",
            "r10.4<1>",
            "acc0.0<1>",
            "null<1>",
            saturated.as_str(),
        ] {
            out.push(format!(
                "{op} (8|M0) {dst}:{ty} r12.0{r}:{ty} r14.0{r}:{ty} r16.0<1>:{ty}"
            ));
        }
        // IGA cuts wider immediates to 16 bits; this assembler refuses them.
        for (value, imm) in [("0x1234", "uw"), ("-2", "w"), ("1.5", "hf")] {
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} {value}:{imm} r14.0{r}:{ty} r16.0<1>:{ty}"
            ));
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} r12.0{r}:{ty} r14.0{r}:{ty} {value}:{imm}"
            ));
        }
    }
    for ty in ["ud", "d", "f"] {
        controls(
            family,
            op,
            &format!("r10.0<1>:{ty} r12.0{r}:{ty} r14.0{r}:{ty} r16.0<1>:{ty}"),
            out,
        );
    }
    if !bfn.is_empty() {
        for table in [0, 0x80, 0xfe, 0xff, 0x96] {
            out.push(format!(
                "bfn.0x{table:02X} (16|M0) r10.0<1>:ud r12.0<1;0>:ud r14.0<1;0>:ud r16.0<1>:ud"
            ));
        }
        for function in ["(s0&s1|s2)", "(~s0^s1)", "(s0&~s1&s2)", "((s0|s1)&s2)"] {
            out.push(format!(
                "bfn.{function} (16|M0) r10.0<1>:uw r12.0<1;0>:uw r14.0<1;0>:uw r16.0<1>:uw"
            ));
        }
    }
}

fn madm(out: &mut Vec<String>) {
    for ty in ["f", "df", "hf"] {
        for (dst, a, b, c) in [
            ("mme0", "mme1", "mme2", "nomme"),
            ("nomme", "nomme", "nomme", "nomme"),
            ("mme7", "nomme", "mme3", "mme4"),
        ] {
            for sign in ["", "-"] {
                for size in [4, 8, 16] {
                    out.push(format!(
                        "madm ({size}|M0) r10.{dst}:{ty} r12.{a}:{ty} {sign}r14.{b}:{ty} \
                         r16.{c}:{ty}"
                    ));
                }
            }
        }
    }
}

fn math(family: Family, out: &mut Vec<String>) {
    let r = packed(family);
    for function in MathFunction::ALL {
        let op = format!("math.{}", function.mnemonic());
        for ty in types() {
            if function.is_macro() {
                if !["f", "df", "hf"].contains(&ty) {
                    continue;
                }
                let second = format!(" r14.nomme:{ty}");
                let second = if function.sources() == 2 {
                    second.as_str()
                } else {
                    ""
                };
                for mme in ["mme0", "mme6", "nomme"] {
                    out.push(format!(
                        "{op} (8|M0) (eo)f0.1 r10.{mme}:{ty} r12.nomme:{ty}{second}"
                    ));
                }
                continue;
            }
            let second = format!(" r14.0{r}:{ty}");
            let second = if function.sources() == 2 {
                second.as_str()
            } else {
                ""
            };
            for dst in ["r10.0<1>", "(sat)r10.0<1>", "r10.0<2>"] {
                out.push(format!("{op} (8|M0) {dst}:{ty} r12.0{r}:{ty}{second}"));
            }
            for src in ["-r12.0", "(abs)r12.0"] {
                out.push(format!("{op} (16|M16) r10.0<1>:{ty} {src}{r}:{ty}{second}"));
            }
            for option in ["@3,$2", "$7", "A@2,$1", "@1", "$5.src", "Compacted"] {
                out.push(format!(
                    "(W&f0.1) {op} (1|M0) r10.0<1>:{ty} r12.0<0;1,0>:{ty}{} {{{option}}}",
                    second.replace(r, "<0;1,0>")
                ));
            }
        }
    }
}

fn sync(out: &mut Vec<String>) {
    for function in SyncFunction::ALL {
        let op = format!("sync.{}", function.mnemonic());
        for operand in [
            "null",
            "($0,$9)",
            "($15)",
            "($31)",
            "0x5:ud",
            "r10.0<0;1,0>:ud",
        ] {
            for option in [
                "",
                " {@1}",
                " {$4.dst}",
                " {A@1,$2.src}",
                " {Compacted,$0.src}",
            ] {
                out.push(format!("{op} {operand}{option}"));
            }
        }
    }
}

fn dpas(op: &str, out: &mut Vec<String>) {
    for shape in ["8x1", "8x8", "4x3", "2x1"] {
        for dst in ["f", "d", "ud", "bf", "hf"] {
            for b in ["bf", "hf", "tf32", "bf8", "b", "ub", "s4", "u4", "s2", "u2"] {
                for c in ["bf", "hf", "tf32", "bf8", "b", "ub", "s4", "u2"] {
                    let sizes: &[u8] = if shape == "8x8" { &[8, 16] } else { &[16] };
                    for size in sizes {
                        out.push(format!(
                            "{op}.{shape} ({size}|M0) r10:{dst} r20:{dst} r30:{b} r40.0:{c}"
                        ));
                    }
                }
            }
            out.push(format!(
                "{op}.{shape} (8|M0) r10:{dst} null:{dst} r30:bf r40.0:bf {{$1}}"
            ));
            out.push(format!(
                "{op}.{shape} (16|M0) r10:{dst} r20:{dst} r30:b r40.4:b {{Atomic}}"
            ));
        }
    }
}

fn jumps(opcode: Opcode, out: &mut Vec<String>) {
    let op = opcode.mnemonic();
    let size = if opcode == Opcode::Jmpi { 1 } else { 16 };
    let mut forms = Vec::new();
    match opcode.format() {
        Format::Ret => forms.extend(["r10.0<0;1,0>:d", "r127.2<0;1,0>:d", "r10.0"]),
        Format::Call => forms.extend(["r10.0 0", "r10.0 r12.0", "r10.2 r12.1"]),
        Format::JumpJip => forms.push("0"),
        Format::JumpJipUip => forms.push("0 0"),
        Format::JumpBrc => forms.extend(["0 0", "r10.0"]),
        _ => forms.extend(["0", "r10.0", "r10.2"]),
    }
    for form in forms {
        for prefix in [
            "",
            "(W) ",
            "(f0.1) ",
            "(W&~f1.0) ",
            "(f0.0.any16h) ",
            "(f0.0.any) ",
        ] {
            if prefix.contains('f') && !opcode.has(Attributes::PREDICATE) {
                continue;
            }
            for suffix in ["", ".b"] {
                for option in ["", " {Atomic}", " {$3.src}"] {
                    out.push(format!("{prefix}{op}{suffix} ({size}|M0) {form}{option}"));
                }
            }
        }
    }
}

fn sends(family: Family, op: &str, out: &mut Vec<String>) {
    let two = op.starts_with("sends");
    if matches!(family, Family::Gen8 | Family::Gen9 | Family::Gen11) {
        for sfid in 0..16u8 {
            if Sfid::from_id(family, sfid).is_err() {
                continue;
            }
            let second = if two { "r14 " } else { "" };
            let exdesc = if two {
                0x80 | u32::from(sfid)
            } else {
                sfid.into()
            };
            for (dst, src) in [("r10:w", "r12:f"), ("null:w", "r12"), ("r10:f", "r12:ud")] {
                let src = if two { "r12" } else { src };
                out.push(format!(
                    "{op} (8|M0) {dst} {src} {second}0x{exdesc:X} 0x02180000"
                ));
                out.push(format!(
                    "(W) {op} (16|M0) {dst} {src} {second}0x{exdesc:X} a0.0"
                ));
                out.push(format!("{op} (8|M0) {dst} {src} {second}a0.2 a0.0"));
                out.push(format!(
                    "{op} (8|M0) {dst} {src} {second}0xFFFF{exdesc:04X} 0x02180000 {{NoSrcDepSet}}"
                ));
                out.push(format!(
                    "{op} (8|M0) {dst} {src} {second}0x{:X} 0x02180000 {{EOT}}",
                    exdesc | 0x20
                ));
            }
        }
        if !two {
            out.push(format!(
                "{op} (8|M0) r[a0.0,16]:ud r[a0.1,32]<0;1,0>:ud 0xA 0x02180000"
            ));
        }
        return;
    }
    for id in 0..16 {
        let Ok(sfid) = Sfid::from_id(family, id) else {
            continue;
        };
        let long = !matches!(family, Family::Gen12Lp);
        for (src1, exdesc) in [("null", "0x0"), ("r14", "0x80"), ("r14", "0xFFFFF800")] {
            let length = if !long {
                ""
            } else if src1 == "null" {
                ":0"
            } else {
                ":2"
            };
            let exdesc = if long && exdesc == "0x80" {
                "0x1000000"
            } else {
                exdesc
            };
            for dst in ["r10", "null"] {
                let head = format!("{op}.{sfid} (16|M0) {dst} r12 {src1}{length}");
                for tail in [
                    format!("{exdesc} 0x02180000"),
                    format!("{exdesc} 0x02180000 {{$3}}"),
                    format!("{exdesc} 0xFFFFFFFF {{@2,$4}}"),
                    format!("{exdesc} 0x02180000 {{A@1,$5}}"),
                    format!("{exdesc} 0x02180000 {{EOT,@1}}"),
                    format!("{exdesc} a0.0"),
                ] {
                    out.push(format!("{head} {tail}"));
                    out.push(format!("(W&~f0.1) {head} {tail}"));
                }
                for tail in [
                    "a0.2 0x02180000",
                    "a0.4 a0.0 {$1}",
                    "a0.2 0x02180000 {ExBSO}",
                    "a0.2 0x02180000 {ExBSO,CPS}",
                    "0x10000:a0.2 0x02180000",
                    "0xFFF00000:a0.0 a0.0 {ExBSO}",
                ] {
                    out.push(format!("{head} {tail}"));
                    out.push(format!("{op}.{sfid} (16|M0) {dst} r12 {src1} {tail}"));
                }
            }
        }
    }
}
