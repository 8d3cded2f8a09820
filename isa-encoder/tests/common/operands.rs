//! Forms of every instruction with unusual operands: indirect, an architecture register, an
//! immediate or a register of another type, any register number, any sub-register.

use devinfo::Family;
use isa_encoder::{Format, MathFunction, Opcode};

const INTEGERS: &[&str] = &["ub", "b", "uw", "w", "ud", "d", "uq", "q"];
const FLOATS: &[&str] = &["hf", "bf", "f", "df"];
const IMMEDIATES: &[&str] = &[
    "0x1234:uw",
    "5:w",
    "0x12345678:ud",
    "-3:d",
    "1.5:hf",
    "-2.25:f",
    "0x76543210:v",
    "0x76543210:uv",
    "0x40302010:vf",
];
const INDIRECT: &[&str] = &[
    "r[a0.3,16]<1,0>",
    "r[a0.5,-32]<8;8,1>",
    "r[a0.2]<4,1>",
    "r[a0.1,511]<0;1,0>",
    "-r[a0.0]<0;1,0>",
];
const ARF_SOURCES: &[&str] = &[
    "null<0;1,0>",
    "acc0.0<8;8,1>",
    "acc1.0<0;1,0>",
    "a0.4<0;1,0>",
    "f0.0<0;1,0>",
    "ce0.0<0;1,0>",
    "sr0.0<0;1,0>",
    "cr0.0<0;1,0>",
    "n0.0<0;1,0>",
    "ip<0;1,0>",
    "tdr0.0<0;1,0>",
    "tm0.0<0;1,0>",
    "dbg0.0<0;1,0>",
];
const DESTINATIONS: &[&str] = &[
    "r[a0.3]<1>",
    "r[a0.0,-16]<2>",
    "null<1>",
    "acc0.0<1>",
    "acc1.0<2>",
    "a0.0<1>",
    "f0.0<1>",
    "sr0.0<1>",
    "cr0.0<1>",
    "tm0.0<1>",
];

/// Those of one instruction.
pub fn of(family: Family, opcode: Opcode, out: &mut Vec<String>) {
    let op = opcode.mnemonic();
    match opcode.format() {
        Format::Unary => one_source(family, op, out),
        Format::Binary if opcode != Opcode::Movi => two_sources(family, op, out),
        Format::Ternary if opcode != Opcode::Madm => three_sources(family, op, out),
        Format::Math => math(family, out),
        _ => {}
    }
    if matches!(opcode, Opcode::Mov | Opcode::Add | Opcode::Mad) {
        registers(family, opcode, out);
    }
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

fn packed3(family: Family) -> &'static str {
    match family {
        Family::Gen8 | Family::Gen9 => "<2;1>",
        Family::Gen11 | Family::Gen12Lp => "<8;1>",
        _ => "<1;0>",
    }
}

fn unusual_sources() -> impl Iterator<Item = &'static str> {
    INDIRECT.iter().chain(ARF_SOURCES).copied()
}

fn one_source(family: Family, op: &str, out: &mut Vec<String>) {
    let r = packed(family);
    for ty in ["ud", "w", "f"] {
        for src in unusual_sources() {
            out.push(format!("{op} (8|M0) r10.0<1>:{ty} {src}:{ty}"));
        }
        for dst in DESTINATIONS {
            out.push(format!("{op} (8|M0) {dst}:{ty} r12.0{r}:{ty}"));
        }
    }
    for ty in types() {
        for immediate in IMMEDIATES {
            out.push(format!("{op} (8|M0) r10.0<1>:{ty} {immediate}"));
        }
    }
}

fn two_sources(family: Family, op: &str, out: &mut Vec<String>) {
    let r = packed(family);
    for ty in ["d", "f"] {
        for src in unusual_sources() {
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} {src}:{ty} r14.0{r}:{ty}"
            ));
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} r12.0{r}:{ty} {src}:{ty}"
            ));
        }
        for dst in DESTINATIONS {
            out.push(format!(
                "{op} (8|M0) {dst}:{ty} r12.0{r}:{ty} r14.0{r}:{ty}"
            ));
        }
    }
    for ty in types() {
        for immediate in IMMEDIATES {
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{ty} r12.0{r}:{ty} {immediate}"
            ));
        }
    }
    for kinds in [&INTEGERS[..6], &FLOATS[..3]] {
        for a in kinds {
            for b in kinds {
                out.push(format!(
                    "{op} (8|M0) r10.0<1>:{a} r12.0{r}:{a} r14.0{r}:{b}"
                ));
                out.push(format!(
                    "{op} (8|M0) r10.0<1>:{b} r12.0{r}:{a} r14.0{r}:{b}"
                ));
            }
        }
    }
}

fn three_sources(family: Family, op: &str, out: &mut Vec<String>) {
    let r = packed3(family);
    let op = if op == "bfn" { "bfn.0x96" } else { op };
    let form = |dst: &str, [a, b, c]: [&str; 3], ty: &str| {
        format!("{op} (8|M0) {dst}:{ty} {a}:{ty} {b}:{ty} {c}:{ty}")
    };
    let usual = [format!("r12.0{r}"), format!("r14.0{r}"), "r16.0<1>".into()];
    for ty in ["d", "f", "hf", "w"] {
        let sources = [&usual[0], &usual[1], &usual[2]].map(String::as_str);
        for dst in [
            "null<1>",
            "acc0.0<1>",
            "acc1.0<2>",
            "a0.0<1>",
            "r127.0<1>",
            "r0.0<1>",
        ] {
            out.push(form(dst, sources, ty));
        }
        for register in ["null", "acc0.0", "acc1.0", "a0.0", "f0.0", "r0.0", "r127.0"] {
            for place in 0..3 {
                for region in [
                    if place == 2 { "<1>" } else { r },
                    ["<0;0>", "<0;0>", "<0>"][place],
                ] {
                    let operand = format!("{register}{region}");
                    let mut sources = sources;
                    sources[place] = &operand;
                    out.push(form("r10.0<1>", sources, ty));
                }
            }
        }
    }
    for dst in ["w", "d", "f", "hf"] {
        for immediate in ["0x1234:uw", "5:w", "1.5:hf", "1.0:bf"] {
            let (a, b) = (format!("r12.0{r}:{dst}"), format!("r14.0{r}:{dst}"));
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{dst} {immediate} {b} r16.0<1>:{dst}"
            ));
            out.push(format!("{op} (8|M0) r10.0<1>:{dst} {a} {b} {immediate}"));
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{dst} {a} {immediate} r16.0<1>:{dst}"
            ));
            out.push(format!(
                "{op} (8|M0) r10.0<1>:{dst} {immediate} {b} {immediate}"
            ));
        }
    }
}

fn math(family: Family, out: &mut Vec<String>) {
    let r = packed(family);
    for function in MathFunction::ALL.into_iter().filter(|f| !f.is_macro()) {
        let op = format!("math.{}", function.mnemonic());
        let two = function.sources() == 2;
        for ty in ["f", "hf", "d", "ud"] {
            let second = if two {
                format!(" r14.0{r}:{ty}")
            } else {
                String::new()
            };
            for src in unusual_sources() {
                out.push(format!("{op} (8|M0) r10.0<1>:{ty} {src}:{ty}{second}"));
            }
            for dst in DESTINATIONS {
                out.push(format!("{op} (8|M0) {dst}:{ty} r12.0{r}:{ty}{second}"));
            }
            for immediate in IMMEDIATES {
                let first = if two {
                    format!(" r12.0{r}:{ty}")
                } else {
                    String::new()
                };
                out.push(format!("{op} (8|M0) r10.0<1>:{ty}{first} {immediate}"));
            }
        }
    }
}

/// Register numbers (for `mov` all of them), and every sub-register.
fn registers(family: Family, opcode: Opcode, out: &mut Vec<String>) {
    let (op, r3) = (opcode.mnemonic(), packed3(family));
    let (bytes, ty) = match opcode {
        Opcode::Mov => (1, "ub"),
        _ => (4, "d"),
    };
    let form = |dst: &str, [a, b, c]: [&str; 3]| match opcode {
        Opcode::Mov => format!("(W) {op} (1|M0) {dst}<1>:{ty} {a}<0;1,0>:{ty}"),
        Opcode::Add => format!("(W) {op} (1|M0) {dst}<1>:{ty} {a}<0;1,0>:{ty} {b}<0;1,0>:{ty}"),
        _ => format!("{op} (8|M0) {dst}<1>:f {a}{r3}:f {b}{r3}:f {c}<1>:f"),
    };

    let edges = [0, 1, 31, 32, 63, 64, 127, 128, 191, 192, 254, 255];
    let numbers = (0..=255u32).filter(|n| opcode == Opcode::Mov || edges.contains(n));
    let sweep = numbers.map(|n| format!("r{n}.0"));
    let subregs = (0..64 / bytes).map(|n| format!("r10.{n}"));
    for register in sweep.chain(subregs) {
        out.push(form(&register, ["r12.0", "r14.0", "r16.0"]));
        out.push(form("r10.0", [&register, "r14.0", "r16.0"]));
        if opcode != Opcode::Mov {
            out.push(form("r10.0", ["r12.0", &register, "r16.0"]));
        }
        if opcode == Opcode::Mad {
            out.push(form("r10.0", ["r12.0", "r14.0", &register]));
        }
    }
}
