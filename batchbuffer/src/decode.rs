//! Reading packets and states.

use core::fmt;
use core::ops::Deref;

use devinfo::{Family, GpuAddress};

use crate::error::DecodeError;
use crate::index;
use crate::layout::{Engine, Field, Kind, Layout, Row, same_name};
use crate::packets::PacketId;

/// Dwords seen through a layout.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    layout: &'static Layout,
    family: Family,
    dwords: &'a [u32],
}

impl<'a> View<'a> {
    /// Sees `dwords` as `layout`.
    pub fn new(family: Family, layout: &'static Layout, dwords: &'a [u32]) -> Self {
        View {
            layout,
            family,
            dwords,
        }
    }

    /// The layout.
    pub fn layout(&self) -> &'static Layout {
        self.layout
    }

    /// The family whose positions are used.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The dwords.
    pub fn dwords(&self) -> &'a [u32] {
        self.dwords
    }

    /// A field's value: the bytes of an address or offset, the bits of
    /// anything else. Zero if the field does not exist on the family or lies
    /// beyond the packet's end, which is what the hardware would assume. The field may be in a
    /// nested layout.
    #[inline]
    pub fn get(&self, field: &'static Field) -> u64 {
        self.find(field, 0).unwrap_or(0)
    }

    /// [`View::get`] as a truth value.
    #[inline]
    pub fn flag(&self, field: &'static Field) -> bool {
        self.get(field) != 0
    }

    /// [`View::get`] as an address.
    #[inline]
    pub fn address(&self, field: &'static Field) -> GpuAddress {
        GpuAddress::new(self.get(field))
    }

    /// [`View::get`] of a field of at most 32 bits.
    #[inline]
    pub fn get32(&self, field: &'static Field) -> u32 {
        self.get(field) as u32
    }

    /// [`View::get`] sign-extended.
    #[inline]
    pub fn signed(&self, field: &'static Field) -> i64 {
        match field.row(self.family) {
            Some(row) => sign_extend(self.get(field), row),
            None => 0,
        }
    }

    /// [`View::get`] of an IEEE single or fixed-point field.
    pub fn real(&self, field: &'static Field) -> f64 {
        match field.row(self.family) {
            Some(row) => real(self.get(field), row),
            None => 0.0,
        }
    }

    /// [`View::get`] as a named value; `None` if the bits have no name.
    #[inline]
    pub fn named<T: crate::NamedValues>(&self, field: &'static Field) -> Option<T> {
        T::from_raw(self.get(field))
    }

    /// Element `index` of a field; `None` if the field does not exist on the
    /// family or that element lies beyond the packet's end.
    #[inline]
    pub fn find(&self, field: &'static Field, index: usize) -> Option<u64> {
        let row = field.row(self.family)?;
        let (_, dwords) = self.region(field)?;
        let start = row.element(index, dwords.len())?;
        let raw = read_bits(dwords, start, row.bits());
        Some(match row.kind {
            Kind::Address | Kind::Offset | Kind::Register => raw << row.lo,
            _ => raw,
        })
    }

    /// How many elements of a repeated field there are.
    pub fn count(&self, field: &'static Field) -> usize {
        field
            .row(self.family)
            .map_or(0, |row| row.elements(self.dwords.len()))
    }

    /// The nested layout in a field of that kind. It may be cut off.
    pub fn state(&self, field: &'static Field) -> Option<View<'a>> {
        self.state_at(field, 0)
    }

    /// The nested layout in element `index` of a repeated field.
    pub fn state_at(&self, field: &'static Field, index: usize) -> Option<View<'a>> {
        let row = field.row(self.family)?;
        let Kind::State(inner) = row.kind else {
            return None;
        };
        let (base, dwords) = self.region(field)?;
        let start = row.element(index, dwords.len())?;
        // Nested layouts begin at whole dwords everywhere.
        let start = base + start / 32;
        let end = start + (row.bits() as usize).div_ceil(32);
        let dwords = self.dwords.get(start..end.min(self.dwords.len()))?;
        Some(View::new(self.family, inner, dwords))
    }

    /// The dwords of the layout that `field` belongs to, this one or a nested one, and where they
    /// begin.
    #[inline]
    fn region(&self, field: &'static Field) -> Option<(usize, &'a [u32])> {
        if same_name(self.layout.name, field.layout) {
            return Some((0, self.dwords));
        }
        let base = self.layout.nested(self.family, field.layout)? / 32;
        Some((base, self.dwords.get(base..)?))
    }
}

/// A packet whose length field does not match its length on the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthIssue {
    /// The number of dwords that the header says; as many were read.
    pub declared: usize,
    /// The number of dwords that the packet has on the family, or its minimum.
    pub expected: usize,
}

impl fmt::Display for LengthIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "header says {} dwords, the packet has {}",
            self.declared, self.expected
        )
    }
}

/// A packet found in a batch.
#[derive(Clone, Copy, Debug)]
pub struct Decoded<'a> {
    /// Which packet it is.
    pub id: PacketId,
    /// Set if its header has the wrong length.
    pub issue: Option<LengthIssue>,
    view: View<'a>,
}

impl<'a> Deref for Decoded<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl Decoded<'_> {
    /// The manual's name.
    pub fn name(&self) -> &'static str {
        self.view.layout.name
    }

    /// The dwords to advance by.
    pub fn len(&self) -> usize {
        self.view.dwords.len()
    }

    /// Never: a packet has a header.
    pub fn is_empty(&self) -> bool {
        self.view.dwords.is_empty()
    }
}

/// Reads the packet that `dwords` begins with, as the command streamer of `engine` does. The length
/// is the header's, even if the packet is longer or shorter on this family; [`Decoded::issue`] then
/// says so.
///
/// # Errors
/// See [`DecodeError`].
pub fn decode(family: Family, engine: Engine, dwords: &[u32]) -> Result<Decoded<'_>, DecodeError> {
    let &header = dwords.first().ok_or(DecodeError::Empty)?;
    let id = index::lookup(family, engine, header).ok_or_else(|| DecodeError::Unknown {
        header,
        engine,
        family,
        dwords: index::general_length(header),
    })?;
    let layout = id.layout();
    let Some(length) = layout.length(family) else {
        return Err(DecodeError::Unknown {
            header,
            engine,
            family,
            dwords: index::general_length(header),
        });
    };
    let expected = length.dwords as usize;
    let declared = match length.field {
        None => expected,
        Some((hi, lo)) => read_bits(&[header], lo.into(), u32::from(hi - lo) + 1) as usize + 2,
    };
    let lies = if length.open {
        declared < expected
    } else {
        declared != expected
    };
    let have = dwords.len();
    let dwords = dwords.get(..declared).ok_or(DecodeError::Truncated {
        packet: layout.name,
        header,
        needed: declared,
        have,
    })?;
    Ok(Decoded {
        id,
        issue: lies.then_some(LengthIssue { declared, expected }),
        view: View::new(family, layout, dwords),
    })
}

/// Reads `bits` (at most 64) bits from bit `start` on; missing dwords are zero.
#[inline]
pub(crate) fn read_bits(dwords: &[u32], start: usize, bits: u32) -> u64 {
    let word = |i: usize| u128::from(dwords.get(start / 32 + i).copied().unwrap_or(0));
    let shift = start % 32;
    let mut value = word(0);
    if shift as u32 + bits > 32 {
        value |= word(1) << 32 | word(2) << 64;
    }
    let value = (value >> shift) as u64;
    if bits >= 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// Raw bits as a two's complement number.
pub(crate) fn sign_extend(raw: u64, row: &Row) -> i64 {
    let unused = 64 - row.bits().min(64);
    (raw << unused) as i64 >> unused
}

/// Raw bits as a real number.
pub(crate) fn real(raw: u64, row: &Row) -> f64 {
    match row.kind {
        Kind::Float => f64::from(f32::from_bits(raw as u32)),
        Kind::Fixed { fraction, signed } => {
            let value = if signed {
                sign_extend(raw, row) as f64
            } else {
                raw as f64
            };
            value / f64::from(1u32 << fraction)
        }
        _ => raw as f64,
    }
}
