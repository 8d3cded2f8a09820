//! The kind of a kernel file, detected from its content.

use std::path::{Path, PathBuf};

use umd::Binary;

use crate::exit::Error;
use crate::files;

const SPIRV_MAGIC: u32 = 0x0723_0203;

/// A kernel file in memory.
#[derive(Clone, Debug)]
pub struct KernelFile {
    /// The path as given, for messages.
    pub name: String,
    /// Its folder; the current one for stdin.
    pub folder: PathBuf,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of kernel files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A zebin, or an archive of them, one per device.
    Zebin(Vec<u8>),
    /// EU assembly with directives.
    Assembly(String),
    /// OpenCL C.
    OpenClC(Vec<u8>),
    /// SPIR-V.
    SpirV(Vec<u8>),
    /// None of these: the bare bytes of EU instructions, if the caller knows the platform.
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
    /// [`Error::Rejected`] if it cannot be read or is empty.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (name, bytes) = read_named(path)?;
        let kind = classify(bytes, path.extension().and_then(|e| e.to_str()))
            .map_err(|e| Error::Rejected(format!("{name}: {e}")))?;
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(Self { name, folder, kind })
    }

    /// Reads a file that must be text.
    ///
    /// # Errors
    /// As [`KernelFile::read`], and [`Error::Rejected`] if it is something else.
    pub fn read_text(path: &Path) -> Result<Text, Error> {
        let (name, bytes) = read_named(path)?;
        match recognize(bytes).map_err(|e| Error::Rejected(format!("{name}: {e}")))? {
            Content::Text(text) => Ok(Text { name, text }),
            Content::Other(kind) => {
                // An ELF file may be none of a GPU.
                let broken = match &kind {
                    Kind::Zebin(bytes) => Binary::parse(bytes).err(),
                    _ => None,
                };
                let why = match broken {
                    Some(error) => error.to_string(),
                    None => format!("this is {}, no text", kind.describe()),
                };
                Err(Error::Rejected(format!("{name}: {why}")))
            }
        }
    }

    /// An error about this file.
    pub fn rejected(&self, reason: impl std::fmt::Display) -> Error {
        Error::Rejected(format!("{}: {reason}", self.name))
    }
}

/// A text file in memory.
#[derive(Clone, Debug)]
pub struct Text {
    /// The path as given, for messages.
    pub name: String,
    /// Its content.
    pub text: String,
}

fn read_named(path: &Path) -> Result<(String, Vec<u8>), Error> {
    let name = if files::is_stream(path) {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    };
    Ok((name, files::read(path)?))
}

/// The type of a file's bytes.
enum Content {
    Text(String),
    /// Not text.
    Other(Kind),
}

/// Detects a file's kind from its content; the extension decides only between texts.
fn classify(bytes: Vec<u8>, extension: Option<&str>) -> Result<Kind, String> {
    Ok(match (recognize(bytes)?, extension) {
        (Content::Text(text), _) if !is_text(&text) => Kind::Raw(text.into_bytes()),
        (Content::Text(text), Some("cl")) => Kind::OpenClC(text.into_bytes()),
        // Comments may have any encoding.
        (Content::Other(Kind::Raw(text)), Some("cl")) if !text.contains(&0) => Kind::OpenClC(text),
        (Content::Text(text), Some("asm")) => Kind::Assembly(text),
        (Content::Text(text), _) => classify_text(text),
        (Content::Other(kind), _) => kind,
    })
}

fn recognize(bytes: Vec<u8>) -> Result<Content, String> {
    if bytes.is_empty() {
        return Err("the file is empty".to_owned());
    }
    if Binary::recognizes(&bytes) {
        return Ok(Content::Other(Kind::Zebin(bytes)));
    }
    let magic = bytes.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
    if magic == Some(SPIRV_MAGIC) || magic == Some(SPIRV_MAGIC.swap_bytes()) {
        return Ok(Content::Other(Kind::SpirV(bytes)));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Content::Text(text),
        Err(error) => Content::Other(Kind::Raw(error.into_bytes())),
    })
}

fn is_text(text: &str) -> bool {
    if text.is_ascii() {
        // Without branches this handles many bytes at a time.
        let blank = |b: u8| (b == b'\n') | (b == b'\r') | (b == b'\t') | (b == b'\x0c');
        let odd = |b: u8| (b < b' ') & !blank(b) | (b == 0x7f);
        return !text.bytes().fold(false, |found, b| found | odd(b));
    }
    text.chars()
        .all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\x0c'))
}

/// OpenCL C must contain `kernel` outside a comment line; assembly has its directives in comments
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
        Kind::OpenClC(text.into_bytes())
    } else {
        Kind::Assembly(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_by_magic() {
        assert_eq!(
            classify(b"\x7fELF1".to_vec(), None),
            Ok(Kind::Zebin(b"\x7fELF1".to_vec()))
        );
        assert!(matches!(
            classify(b"!<arch>\n".to_vec(), None),
            Ok(Kind::Zebin(_))
        ));
        assert!(matches!(
            classify(b"\x03\x02\x23\x07rest".to_vec(), None),
            Ok(Kind::SpirV(_))
        ));
        assert!(matches!(
            classify(vec![0x61, 0, 3, 0], None),
            Ok(Kind::Raw(_))
        ));
        assert!(matches!(classify(vec![0xff, 0xfe], None), Ok(Kind::Raw(_))));
        assert!(classify(vec![], None).is_err());
    }

    #[test]
    fn text_by_what_it_says() {
        let kind = |text: &str| classify(text.as_bytes().to_vec(), None).unwrap();
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
    fn the_extension_decides_between_texts() {
        let kind = |text: &str, extension| classify(text.as_bytes().to_vec(), Some(extension));
        // The kernel comes from a header.
        let includes = kind("#include \"body.h\"\n", "cl");
        assert!(matches!(includes, Ok(Kind::OpenClC(_))));
        let mentions = kind("/* a kernel */ nop\n", "asm");
        assert!(matches!(mentions, Ok(Kind::Assembly(_))));
        assert!(matches!(kind("\x7fELF", "cl"), Ok(Kind::Zebin(_))));
    }
}
