//! What kind of kernel file this is, told apart by content.

use std::path::Path;

use crate::exit::Error;
use crate::files;

const ELF_MAGIC: &[u8] = b"\x7fELF";
const ARCHIVE_MAGIC: &[u8] = b"!<arch>\n";
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// A kernel file in memory.
#[derive(Clone, Debug)]
pub struct KernelFile {
    /// The path as given, for messages.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of kernel files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ELF files: one zebin, or those of an archive, one a device.
    Zebin(Vec<Vec<u8>>),
    /// EU assembly with directives.
    Assembly(String),
    /// OpenCL C.
    OpenClC(String),
    /// SPIR-V.
    SpirV(Vec<u8>),
    /// None of these: the bare bytes of EU instructions, if the caller can say what for.
    Raw(Vec<u8>),
}

impl Kind {
    /// The kind in words, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Kind::Zebin(_) => "zebin",
            Kind::Assembly(_) => "EU assembly",
            Kind::OpenClC(_) => "OpenCL C",
            Kind::SpirV(_) => "SPIR-V",
            Kind::Raw(_) => "raw EU instructions",
        }
    }
}

impl KernelFile {
    /// Reads and classifies a file (`-` is stdin).
    ///
    /// # Errors
    /// [`Error::Rejected`] if it cannot be read, is empty, or is a broken archive.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = if files::is_stream(path) {
            "<stdin>".to_owned()
        } else {
            path.display().to_string()
        };
        let bytes = files::read(path)?;
        let kind = classify(bytes).map_err(|e| Error::Rejected(format!("{name}: {e}")))?;
        Ok(Self { name, kind })
    }

    /// An error about this file.
    pub fn rejected(&self, reason: impl std::fmt::Display) -> Error {
        Error::Rejected(format!("{}: {reason}", self.name))
    }
}

fn classify(bytes: Vec<u8>) -> Result<Kind, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    if bytes.starts_with(ELF_MAGIC) {
        return Ok(Kind::Zebin(vec![bytes]));
    }
    if bytes.starts_with(ARCHIVE_MAGIC) {
        return archive(&bytes).map(Kind::Zebin);
    }
    let magic = bytes.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
    if magic == Some(SPIRV_MAGIC) || magic == Some(SPIRV_MAGIC.swap_bytes()) {
        return Ok(Kind::SpirV(bytes));
    }
    match String::from_utf8(bytes) {
        Ok(text) if is_text(&text) => Ok(classify_text(text)),
        Ok(text) => Ok(Kind::Raw(text.into_bytes())),
        Err(error) => Ok(Kind::Raw(error.into_bytes())),
    }
}

fn is_text(text: &str) -> bool {
    text.chars()
        .all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\x0c'))
}

/// OpenCL C must say `kernel` outside of a comment line; assembly has its directives in comments
/// and no such word.
fn classify_text(text: String) -> Kind {
    let directive = text.lines().any(|line| {
        let line = line.trim_start();
        ["//.platform", "//.kernel", "//.simd"]
            .iter()
            .any(|d| line.starts_with(d))
    });
    let opencl = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .any(|word| matches!(word, "kernel" | "__kernel"));
    if opencl && !directive {
        Kind::OpenClC(text)
    } else {
        Kind::Assembly(text)
    }
}

/// The ELF members of the archive that ocloc writes for several devices.
///
/// A member has a header of 60 bytes with its size in decimal at 48..58 and begins at an even
/// offset (ar(5)). Between the members ocloc puts `pad_N` members for alignment.
fn archive(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    const HEADER: usize = 60;
    let mut members = Vec::new();
    let mut at = ARCHIVE_MAGIC.len();
    while at < bytes.len() {
        let broken = |what: &str| format!("broken archive: {what} at offset {at:#x}");
        let header = bytes
            .get(at..at + HEADER)
            .ok_or_else(|| broken("cut member header"))?;
        let size = header
            .get(48..58)
            .and_then(|field| std::str::from_utf8(field).ok())
            .and_then(|field| field.trim_end().parse::<usize>().ok())
            .ok_or_else(|| broken("no size in the member header"))?;
        let begin = at + HEADER;
        let member = begin
            .checked_add(size)
            .and_then(|end| bytes.get(begin..end))
            .ok_or_else(|| broken("the file ends inside the member"))?;
        if member.starts_with(ELF_MAGIC) {
            members.push(member.to_vec());
        }
        at = (begin + size).next_multiple_of(2);
    }
    if members.is_empty() {
        return Err("the archive has no zebin in it".to_owned());
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut out = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            644,
            content.len()
        )
        .into_bytes();
        assert_eq!(out.len(), 60);
        out.extend(content);
        if content.len() % 2 == 1 {
            out.push(b'\n');
        }
        out
    }

    #[test]
    fn binaries_by_magic() {
        assert_eq!(
            classify(b"\x7fELF1".to_vec()),
            Ok(Kind::Zebin(vec![b"\x7fELF1".to_vec()]))
        );
        assert!(matches!(
            classify(b"\x03\x02\x23\x07rest".to_vec()),
            Ok(Kind::SpirV(_))
        ));
        assert!(matches!(classify(vec![0x61, 0, 3, 0]), Ok(Kind::Raw(_))));
        assert!(matches!(classify(vec![0xff, 0xfe]), Ok(Kind::Raw(_))));
        assert!(classify(vec![]).is_err());
    }

    #[test]
    fn text_by_what_it_says() {
        let kind = |text: &str| classify(text.as_bytes().to_vec()).unwrap();
        assert!(matches!(
            kind("kernel void f(global int *a) {}"),
            Kind::OpenClC(_)
        ));
        assert!(matches!(
            kind("// x\n__kernel void f() {}"),
            Kind::OpenClC(_)
        ));
        assert!(matches!(
            kind("//.platform tgl\n//.kernel k\nnop\n"),
            Kind::Assembly(_)
        ));
        assert!(matches!(
            kind("// a kernel that does nothing\nnop\n"),
            Kind::Assembly(_)
        ));
    }

    #[test]
    fn archives_give_their_zebins() {
        let mut bytes = ARCHIVE_MAGIC.to_vec();
        bytes.extend(member("pad_0", b"12345"));
        bytes.extend(member("64.12.0.0", b"\x7fELFa"));
        bytes.extend(member("64.9.0.9", b"\x7fELFb"));
        let expected = vec![b"\x7fELFa".to_vec(), b"\x7fELFb".to_vec()];
        assert_eq!(classify(bytes.clone()), Ok(Kind::Zebin(expected)));
        for end in ARCHIVE_MAGIC.len() + 1..bytes.len() - 1 {
            // Cuts between members leave a valid, shorter archive.
            if let Err(error) = classify(bytes[..end].to_vec()) {
                assert!(error.contains("archive"), "{error}");
            }
        }
        assert!(
            classify(bytes[..100].to_vec())
                .unwrap_err()
                .contains("cut member header")
        );
        let mut huge = ARCHIVE_MAGIC.to_vec();
        huge.extend(member("a", b""));
        huge[8 + 48..8 + 58].copy_from_slice(b"9999999999");
        assert!(classify(huge).unwrap_err().contains("ends inside"));
    }
}
