//! Descriptors mean what Intel's descriptor decoder says.
//!
//! `vectors/messages.txt` holds one case per line: family, shared function, extended descriptor,
//! descriptor, and the symbol that `iga64 -Xdsd` prints, or `-` if it refuses the descriptors. To
//! regenerate them, with iga64 1.1.0 on the path and the newer iga64 in `NEWER_IGA64`:
//!
//! ```text
//! BLESS=1 cargo test -p isa-encoder --test messages_iga
//! ```
//!
//! Where we do not agree, [`disagreement`] says why.
#![cfg(test)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;

use common::symbols::symbol;
use common::vectors;
use devinfo::{Family, span};
use isa_encoder::Sfid;
use isa_encoder::message::{Descriptors, Message};
use oracles::Random;
use oracles::iga::{self, Iga, Meaning};

/// The seed of the committed cases, and of those passed to iga64 on each run.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const LIVE_SEED: u64 = 0x2545_f491_4f6c_dd1d;

const FUNCTIONS: [Sfid; 15] = [
    Sfid::DataPort0,
    Sfid::DataPort1,
    Sfid::DataPort2,
    Sfid::ConstantCache,
    Sfid::Sampler,
    Sfid::Gateway,
    Sfid::ThreadSpawner,
    Sfid::Ugm,
    Sfid::Ugml,
    Sfid::Tgm,
    Sfid::Slm,
    Sfid::Urb,
    Sfid::RenderCache,
    Sfid::RayTracing,
    Sfid::BindlessThreadDispatch,
];

/// Lengths of one register each.
const LENGTHS: u32 = 1 << 25 | 1 << 20;

/// `(extended descriptor, descriptor)` of each message type of a function, with random fields.
fn cases(family: Family, function: Sfid, random: &mut Random) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    match function {
        Sfid::DataPort0 | Sfid::DataPort1 | Sfid::ConstantCache => {
            for kind in 0..32 {
                for control in [0x10, 0x08] {
                    out.push((0, LENGTHS | kind << 14 | control << 8 | 0xff));
                }
                for _ in 0..4 {
                    let surface = random.pick(&[0, 5, 0xef, 0xf1, 0xfd, 0xfe, 0xff, 0xff]);
                    let control = random.bits() as u32 & 0x3f;
                    out.push((0, LENGTHS | kind << 14 | control << 8 | surface));
                }
            }
        }
        Sfid::DataPort2 => {
            for kind in 0..32 {
                out.push((0, LENGTHS | kind << 14 | random.bits() as u32 & 0x3fff));
            }
        }
        Sfid::Sampler => {
            // Bit 31, part of the type on Xe2, does not belong to the descriptor before Gen12LP.
            let last = if span!(Xe2..).contains(family) {
                64
            } else {
                32
            };
            for kind in 0..last {
                for mode in 0..8 {
                    let other = random.bits() as u32 & (1 << 30 | 0xfff);
                    let mode = (mode & 3) << 17 | (mode >> 2) << 29;
                    let kind = (kind & 31) << 12 | (kind >> 5) << 31;
                    out.push((0, LENGTHS | kind | mode | other));
                }
            }
        }
        Sfid::RenderCache => {
            let (extended, descriptor) = match family {
                Family::Xe2 => (0x00f0_f000, 1 << 29 | 0x7_3bff),
                _ => (0, 1 << 30 | 0x4_3fff),
            };
            // Columns of existing types, and a few of others.
            for kind in [0xc, 0xc, 0xc, 0xc, 0xd, 0xd, 0x0, 0xe] {
                for _ in 0..8 {
                    let bits = random.bits() as u32 & descriptor & !(0xf << 14);
                    let extended = random.bits() as u32 & if kind == 0xc { extended } else { 0 };
                    out.push((extended, LENGTHS | kind << 14 | bits));
                }
            }
        }
        Sfid::Urb if span!(..=XeHpc).contains(family) => {
            for kind in 0..16 {
                out.push((0, LENGTHS | kind | random.bits() as u32 & 0x2_fff0));
            }
        }
        Sfid::RayTracing | Sfid::BindlessThreadDispatch => {
            for kind in 0..16 {
                out.push((0, LENGTHS | kind << 14));
                out.push((0, LENGTHS | kind << 14 | 1 << 8));
            }
        }
        Sfid::Gateway | Sfid::ThreadSpawner => {
            for kind in 0..16 {
                out.push((0, LENGTHS | kind));
            }
        }
        _ => {
            for code in 0..64 {
                for _ in 0..4 {
                    out.push(load_store(family, code, random));
                }
            }
            for flush in 0..8 {
                out.push((0, LENGTHS | flush << 12 | 0x1f));
            }
        }
    }
    out
}

fn load_store(family: Family, code: u32, random: &mut Random) -> (u32, u32) {
    let xe2 = span!(Xe2..).contains(family);
    let kind = random.pick(&[0, 0, 1, 2, 3]);
    let bits = random.bits() as u32;
    let extended = match kind {
        0 if xe2 => bits & 0xffff_f000,
        0 => 0,
        3 if xe2 => bits & 0xffff_f000,
        3 => bits & 0xff00_0000,
        _ => bits & 0xffff_f000,
    };
    // Bits that an opcode does not use are left at zero: iga64 prints some of them.
    let shape = match code {
        0x00..=0x02 | 0x04..=0x06 | 0x1c | 0x20 => random.bits() as u32 & 0xf000,
        0x03 | 0x07 => random.bits() as u32 & 0x8000,
        0x1b | 0x1f => random.bits() as u32 & 0x7000,
        _ => 0,
    };
    let size = random.pick(&[1, 2, 3, 2]) << 7 | random.pick(&[0, 1, 2, 2, 3, 4, 5, 6, 7]) << 9;
    let cache = match xe2 {
        true => random.pick(&[0, 2, 4, 5, 6, 8, 9, 10, 12, 14]) << 16,
        false => (random.bits() as u32 & 7) << 17,
    };
    let cache = if code == 0x1d {
        cache & 0x6_0000
    } else {
        cache
    };
    (extended, LENGTHS | kind << 29 | cache | shape | size | code)
}

struct Case {
    family: Family,
    function: Sfid,
    extended: u32,
    descriptor: u32,
    /// `-` if iga64 refuses.
    symbol: String,
}

/// What iga64 says of a case; warnings about reserved bits and headers are not refusals.
fn verdict(family: Family, function: Sfid, meaning: &Meaning) -> String {
    let refused = meaning.errors.iter().any(|error| {
        ![
            "undefined field",
            "field should be",
            "header",
            "L3 implies",
            // The channels are those of the instruction.
            "dual write must be SIMD16",
            "stride offset",
        ]
        .iter()
        .any(|warning| error.contains(warning))
    });
    let Some((symbol, description)) = meaning.symbol.split_once(" (") else {
        return "-".to_owned();
    };
    let unknown = ["<<invalid>>", "???"]
        .iter()
        .any(|word| meaning.symbol.contains(word));
    if refused || unknown || symbol.contains("?[") || symbol.starts_with("rt.") {
        return "-".to_owned();
    }
    if span!(Xe2..).contains(family) && function == Sfid::Sampler {
        // Only the description has the operation: `simd16 sample:u,v,r using …`.
        let words = description.split(" using").next().unwrap_or_default();
        let operation = words.rsplit(' ').next().unwrap_or_default();
        return format!("{symbol} {operation}");
    }
    if span!(Xe2..).contains(family) && function == Sfid::RenderCache {
        let symbol = symbol.replace(".hdr", "").replace(".hi16", "");
        // Reads are never the last.
        return match symbol.starts_with("rtr") {
            true => symbol.replace(".lrts", ""),
            false => symbol,
        };
    }
    // Blocks of pixels: the rest is a size that iga64 derives from the lengths.
    match symbol.starts_with("hdc_mb") {
        true => symbol[..symbol.find(".a32").unwrap_or(symbol.len())].to_owned(),
        false => symbol.to_owned(),
    }
}

fn ask(iga: &Iga, family: Family, function: Sfid, (extended, descriptor): (u32, u32)) -> Case {
    let id = function.id(family).unwrap();
    let meaning = iga.descriptors(function.mnemonic(), id, extended, descriptor);
    Case {
        family,
        function,
        extended,
        descriptor,
        symbol: verdict(family, function, &meaning),
    }
}

fn functions(family: Family) -> impl Iterator<Item = Sfid> {
    FUNCTIONS
        .into_iter()
        .filter(move |function| function.id(family).is_ok())
}

fn bless() {
    let mut text = String::new();
    for family in Family::ALL {
        let iga = iga::find(family).expect("iga64 of each family");
        for function in functions(family) {
            for case in cases(family, function, &mut Random::new(SEED)) {
                let case = ask(&iga, family, function, case);
                let name = vectors::name(family);
                let (extended, descriptor) = (case.extended, case.descriptor);
                let _ = writeln!(
                    text,
                    "{name} {function} {extended:08x} {descriptor:08x} {}",
                    case.symbol
                );
            }
        }
    }
    std::fs::write(vectors::path("messages"), text).unwrap();
}

fn committed() -> Vec<Case> {
    let text = std::fs::read_to_string(vectors::path("messages")).unwrap();
    let hex = |word: &str| u32::from_str_radix(word, 16).unwrap();
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.splitn(5, ' ').collect();
            let &[family, function, extended, descriptor, symbol] = words.as_slice() else {
                panic!("{line}");
            };
            let family = vectors::family(family);
            Case {
                family,
                function: functions(family)
                    .find(|row| row.mnemonic() == function)
                    .unwrap(),
                extended: hex(extended),
                descriptor: hex(descriptor),
                symbol: symbol.to_owned(),
            }
        })
        .collect()
}

/// Why we disagree with iga64, depending on the descriptor, and the evidence for our reading.
fn disagreement(case: &Case) -> Option<&'static str> {
    let family = case.family;
    let descriptor = case.descriptor;
    let theirs = case.symbol.as_str();
    let bits = |high: u32, low: u32| descriptor >> low & (u32::MAX >> (31 - (high - low)));
    let kind = bits(18, 14);
    let old = span!(..=Gen11).contains(family);
    let before_xe_hpg = span!(..=Gen12Lp).contains(family);
    let before_xe2 = span!(..=XeHpc).contains(family);
    match case.function {
        Sfid::DataPort0 | Sfid::DataPort1 | Sfid::ConstantCache
            if matches!(bits(7, 0), 0xf0..=0xfb) && theirs.contains("bti[") =>
        {
            Some("binding table indices 0xf0 to 0xfb are reserved (TGL PRM vol 7, MDC_BTS)")
        }
        Sfid::DataPort0 => match kind {
            0x09 => Some("hwords, from XeHPG on (IGC Common_GEN.h); iga64 counts owords"),
            0x02 | 0x0a => Some("iga64 does not know dual blocks (Mesa brw_eu_defines.h does)"),
            0x0d => Some("iga64 1.1.0 says that qword writes are reads; its later sources do not"),
            0x04 | 0x0c if bits(11, 10) == 3 => {
                Some("bytes have sizes 0 to 2 (Mesa GFX7_BYTE_SCATTERED_DATA_ELEMENT_*)")
            }
            0x00 | 0x01 | 0x08 if bits(10, 8) > 4 - u32::from(theirs.contains("256")) => Some(
                "blocks have no such size (Mesa BRW_DATAPORT_OWORD_BLOCK_*, TGL PRM MDC_DB_HW)",
            ),
            _ => None,
        },
        Sfid::DataPort1 => match kind {
            0x03 | 0x07 | 0x0c | 0x13 | 0x1c | 0x1e if old => {
                Some("SIMD4x2 to Gen11 (Mesa HSW_DATAPORT_DC_PORT1_*_SIMD4X2)")
            }
            0x01 | 0x09 | 0x11 | 0x19 if old && bits(13, 12) == 0 => {
                Some("SIMD4x2 to Gen11 (IGC Common_GEN.h, MDC_SM3_SIMD4x2)")
            }
            0x1b..=0x1e if before_xe_hpg && bits(10, 8) >= 4 => {
                Some("float addition exists from XeHPG on (iga64's own sources say so)")
            }
            0x03 | 0x07 | 0x0c | 0x13 if bits(11, 8) == 0 => {
                Some("a swap of qwords is none of halves (TGL PRM vol 7, MDC_AOP3)")
            }
            0x12 if bits(12, 12) == 1 && bits(11, 8) == 0 => {
                Some("a swap of double qwords does not exist (Mesa BRW_AOP_*)")
            }
            0x02 | 0x03 | 0x0b | 0x0c | 0x1b..=0x1e if family == Family::XeHpc && theirs == "-" => {
                Some("IGC 22.43 sends the wider form on XeHPC, too")
            }
            0x13 => {
                Some("A64 halves have the narrower form only (Mesa brw_dp_a64_untyped_atomic_desc)")
            }
            0x14 | 0x15 if bits(12, 11) == 2 => {
                Some("iga64 does not know dual blocks (Mesa brw_eu_defines.h does)")
            }
            0x15 if bits(12, 11) == 1 => {
                Some("writes are aligned to owords (IGC A64_BLOCK_MSG_OWORD_UNALIGNED_READ)")
            }
            0x14 | 0x15 if bits(10, 8) > 3 => Some(
                "blocks have no such size (Mesa BRW_DATAPORT_OWORD_BLOCK_*, TGL PRM MDC_DB_HW)",
            ),
            0x10 | 0x1a if bits(11, 10) == 3 => {
                Some("bytes have sizes 0 to 2 (Mesa GFX7_BYTE_SCATTERED_DATA_ELEMENT_*)")
            }
            _ => None,
        },
        Sfid::DataPort2 => Some("iga64 does not know data port 2 (IGC Common_GEN.h does)"),
        Sfid::ConstantCache => match kind {
            0x00 | 0x01 if bits(10, 8) > 4 => Some(
                "blocks have no such size (Mesa BRW_DATAPORT_OWORD_BLOCK_*, TGL PRM MDC_DB_HW)",
            ),
            0x02 => Some("iga64 does not know dual blocks (Mesa brw_eu_defines.h does)"),
            0x0c if before_xe_hpg => {
                Some("compression control exists from XeHPG on (iga64's own sources say so)")
            }
            0x0c | 0x18 if !matches!(bits(11, 8), 1 | 3) => {
                Some("iga64 prints undefined compression operations as if they were defined")
            }
            0x17 if !matches!(bits(7, 0), 0xfd | 0xff) => {
                Some("64-bit addresses have no surface (TGL PRM vol 7, MDC_STATELESS)")
            }
            0x17 if bits(9, 8) & 1 != 0 => {
                Some("iga64 prints undefined compression operations as if they were defined")
            }
            _ => None,
        },
        Sfid::Sampler if span!(Xe2..).contains(family) => match bits(16, 12) | bits(31, 31) << 5 {
            _ if matches!(bits(18, 17) | bits(29, 29) << 2, 0 | 4) => {
                Some("Xe2 has no integer results (iga64's own sources say so)")
            }
            0x11 | 0x14 => {
                Some("the newer iga64 swaps sample_d_c and sample_d_c_mlod (Mesa has 0x14)")
            }
            0x25 | 0x34 => Some("the newer iga64 lacks sample_po_b_c and sample_po_d_c"),
            0x22 => Some("iga64 swaps r and v of sample_po_l"),
            0x2e => Some("iga64 forgets u of gather4_po_b"),
            _ => None,
        },
        Sfid::Sampler if family == Family::Gen8 && matches!(bits(16, 12), 0x18..=0x1c) => {
            Some("level 0 and wide control words exist from Gen9 on (Mesa GFX9_SAMPLER_MESSAGE_*)")
        }
        Sfid::RenderCache if family == Family::Gen8 && bits(17, 14) == 0xd => {
            Some("render targets are read from Gen9 on (Mesa GFX9_DATAPORT_RC_RENDER_TARGET_READ)")
        }
        Sfid::RenderCache if span!(..=Gen9).contains(family) && bits(18, 18) == 1 => {
            Some("coarse pixels exist from Gen11 on (Mesa brw_fb_write_desc)")
        }
        Sfid::RenderCache if bits(17, 14) == 0xd && bits(30, 30) == 1 => {
            Some("reads are of 32 bits (iga64 warns, too)")
        }
        Sfid::Urb if bits(3, 0) == 9 && before_xe_hpg => {
            Some("the fence exists from XeHPG on (Mesa GFX125_URB_OPCODE_FENCE)")
        }
        Sfid::BindlessThreadDispatch if bits(17, 14) == 2 && before_xe2 => {
            Some("iga64 1.1.0 does not know overdispatch; its later sources do")
        }
        Sfid::Gateway => match bits(3, 0) {
            8.. if before_xe2 => Some("iga64 1.1.0 looks at three bits of the opcode"),
            _ if old => Some("codes of Gen8 to Gen11 (Mesa BRW_MESSAGE_GATEWAY_SFID_*)"),
            _ => None,
        },
        Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm | Sfid::Urb => match bits(5, 0) {
            0x1f if bits(14, 12) == 6 => Some("flush 6 is none (Mesa LSC_FLUSH_TYPE_NONE_6)"),
            0x03 | 0x07 if case.function == Sfid::Tgm && before_xe2 => {
                Some("typed blocks exist from Xe2 on; iga64 takes earlier ones for untyped")
            }
            0x1d..=0x1f => None,
            _ if bits(11, 9) == 7 => Some("data size 7 is undefined (Mesa lsc_data_size)"),
            _ => None,
        },
        _ => None,
    }
}

/// Whether we read a case as iga64 does.
fn agrees(case: &Case) -> Result<(), String> {
    let descriptors = Descriptors {
        descriptor: case.descriptor,
        extended: case.extended,
        ..Descriptors::default()
    };
    let ours = Message::decode(case.family, case.function, descriptors);
    let (same, ours) = match &ours {
        Ok(message) if case.symbol == "-" => (
            message.validate(case.family).is_err(),
            format!("{message:?}"),
        ),
        Ok(message) => {
            let ours = symbol(case.family, message);
            (ours.as_ref() == Some(&case.symbol), format!("{ours:?}"))
        }
        Err(error) => (case.symbol == "-", error.to_string()),
    };
    match same {
        true => Ok(()),
        false => Err(format!(
            "{} {} {:#010x} {:#010x}: iga64 {}, we {ours}",
            case.family, case.function, case.extended, case.descriptor, case.symbol
        )),
    }
}

/// The reasons for disagreements; cases without one are printed and are failures.
fn judge(cases: &[Case]) -> BTreeSet<&'static str> {
    let mut reasons = BTreeSet::new();
    let mut unexplained = Vec::new();
    for case in cases {
        let Err(text) = agrees(case) else { continue };
        match disagreement(case) {
            Some(reason) => {
                reasons.insert(reason);
            }
            None => unexplained.push(text),
        }
    }
    let shown: Vec<&String> = unexplained.iter().take(60).collect();
    assert!(
        unexplained.is_empty(),
        "{} of {}: {shown:#?}",
        unexplained.len(),
        cases.len()
    );
    reasons
}

#[test]
fn descriptors_mean_what_iga64_says() {
    if std::env::var_os("BLESS").is_some() {
        bless();
    }
    let cases = committed();
    let reasons = judge(&cases);
    let taken = cases.iter().filter(|case| case.symbol != "-").count();
    assert!(taken > 3_000, "{taken}");
    assert_eq!(
        reasons.len(),
        34,
        "not every reason has a case: {reasons:#?}"
    );
}

#[test]
fn other_descriptors_mean_what_iga64_says() {
    for family in Family::ALL {
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let mut random = Random::new(LIVE_SEED);
        let mut asked = Vec::new();
        for function in functions(family) {
            let cases = cases(family, function, &mut random);
            for case in cases.into_iter().step_by(31) {
                asked.push(ask(&iga, family, function, case));
            }
        }
        judge(&asked);
    }
}
