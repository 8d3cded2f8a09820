//! Compares what a kernel's directives ask for with what its platform has.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use devinfo::{Family, PLATFORMS, Platform};

use super::{Diagnostic, KernelDirectives, Line, Severity, Validation};
use crate::code::{decode, traits};
use crate::model::{Dst, Instruction, RegFile, Src};
use crate::validate::{self, Machine, Validator};

/// Reports widths and numbers of registers that the platform lacks; if that is unknown, those that
/// every platform of the family lacks.
pub fn check_directives(
    family: Family,
    named: Option<&Platform>,
    directives: &KernelDirectives,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let name = named.map_or(format!("{family}"), |platform| format!("{platform}"));
    let platforms = || {
        let all = PLATFORMS.iter();
        all.filter(move |platform| match named {
            Some(named) => *platform == named,
            None => platform.family == family,
        })
    };
    let mut refuse = |what: &str, value: u32, span, has: fn(&Platform) -> Vec<u32>| {
        let mut there: Vec<u32> = platforms().flat_map(has).collect();
        there.sort_unstable();
        there.dedup();
        if !there.contains(&value) {
            let list: Vec<String> = there.iter().map(|value| format!("{value}")).collect();
            diagnostics.push(
                Diagnostic::error(span, format!("{name} has no kernels of {what} {value}"))
                    .with_help(format!("possible are {}", list.join(", "))),
            );
        }
    };
    // A kernel of one lane runs at any width.
    if let (Some(simd @ 2..), Some(span)) = (directives.simd, directives.simd_span) {
        refuse("SIMD width", simd.into(), span, |platform| {
            platform.simd_widths.iter().map(|w| u32::from(*w)).collect()
        });
    }
    if let (Some(grf), Some(span)) = (directives.grf, directives.grf_span) {
        refuse("a register count of", grf.into(), span, |platform| {
            platform.grf_counts.iter().map(|n| u32::from(*n)).collect()
        });
    }
}

/// The most registers that an operand reaches: a message has fewer than 32.
const REACH: u16 = 32;

/// Reports registers and scoreboard tokens beyond those of the kernel's threads. Text that is not a
/// kernel to run (neither named nor with a number of registers) may use all that exist.
pub fn check_code(
    family: Family,
    directives: &KernelDirectives,
    code: &[u8],
    lines: &[Line],
    validation: Validation,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let registers = directives.registers();
    let tokens = traits(family).tokens(Some(registers));
    let is_kernel = directives.grf.is_some() || !directives.name.is_empty();
    let all = registers >= traits(family).most_registers();
    if !is_kernel || all {
        return;
    }
    let validator = Validator::new(Machine::from(family).with_registers(registers));
    let help = || String::from("`//.grf 256` gives a kernel all 256 registers and all tokens");
    for line in lines {
        let (offset, span) = (line.offset(), line.span());
        let rest = code.get(offset..).unwrap_or_default();
        let Ok((instruction, _)) = decode(family, rest) else {
            continue;
        };
        if let Some(token) = instruction.swsb.token
            && token.id >= tokens
        {
            let text = format!(
                "there is no token ${}, a thread with {registers} registers has {tokens}",
                token.id
            );
            diagnostics.push(Diagnostic::error(span, text).with_help(help()));
        }
        if validation == Validation::Off
            || !names_beyond(&instruction, registers.saturating_sub(REACH))
        {
            continue;
        }
        let violation = validator
            .check(&instruction)
            .find(|violation| validate::is_about_registers(violation.rule));
        if let Some(violation) = violation {
            diagnostics.push(Diagnostic {
                severity: match validation {
                    Validation::Deny => Severity::Error,
                    Validation::Warn | Validation::Off => Severity::Warning,
                },
                span,
                message: format!(
                    "{}: {}: the kernel has {registers}",
                    instruction.opcode, violation.rule.text
                ),
                help: Some(help()),
            });
        }
    }
}

/// Whether an operand is general register `first` or a later one.
fn names_beyond(instruction: &Instruction, first: u16) -> bool {
    let sources = instruction.src.iter().map(|src| match src {
        Src::Direct { reg, .. } | Src::Macro { reg, .. } => Some(reg),
        _ => None,
    });
    let dst = match &instruction.dst {
        Dst::Direct { reg, .. } | Dst::Macro { reg, .. } => Some(reg),
        _ => None,
    };
    let mut registers = sources.chain([dst]).flatten();
    registers.any(|reg| reg.file == RegFile::Grf && u16::from(reg.number) >= first)
}
