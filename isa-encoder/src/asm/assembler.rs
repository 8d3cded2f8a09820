//! From text to an assembly.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use devinfo::Family;

use super::assembly::Assembly;
use super::diagnostic::{Diagnostic, Span};
use super::directive::Target;
use super::emit::Emitter;
use super::fragment::MAX_TEXT;
use super::layout;
use super::settings::AsmOptions;
use super::source::{self, Source};

/// Assembles a file.
///
/// # Errors
/// Every error found (and the warnings), in the order of the text.
pub fn assemble(text: &str, options: &AsmOptions) -> Result<Assembly, Vec<Diagnostic>> {
    let assembler = Assembler::new(text, options);
    let parts = assembler.parts(1);
    let parts = parts.into_iter().map(|part| assembler.read(part)).collect();
    assembler.finish(parts)
}

/// An assembler of a file in parts; different threads may read them.
///
/// ```
/// # use isa_encoder::asm::Assembler;
/// # use isa_encoder::{AsmOptions, assemble};
/// let text = "//.platform tgl\nnop\nnop\n";
/// let assembler = Assembler::new(text, &AsmOptions::default());
/// // Each of these may be done by a thread of its own.
/// let read = assembler.parts(2).into_iter().map(|part| assembler.read(part)).collect();
/// assert_eq!(assembler.finish(read), assemble(text, &AsmOptions::default()));
/// ```
#[derive(Debug)]
pub struct Assembler<'a> {
    text: &'a str,
    options: AsmOptions,
    /// The platform that instructions are encoded and checked for.
    target: Option<Target>,
    /// `None` if the family is not known.
    emitter: Option<Emitter>,
    /// Where in the text it becomes known.
    family_from: usize,
}

/// A part of a text, some whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(Range<usize>);

/// What was read from a [`Part`].
#[derive(Debug)]
pub struct ReadPart(source::Part);

impl<'a> Assembler<'a> {
    /// An assembler of `text`.
    pub fn new(text: &'a str, options: &AsmOptions) -> Self {
        Self::with_platform(text, options, source::platform(text, options))
    }

    fn with_platform(
        text: &'a str,
        options: &AsmOptions,
        platform: Option<(Option<Target>, Family, usize)>,
    ) -> Self {
        let (target, said) = match platform {
            Some((target, family, at)) => (target, Some((family, at))),
            None => (None, None),
        };
        let given = options.family.map(|family| (family, 0));
        let (family, family_from) = given.or(said).unzip();
        let emitter = family.map(|family| Emitter::new(family, target.as_ref(), options));
        Self {
            text,
            options: *options,
            target,
            emitter,
            family_from: family_from.unwrap_or(0),
        }
    }

    /// Cuts the text into at most `count` parts of about the same size.
    pub fn parts(&self, count: usize) -> Vec<Part> {
        let parts = source::parts(self.text, count);
        parts.into_iter().map(Part).collect()
    }

    /// Reads one part: nearly all of the work.
    pub fn read(&self, part: Part) -> ReadPart {
        ReadPart(self.part(part.0))
    }

    /// Puts the parts together. If parts are missing or out of order, the text is read again.
    ///
    /// # Errors
    /// As for [`assemble`]; the result is the same.
    pub fn finish(&self, parts: Vec<ReadPart>) -> Result<Assembly, Vec<Diagnostic>> {
        if self.text.len() > MAX_TEXT {
            let size = self.text.len();
            let message = format!("the text has {size} bytes, the most is {MAX_TEXT}");
            return Err(Vec::from([Diagnostic::error(Span::default(), message)]));
        }
        let mut whole: Vec<source::Part> = Vec::with_capacity(parts.len());
        let mut end = 0;
        for ReadPart(part) in parts {
            if part.range.start != end {
                break;
            }
            end = part.range.end;
            match whole.last_mut() {
                // A comment continues past the end of the previous part.
                Some(last) if last.is_open => *last = self.part(last.range.start..end),
                _ => whole.push(part),
            }
        }
        if end != self.text.len() {
            whole = Vec::from([self.part(0..self.text.len())]);
        }
        let source = Source::join(self.text, whole, &self.options);
        // With the family given, the platform may also follow after instructions.
        if source.target != self.target
            && let (Some(target), Some(family)) = (source.target.clone(), source.family)
        {
            let platform = Some((Some(target), family, 0));
            let told = Self::with_platform(self.text, &self.options, platform);
            return told.finish(Vec::new());
        }
        layout::assemble(self.text, source, self.emitter.as_ref(), &self.options)
    }

    fn part(&self, range: Range<usize>) -> source::Part {
        source::part(self.text, range, self.emitter.as_ref(), self.family_from)
    }
}

/// Whether a text has a `//.platform` directive.
pub fn states_platform(text: &str) -> bool {
    source::platform(text, &AsmOptions::default()).is_some()
}
