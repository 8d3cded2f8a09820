//! Parsing of the directives.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use devinfo::Family;

use super::directive::{
    Argument, ArgumentKind, BlockUse, DIRECTIVES, IdLayout, KernelDirectives, LISTING_COMMENTS,
    LISTING_PLATFORMS, Payload, Scalar, SwsbMode, SystemField, SystemValue, Target,
};
use super::{Diagnostic, Span};
use crate::code::OddBits;

/// A word of a directive and its place.
type Word<'a> = (&'a str, Span);

/// What a directive says.
#[derive(Debug)]
pub enum Directive {
    /// `//.platform`; without a target if it names a family.
    Platform(Option<Target>, Family),
    /// `//.kernel`.
    Kernel(String),
    /// `//.data`: bytes that go into the code unchanged.
    Data(Vec<u8>),
    /// About the current kernel; it is already applied.
    Applied,
}

/// Where a cross-thread payload must end.
const MAX_PAYLOAD: u32 = 2048;

/// The words of `text`, which begins with `//.`, up to a comment.
fn words(text: &str, start: usize) -> Vec<Word<'_>> {
    let body = text.get(3..).unwrap_or("");
    let base = start + text.len() - body.len();
    let words = body.split_ascii_whitespace().map(|word| {
        let at = word.as_ptr() as usize - body.as_ptr() as usize + base;
        let end = at + word.len();
        (word, Span { start: at, end })
    });
    words
        .take_while(|(word, _)| !word.starts_with("//"))
        .collect()
}

/// Parses `text`, which begins with `//.bits`.
pub fn odd_bits(text: &str, start: usize) -> Result<OddBits, Diagnostic> {
    let mut odd = OddBits::NONE;
    for &(word, span) in words(text, start).iter().skip(1) {
        let value = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let mut run = || {
            let (place, bits) = word.split_once('=')?;
            let (high, low) = place.split_once(':').unwrap_or((place, place));
            odd.put(high.parse().ok()?, low.parse().ok()?, value(bits)?)
        };
        run().ok_or_else(|| {
            let message = format!("`{word}` gives no bits of the 16-byte form");
            Diagnostic::error(span, message)
                .with_help("a bit is `48=0`, several are `103:96=0x21`; each is given once".into())
        })?;
    }
    if odd.is_none() {
        let span = Span {
            start,
            end: start + text.trim_end().len(),
        };
        return Err(
            Diagnostic::error(span, "`bits` needs bits and their values".into())
                .with_help("for example `//.bits 48=0 103:96=0x21`".into()),
        );
    }
    Ok(odd)
}

/// Parses `text`, which begins with `//.`, and applies what it says about `kernel`.
pub fn parse(
    text: &str,
    start: usize,
    kernel: &mut KernelDirectives,
) -> Result<Directive, Diagnostic> {
    let words = words(text, start);
    let whole = Span {
        start,
        end: start + text.trim_end().len(),
    };
    let Some((&(name, name_span), rest)) = words.split_first() else {
        return Err(Diagnostic::error(
            whole,
            "a directive without a name".into(),
        ));
    };
    let args = Args {
        name,
        whole,
        words: rest,
    };
    match name {
        "platform" => {
            let (word, span) = args.one("a platform, such as `tgl` or `dg2:8`")?;
            let (target, family) = platform(word, span)?;
            return Ok(Directive::Platform(target, family));
        }
        "kernel" => {
            let (word, _) = args.one("a name")?;
            return Ok(Directive::Kernel(word.to_string()));
        }
        "data" => {
            let (word, span) = args.one("bytes as hexadecimal digits")?;
            return data(word, span).map(Directive::Data);
        }
        "bits" => {
            return Err(Diagnostic::error(
                whole,
                "`bits` stands behind an instruction, in its line".into(),
            ));
        }
        "simd" => {
            let (value, span) = args.number("a SIMD width")?;
            if !matches!(value, 1 | 8 | 16 | 32) {
                return Err(Diagnostic::error(span, format!("{value} is no SIMD width"))
                    .with_help("possible are 1, 8, 16 and 32".into()));
            }
            kernel.simd = Some(value as u8);
            kernel.simd_span = Some(whole);
        }
        "grf" => {
            let (value, span) = args.number("a number of registers")?;
            kernel.grf = Some(u16::try_from(value).map_err(|_| {
                Diagnostic::error(span, format!("{value} is no number of registers"))
            })?);
            kernel.grf_span = Some(whole);
        }
        "thread_config" => {
            let mut words = args
                .words
                .iter()
                .map(|(word, _)| word.trim_end_matches(','));
            let number = words.find_map(|word| word.strip_prefix("numGRF=")?.parse().ok());
            kernel.grf = Some(number.ok_or_else(|| {
                Diagnostic::error(whole, "`thread_config` needs `numGRF=` and a number".into())
            })?);
            kernel.grf_span = Some(whole);
        }
        "ids" => {
            let (word, span) = args.one("none, x, xy or xyz")?;
            kernel.ids = match word {
                "none" => IdLayout::None,
                "x" => IdLayout::X,
                "xy" => IdLayout::Xy,
                "xyz" => IdLayout::Xyz,
                _ => return Err(unknown(word, span, "none, x, xy or xyz")),
            };
        }
        "arg" => argument(&args, kernel)?,
        "sys" => system(&args, kernel)?,
        "slm" => kernel.slm = args.limited("bytes of shared local memory", 1 << 20)?,
        "barriers" => kernel.barriers = args.limited("a number of barriers", 32)? as u8,
        "scratch" => kernel.scratch = args.limited("bytes of scratch", 256 << 10)?,
        "local" => kernel.local = Some(local_size(&args)?),
        "payload" => {
            let (word, span) = args.one("load or raw")?;
            kernel.payload = match word {
                "load" => Payload::Load,
                "raw" => Payload::Raw,
                _ => return Err(unknown(word, span, "load or raw")),
            };
        }
        "block" => block(&args, kernel)?,
        "swsb" => {
            let (word, span) = args.one("auto, keep or check")?;
            kernel.swsb = match word {
                "keep" => SwsbMode::Keep,
                "auto" => SwsbMode::Auto,
                "check" => SwsbMode::Check,
                _ => return Err(unknown(word, span, "auto, keep or check")),
            };
        }
        _ if LISTING_COMMENTS.contains(&name) => {}
        _ => {
            let names: Vec<&str> = DIRECTIVES.iter().map(|directive| directive.name).collect();
            return Err(
                Diagnostic::error(name_span, format!("`{name}` is no directive"))
                    .with_help(format!("directives are {}", names.join(", "))),
            );
        }
    }
    Ok(Directive::Applied)
}

fn unknown(word: &str, span: Span, expected: &str) -> Diagnostic {
    Diagnostic::error(span, format!("expected {expected}, found `{word}`"))
}

struct Args<'a> {
    name: &'a str,
    whole: Span,
    words: &'a [Word<'a>],
}

impl<'a> Args<'a> {
    fn one(&self, what: &str) -> Result<Word<'a>, Diagnostic> {
        match self.words {
            [word] => Ok(*word),
            [] => Err(Diagnostic::error(
                self.whole,
                format!("`{}` needs {what}", self.name),
            )),
            [_, (extra, span), ..] => Err(Diagnostic::error(
                *span,
                format!("`{}` takes one word, `{extra}` is too much", self.name),
            )),
        }
    }

    fn number(&self, what: &str) -> Result<(u32, Span), Diagnostic> {
        let (word, span) = self.one(what)?;
        number(word, span, what).map(|value| (value, span))
    }

    fn limited(&self, what: &str, max: u32) -> Result<u32, Diagnostic> {
        let (value, span) = self.number(what)?;
        if value > max {
            return Err(Diagnostic::error(
                span,
                format!("{value} exceeds the limit of {max}"),
            ));
        }
        Ok(value)
    }
}

fn number(word: &str, span: Span, what: &str) -> Result<u32, Diagnostic> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => word.parse(),
    };
    parsed.map_err(|_| unknown(word, span, what))
}

fn platform(word: &str, span: Span) -> Result<(Option<Target>, Family), Diagnostic> {
    let is_named = |family: &Family| format!("{family}").eq_ignore_ascii_case(word);
    if let Some(family) = Family::ALL.into_iter().find(is_named) {
        return Ok((None, family));
    }
    let mut listed = LISTING_PLATFORMS.iter();
    let name = listed
        .find(|(name, _)| *name == word)
        .map(|(_, name)| *name);
    match devinfo::Target::parse(name.unwrap_or(word)) {
        Ok(target) => Ok((
            Some(Target {
                platform: target.platform.name.to_string(),
                revision: word.contains(':').then_some(u32::from(target.revision)),
            }),
            target.platform.family,
        )),
        Err(error) => Err(Diagnostic::error(span, format!("{error}"))),
    }
}

/// Bytes in memory order, two digits each.
fn data(word: &str, span: Span) -> Result<Vec<u8>, Diagnostic> {
    let expected = || unknown(word, span, "bytes as hexadecimal digits, two for each");
    let digits: Option<Vec<u32>> = word.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.ok_or_else(expected)?;
    if digits.len() % 2 != 0 {
        return Err(expected());
    }
    let byte = |pair: &[u32]| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8);
    Ok(digits.chunks(2).map(byte).collect())
}

/// `@OFFSET`.
fn offset(word: &str, span: Span) -> Result<u32, Diagnostic> {
    let Some(digits) = word.strip_prefix('@') else {
        return Err(unknown(word, span, "`@` and an offset"));
    };
    let value = number(digits, span, "an offset in bytes")?;
    if value >= MAX_PAYLOAD {
        return Err(Diagnostic::error(
            span,
            format!("the offset {value} is beyond the {MAX_PAYLOAD} bytes of a payload"),
        ));
    }
    Ok(value)
}

fn argument(args: &Args<'_>, kernel: &mut KernelDirectives) -> Result<(), Diagnostic> {
    let (name, kind, at) = match args.words {
        [name, kind] => (*name, *kind, None),
        [name, kind, at] => (*name, *kind, Some(*at)),
        _ => {
            return Err(Diagnostic::error(
                args.whole,
                "`arg` needs a name, a kind and perhaps an offset".into(),
            )
            .with_help("for example `//.arg out ptr @32`".into()));
        }
    };
    if kernel.args.iter().any(|arg| arg.name == name.0) {
        return Err(Diagnostic::error(
            name.1,
            format!("the argument `{}` is declared twice", name.0),
        ));
    }
    let kind = argument_kind(kind)?;
    let bytes = kind.payload_bytes();
    let position = match (bytes, at) {
        (0, None) => None,
        (0, Some((_, span))) => {
            return Err(Diagnostic::error(
                span,
                "a surface or sampler has no place in the payload".into(),
            ));
        }
        (_, Some((word, span))) => {
            let value = offset(word, span)?;
            let align = kind.alignment();
            if value % align != 0 {
                return Err(Diagnostic::error(
                    span,
                    format!("the offset {value} is not aligned to {align} bytes"),
                ));
            }
            check_overlap(kernel, value, bytes, span)?;
            Some(value)
        }
        (_, None) => Some(kernel.payload_bytes().next_multiple_of(kind.alignment())),
    };
    if let Some(at) = position {
        check_end(at, bytes, args.whole)?;
    }
    kernel.args.push(Argument {
        name: name.0.to_string(),
        kind,
        offset: position,
        blocks: Vec::new(),
        span: args.whole,
    });
    Ok(())
}

/// `bytes` at `at` must lie within the payload.
fn check_end(at: u32, bytes: u32, span: Span) -> Result<(), Diagnostic> {
    if at + bytes <= MAX_PAYLOAD {
        return Ok(());
    }
    Err(Diagnostic::error(
        span,
        format!(
            "bytes {at} to {} exceed the {MAX_PAYLOAD} bytes of a payload",
            at + bytes
        ),
    ))
}

fn check_overlap(
    kernel: &KernelDirectives,
    at: u32,
    bytes: u32,
    span: Span,
) -> Result<(), Diagnostic> {
    let overlaps = |start: u32, size: u32| at < start + size && start < at + bytes;
    for arg in &kernel.args {
        if let Some(start) = arg.offset
            && overlaps(start, arg.kind.payload_bytes())
        {
            return Err(Diagnostic::error(
                span,
                format!("bytes {at} to {} belong to `{}`", at + bytes, arg.name),
            ));
        }
    }
    for value in &kernel.system {
        if overlaps(value.offset, value.field.bytes()) {
            return Err(Diagnostic::error(
                span,
                format!(
                    "bytes {at} to {} belong to `{}`",
                    at + bytes,
                    value.field.name()
                ),
            ));
        }
    }
    Ok(())
}

fn argument_kind((word, span): Word<'_>) -> Result<ArgumentKind, Diagnostic> {
    let index = |text: &str| {
        number(text, span, "an index").and_then(|value| {
            u8::try_from(value)
                .ok()
                .filter(|value| *value < 240)
                .ok_or_else(|| Diagnostic::error(span, format!("the index {value} exceeds 239")))
        })
    };
    if let Some((stem, number)) = word.split_once(':') {
        return match stem {
            "buf" => Ok(ArgumentKind::Buffer {
                bti: index(number)?,
            }),
            "image" => Ok(ArgumentKind::Image {
                bti: index(number)?,
            }),
            "sampler" => Ok(ArgumentKind::Sampler {
                index: index(number)?,
            }),
            _ => Err(unknown(word, span, ARGUMENT_KINDS)),
        };
    }
    match word {
        "ptr" => return Ok(ArgumentKind::Pointer),
        "local" => return Ok(ArgumentKind::Local),
        _ => {}
    }
    let (scalar, count) = match word.split_once('x') {
        Some((scalar, count)) => (scalar, number(count, span, "a number of elements")?),
        None => (word, 1),
    };
    let Some(scalar) = Scalar::from_name(scalar) else {
        return Err(unknown(word, span, ARGUMENT_KINDS));
    };
    if !matches!(count, 1 | 2 | 3 | 4 | 8 | 16) {
        return Err(
            Diagnostic::error(span, format!("{count} is no number of elements"))
                .with_help("possible are 1, 2, 3, 4, 8 and 16".into()),
        );
    }
    Ok(ArgumentKind::Value {
        scalar,
        count: count as u8,
    })
}

const ARGUMENT_KINDS: &str =
    "ptr, local, a type such as `i32` or `f32x4`, buf:BTI, image:BTI or sampler:N";

fn system(args: &Args<'_>, kernel: &mut KernelDirectives) -> Result<(), Diagnostic> {
    let [(name, name_span), (at, at_span)] = args.words else {
        return Err(Diagnostic::error(
            args.whole,
            "`sys` needs a field and an offset".into(),
        ));
    };
    let Some(field) = SystemField::ALL.into_iter().find(|f| f.name() == *name) else {
        return Err(unknown(
            name,
            *name_span,
            "global_offset, local_size, enqueued_local_size, group_count, global_size or work_dim",
        ));
    };
    let position = offset(at, *at_span)?;
    if position % 4 != 0 {
        return Err(Diagnostic::error(
            *at_span,
            format!("the offset {position} is not aligned to 4 bytes"),
        ));
    }
    check_end(position, field.bytes(), *at_span)?;
    check_overlap(kernel, position, field.bytes(), *at_span)?;
    kernel.system.push(SystemValue {
        field,
        offset: position,
    });
    Ok(())
}

fn local_size(args: &Args<'_>) -> Result<[u32; 3], Diagnostic> {
    let (word, span) = args.one("a size, such as 16,1,1")?;
    let mut size = [1; 3];
    let parts: Vec<&str> = word.split(',').collect();
    if parts.len() > 3 {
        return Err(unknown(word, span, "up to three sizes"));
    }
    for (out, part) in size.iter_mut().zip(parts) {
        *out = number(part, span, "a size")?;
        if *out == 0 || *out > 1024 {
            return Err(Diagnostic::error(
                span,
                format!("a local size is 1 to 1024, not {out}"),
            ));
        }
    }
    Ok(size)
}

fn block(args: &Args<'_>, kernel: &mut KernelDirectives) -> Result<(), Diagnostic> {
    let [(name, name_span), (usage, usage_span)] = args.words else {
        return Err(Diagnostic::error(
            args.whole,
            "`block` needs an argument and read, write or image".into(),
        ));
    };
    let usage = match *usage {
        "read" => BlockUse::Read,
        "write" => BlockUse::Write,
        "image" => BlockUse::Image,
        other => return Err(unknown(other, *usage_span, "read, write or image")),
    };
    let Some(arg) = kernel.args.iter_mut().find(|arg| arg.name == *name) else {
        return Err(Diagnostic::error(
            *name_span,
            format!("`{name}` is no argument declared above"),
        ));
    };
    arg.blocks.push(usage);
    Ok(())
}
