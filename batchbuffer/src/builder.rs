//! Building packets and states.

use devinfo::Family;
use smallvec::SmallVec;

use crate::bits::{put_bits, raw};
use crate::error::EncodeError;
use crate::layout::{Field, Kind, Layout, Row, same_name};
use crate::spot::Spot;
use crate::value::Value;

/// Something that packets are written to.
pub trait Sink {
    /// Appends the dwords of `layout`.
    ///
    /// # Errors
    /// [`EncodeError::Full`] if they do not fit.
    fn append(&mut self, layout: &'static str, dwords: &[u32]) -> Result<(), EncodeError>;
}

impl Sink for Vec<u32> {
    fn append(&mut self, _layout: &'static str, dwords: &[u32]) -> Result<(), EncodeError> {
        self.extend_from_slice(dwords);
        Ok(())
    }
}

/// The dwords of a packet or state. Even the longest layout of fixed length, a walker, needs no
/// allocation.
pub type Dwords = SmallVec<[u32; 40]>;

/// A packet or state under construction.
///
/// The first error is kept and returned at the end ([`Builder::emit`],
/// [`Builder::finish`]), so that calls chain.
#[derive(Clone, Debug)]
pub struct Builder {
    layout: &'static Layout,
    family: Family,
    dwords: Dwords,
    error: Option<EncodeError>,
}

impl Builder {
    /// Begins `layout` in the form that `family` has.
    pub fn new(family: Family, layout: &'static Layout) -> Self {
        let mut builder = Builder {
            layout,
            family,
            dwords: Dwords::new(),
            error: None,
        };
        match layout.length(family) {
            None => {
                builder.error = Some(EncodeError::NoSuchLayout {
                    layout: layout.name,
                    family,
                });
            }
            Some(length) => {
                builder.dwords.resize(length.dwords as usize, 0);
                let header = layout.header.unwrap_or(0);
                let written = builder.write_bits(0, 32, header.into());
                let written = written.and_then(|()| builder.write_ones(layout, 0));
                builder.error = written.err();
            }
        }
        builder
    }

    /// Sets a field. It may be in a nested layout.
    ///
    /// Integers must fit, addresses and offsets must have the field's
    /// alignment; an address field that reaches bit 63 takes the canonical
    /// form. Real numbers in fixed-point fields are rounded to the nearest.
    #[must_use]
    #[inline(always)] // Otherwise it is copied in each call.
    pub fn set(self, field: &'static Field, value: impl Into<Value>) -> Self {
        self.set_at(field, 0, value)
    }

    /// Sets element `index` of a repeated field. A packet of open length grows.
    #[must_use]
    #[inline(always)]
    pub fn set_at(mut self, field: &'static Field, index: usize, value: impl Into<Value>) -> Self {
        if self.error.is_none()
            && let Err(error) = self.try_set(field, index, value.into())
        {
            self.error = Some(error);
        }
        self
    }

    /// Fills a nested layout with a finished state.
    #[must_use]
    pub fn set_state(mut self, field: &'static Field, state: Builder) -> Self {
        if self.error.is_none()
            && let Err(error) = self.try_set_state(field, state)
        {
            self.error = Some(error);
        }
        self
    }

    /// Makes a packet of open length at least `dwords` dwords long: a
    /// MI_STORE_DATA_IMM of 5 dwords stores a qword even if its value is small.
    #[must_use]
    pub fn at_least(mut self, dwords: usize) -> Self {
        if self.error.is_none()
            && let Err(error) = self.grow(dwords)
        {
            self.error = Some(error);
        }
        self
    }

    /// Appends a dword to a packet of open length.
    #[must_use]
    pub fn push(mut self, dword: u32) -> Self {
        if self.error.is_none() {
            let end = self.dwords.len();
            let pushed = self.grow(end + 1);
            let pushed = pushed.and_then(|()| self.write_bits(end * 32, 32, dword.into()));
            self.error = pushed.err();
        }
        self
    }

    /// The finished dwords, the length written into the header.
    ///
    /// # Errors
    /// The first error of the calls before.
    pub fn finish(mut self) -> Result<Dwords, EncodeError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if let Some(length) = self.layout.length(self.family)
            && let Some((hi, lo)) = length.field
        {
            let bits = u32::from(hi - lo) + 1;
            let value = self.dwords.len().saturating_sub(2) as u64;
            self.write_bits(lo.into(), bits, value)?;
        }
        Ok(self.dwords)
    }

    /// Appends the finished dwords to `sink`.
    ///
    /// # Errors
    /// The first error of the calls before, or that the sink is full.
    pub fn emit(self, sink: &mut impl Sink) -> Result<(), EncodeError> {
        let name = self.layout.name;
        sink.append(name, &self.finish()?)
    }

    /// Where a field will lie once the dwords are appended to others, which end before dword `first`.
    ///
    /// # Errors
    /// There is no such field.
    pub fn spot(&self, field: &'static Field, first: usize) -> Result<Spot, EncodeError> {
        let row = field.row(self.family);
        let row = row.ok_or_else(|| self.no_such_field(field))?;
        let start = first * 32 + self.base(field)? + row.start();
        Ok(Spot::new(field, row, start))
    }

    fn no_such_field(&self, field: &Field) -> EncodeError {
        EncodeError::NoSuchField {
            layout: self.layout.name,
            field: field.name,
            family: self.family,
        }
    }

    /// The first bit of the layout that `field` belongs to.
    fn base(&self, field: &'static Field) -> Result<usize, EncodeError> {
        if same_name(self.layout.name, field.layout) {
            return Ok(0);
        }
        self.layout
            .nested(self.family, field.layout)
            .ok_or_else(|| self.no_such_field(field))
    }

    fn grow(&mut self, dwords: usize) -> Result<(), EncodeError> {
        if dwords <= self.dwords.len() {
            return Ok(());
        }
        let limit = match self.layout.length(self.family) {
            Some(length) if length.open => length.limit(),
            _ => self.dwords.len(),
        };
        if dwords > limit {
            return Err(EncodeError::TooLong {
                layout: self.layout.name,
                dwords,
                limit,
            });
        }
        self.dwords.resize(dwords, 0);
        Ok(())
    }

    /// Finds room for `bits` bits of element `index` and gives its first bit.
    fn locate(
        &mut self,
        field: &'static Field,
        row: &Row,
        index: usize,
        bits: u32,
    ) -> Result<usize, EncodeError> {
        let base = self.base(field)?;
        // Far more dwords than any layout has: only the position matters.
        let start = row
            .element(index, 1 << 24)
            .ok_or(EncodeError::NoSuchElement {
                layout: self.layout.name,
                field: field.name,
                index,
                count: row.repeat.map_or(1, |r| r.count as usize),
            })?;
        let start = base + start;
        self.grow((start + bits as usize).div_ceil(32))?;
        Ok(start)
    }

    fn try_set(
        &mut self,
        field: &'static Field,
        index: usize,
        value: Value,
    ) -> Result<(), EncodeError> {
        let row = field
            .row(self.family)
            .ok_or_else(|| self.no_such_field(field))?;
        let raw = raw(field, row, value)?;
        // In a packet of open length a value takes the dwords that it needs.
        let significant = (u64::BITS - raw.leading_zeros()).clamp(1, row.bits());
        let start = self.locate(field, row, index, significant)?;
        let room = u32::try_from(self.dwords.len() * 32 - start).unwrap_or(u32::MAX);
        self.write_bits(start, row.bits().min(room), raw)
    }

    fn try_set_state(&mut self, field: &'static Field, state: Builder) -> Result<(), EncodeError> {
        let row = field
            .row(self.family)
            .ok_or_else(|| self.no_such_field(field))?;
        let wrong = |expected| EncodeError::WrongState {
            layout: self.layout.name,
            field: field.name,
            expected,
            given: state.layout.name,
        };
        match row.kind {
            Kind::State(inner) if inner.is_named(state.layout.name) => {}
            Kind::State(inner) => return Err(wrong(inner.name)),
            _ => return Err(wrong("number")),
        }
        let start = self.locate(field, row, 0, row.bits())?;
        for (i, dword) in state.finish()?.into_iter().enumerate() {
            self.write_bits(start + i * 32, 32, dword.into())?;
        }
        Ok(())
    }

    /// Replaces `bits` bits from bit `start` on.
    fn write_bits(&mut self, start: usize, bits: u32, value: u64) -> Result<(), EncodeError> {
        if put_bits(&mut self.dwords, start, bits, value) {
            return Ok(());
        }
        Err(EncodeError::BeyondEnd {
            layout: self.layout.name,
            bit: start + bits as usize - 1,
            dwords: self.dwords.len(),
        })
    }

    /// Sets the bits that must be one, including those of nested layouts.
    fn write_ones(&mut self, layout: &'static Layout, base: usize) -> Result<(), EncodeError> {
        for field in layout.fields {
            let Some(row) = field.row(self.family) else {
                continue;
            };
            match row.kind {
                Kind::One => self.write_bits(base + row.start(), row.bits(), row.mask())?,
                Kind::State(inner) => self.write_ones(inner, base + row.start())?,
                _ => {}
            }
        }
        Ok(())
    }
}
