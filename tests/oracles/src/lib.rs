//! Outside oracles: other people's programs and data that judge ours, and what happens to a test
//! whose oracle is missing.
//!
//! There are two kinds. Programs that Debian 12 packages can be installed anywhere: with
//! `ORACLES=required` in the environment, a missing one is a failure. What an environment variable
//! names (folders with descriptions and headers, newer compilers) is not part of Debian 12, and a
//! test without it is skipped. Skipped tests say so on stderr, bypassing the capture of their
//! output.

pub mod iga;
mod random;

use std::env;
use std::fmt;
use std::io::{self, Write};
use std::process::{Command, Stdio};

pub use random::Random;

/// Whether missing programs are failures.
///
/// # Panics
/// If `ORACLES` says anything but `required`.
pub fn are_required() -> bool {
    let Ok(value) = env::var("ORACLES") else {
        return false;
    };
    assert!(
        value == "required",
        "ORACLES is {value:?}; it can only be \"required\""
    );
    true
}

/// A test's oracle is missing.
///
/// # Panics
/// If `ORACLES=required` is set.
pub fn missing(what: impl fmt::Display) {
    assert!(!are_required(), "ORACLES=required, but there is no {what}");
    skipped(format_args!("there is no {what}"));
}

/// Whether a program starts. If not, it is [`missing`]: `what` says how to get it.
///
/// # Panics
/// If it is missing and `ORACLES=required` is set.
pub fn program(program: &str, arguments: &[&str], what: &str) -> bool {
    let here = starts(program, arguments);
    if !here {
        missing(what);
    }
    here
}

/// [`program`] of Debian 12: whether it is there.
///
/// # Panics
/// If it is missing and `ORACLES=required` is set, or if the package that has it is not known here.
pub fn debian(name: &str) -> bool {
    let package = match name {
        "clang-14" | "clinfo" | "gcc" | "llvm-spirv-14" => name,
        "iga64" => "libigc-tools",
        "ocloc" => "intel-opencl-icd",
        "oclgrind-kernel" => "oclgrind",
        "spirv-as" | "spirv-dis" | "spirv-link" | "spirv-val" => "spirv-tools",
        _ => unreachable!("no package is known to have {name}"),
    };
    let what = format!("{name} (Debian package {package})");
    program(name, &["--version"], &what)
}

/// Whether a program starts, however it ends.
pub fn starts(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// What an environment variable names; without it the test is [`skipped`].
pub fn variable(name: &str, what: &str) -> Option<String> {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        skipped(format_args!("{name} names no {what}"));
    }
    value
}

/// Prints a message, bypassing the capture of the tests' output.
pub fn skipped(why: impl fmt::Display) {
    // If stderr is closed, nobody can read it.
    let _ = writeln!(io::stderr(), "skipped: {why}");
}

/// Bytes as the vectors have them: two digits each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of [`hex`]; `None` if that is no hexadecimal number.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::starts;

    #[test]
    fn a_program_that_fails_has_started() {
        assert!(starts("false", &[]));
        assert!(!starts("no-such-program", &[]));
    }
}
