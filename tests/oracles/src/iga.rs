//! Intel's assembler as a child process.

#![allow(
    clippy::unwrap_used,
    reason = "this crate is only called by tests, which fail by panicking"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use devinfo::Family;

/// An iga64 that knows a family.
#[derive(Debug)]
pub struct Iga {
    program: PathBuf,
    leading: Vec<String>,
    platform: &'static str,
}

/// What iga64 says about descriptors.
#[derive(Debug)]
pub struct Meaning {
    /// The symbol and, in brackets, a description; empty if it does not know the message.
    pub symbol: String,
    /// Errors and warnings.
    pub errors: Vec<String>,
}

/// The name of a family for `-p`; `None` if no iga64 knows it.
fn platform(family: Family) -> Option<&'static str> {
    Some(match family {
        Family::Gen8 => "8",
        Family::Gen9 => "9",
        Family::Gen11 => "11",
        Family::Gen12Lp => "12p1",
        Family::XeHpg => "12p71",
        Family::XeHpc => "12p72",
        Family::Xe2 => "2",
        Family::Xe3 => return None,
    })
}

/// The oracle of a family: `iga64`, and for Xe2 the command in `NEWER_IGA64` (words separated by
/// spaces). `None` if no iga64 knows the family (Xe3), or if it is not installed, which is
/// [`crate::missing`] or [`crate::skipped`].
///
/// # Panics
/// If it is missing and `ORACLES=required` is set.
pub fn find(family: Family) -> Option<Iga> {
    let platform = platform(family)?;
    let command = match family {
        Family::Xe2 => crate::variable("NEWER_IGA64", "iga64 that knows Xe2")?,
        _ => "iga64".to_owned(),
    };
    let mut words = command.split_whitespace();
    let program = words.next()?;
    let leading: Vec<&str> = words.collect();
    let arguments = [leading.as_slice(), &["-h"]].concat();
    let here = crate::program(program, &arguments, "iga64 (Debian package libigc-tools)");
    here.then(|| Iga {
        program: program.into(),
        leading: leading.into_iter().map(str::to_owned).collect(),
        platform,
    })
}

/// An instruction's bytes as a number, without the bits that Intel's assembler leaves undefined, or
/// writes regardless of the text: the region of source 0 of calls to Gen11, whose target is an
/// immediate, and of the payload of Gen8's sends, which is whole registers.
pub fn defined_bits(family: Family, bytes: &[u8]) -> u128 {
    const CALLS: [u8; 2] = [0x2b, 0x2c];
    const SENDS: [u8; 2] = [0x31, 0x32];
    const REGION: u128 = 0x1ff << 80;
    let mut word = [0; 16];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let code = bytes.first().map_or(0, |byte| byte & 0x7f);
    let undefined = match family {
        Family::Gen8 => CALLS.contains(&code) || SENDS.contains(&code),
        Family::Gen9 | Family::Gen11 => CALLS.contains(&code),
        Family::Gen12Lp | Family::XeHpg | Family::XeHpc | Family::Xe2 | Family::Xe3 => false,
    };
    u128::from_le_bytes(word) & !if undefined { REGION } else { 0 }
}

impl Iga {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.leading);
        command
    }

    /// The mnemonics that it lists for the family.
    ///
    /// # Panics
    /// If it does not start.
    pub fn mnemonics(&self) -> BTreeSet<String> {
        let mut command = self.command();
        let output = command.args(["-Xlist-ops", "-p"]).arg(self.platform);
        let output = output.output().unwrap();
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect()
    }

    /// Assembles `text`.
    ///
    /// # Errors
    /// What iga64 printed.
    ///
    /// # Panics
    /// If it does not start, or without a folder for its files.
    pub fn assemble(&self, text: &str) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("in.asm");
        let binary = folder.path().join("out.krn");
        std::fs::write(&source, text).unwrap();
        self.run(&["-a"], &source, &binary)
    }

    /// Assembles `text` with further options.
    ///
    /// # Errors
    /// What iga64 printed.
    ///
    /// # Panics
    /// As [`Iga::assemble`].
    pub fn assemble_with(&self, options: &[&str], text: &str) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("in.asm");
        let binary = folder.path().join("out.krn");
        std::fs::write(&source, text).unwrap();
        let modes: Vec<&str> = ["-a"].iter().chain(options).copied().collect();
        self.run(&modes, &source, &binary)
    }

    /// Disassembles `code`.
    ///
    /// # Errors
    /// What iga64 printed.
    ///
    /// # Panics
    /// As [`Iga::assemble`].
    pub fn disassemble(&self, code: &[u8]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("in.krn");
        let text = folder.path().join("out.asm");
        std::fs::write(&source, code).unwrap();
        let bytes = self.run(&["-d"], &source, &text)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What its descriptor decoder (`-Xdsd`) prints for descriptors: the line with the symbol, and
    /// the errors. `function` is the suffix of `send`, `id` the function's number.
    ///
    /// # Panics
    /// If it does not start.
    pub fn descriptors(&self, function: &str, id: u8, extended: u32, descriptor: u32) -> Meaning {
        let mut command = self.command();
        command.arg(format!("-p={}", self.platform)).arg("-Xdsd");
        // Up to Gen11 the function is in the extended descriptor.
        match self.platform.parse::<u8>() {
            Ok(8..) => command.arg(format!("{:#x}", extended | u32::from(id))),
            _ => command.arg(function).arg(format!("{extended:#x}")),
        };
        let output = command.arg(format!("{descriptor:#x}")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let symbol = text
            .lines()
            .skip(1)
            .find(|line| !line.is_empty() && !line.starts_with([' ', 'D', 'E']));
        Meaning {
            symbol: symbol.unwrap_or_default().trim().to_owned(),
            errors: String::from_utf8_lossy(&output.stderr)
                .lines()
                .map(str::to_owned)
                .collect(),
        }
    }

    fn run(&self, modes: &[&str], source: &Path, out: &Path) -> Result<Vec<u8>, String> {
        let output = self
            .command()
            .args(modes)
            .args(["-q", "-p"])
            .arg(self.platform)
            .arg(source)
            .arg("-o")
            .arg(out)
            .output()
            .unwrap();
        match std::fs::read(out) {
            Ok(bytes) if output.status.success() => Ok(bytes),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// The bytes of each line that iga64 accepts, each line assembled on its own; `None` for the
    /// others. Lines are instructions without labels.
    ///
    /// # Panics
    /// As [`Iga::assemble`].
    pub fn assemble_lines(&self, lines: &[String]) -> Vec<Option<Vec<u8>>> {
        let mut out = vec![None; lines.len()];
        for (chunk, place) in lines.chunks(500).zip(out.chunks_mut(500)) {
            self.assemble_chunk(chunk, place);
        }
        out
    }

    fn assemble_chunk(&self, lines: &[String], out: &mut [Option<Vec<u8>>]) {
        let mut live: Vec<usize> = (0..lines.len()).collect();
        while !live.is_empty() {
            let text: String = live.iter().map(|&i| lines[i].clone() + "\n").collect();
            match self.assemble(&text) {
                Ok(code) => {
                    let mut rest = code.as_slice();
                    for &i in &live {
                        let short = rest.get(3).is_some_and(|byte| byte & 0x20 != 0);
                        let Some((bytes, more)) = rest.split_at_checked(if short { 8 } else { 16 })
                        else {
                            break;
                        };
                        out[i] = Some(bytes.to_vec());
                        rest = more;
                    }
                    return;
                }
                Err(messages) => {
                    let bad: BTreeSet<usize> = messages
                        .lines()
                        .filter(|line| line.contains("error"))
                        .filter_map(error_line)
                        .collect();
                    let before = live.len();
                    let mut number = 0;
                    live.retain(|_| {
                        number += 1;
                        !bad.contains(&number)
                    });
                    if live.len() == before {
                        // The error names no line: halve.
                        if before == 1 {
                            return;
                        }
                        let (left, right) = lines.split_at(lines.len() / 2);
                        let (out_left, out_right) = out.split_at_mut(left.len());
                        self.assemble_chunk(left, out_left);
                        self.assemble_chunk(right, out_right);
                        return;
                    }
                }
            }
        }
    }
}

/// The line number in `…line 12.34: error: …`.
fn error_line(message: &str) -> Option<usize> {
    let rest = &message[message.find("line ")? + 5..];
    rest.split(['.', ':']).next()?.trim().parse().ok()
}
