//! The bits of a field: what stands for a value, and how it gets into dwords.

use devinfo::GpuAddress;

use crate::error::EncodeError;
use crate::layout::{Field, Kind, Row};
use crate::value::Value;

/// The bits that stand for `value`.
pub(crate) fn raw(field: &Field, row: &Row, value: Value) -> Result<u64, EncodeError> {
    let does_not_fit = || EncodeError::DoesNotFit {
        layout: field.layout,
        field: field.name,
        value: value.to_string(),
        limit: row.mask(),
        bits: row.bits(),
    };
    let raw = match (row.kind, value) {
        (Kind::Address | Kind::Offset | Kind::Register, value) => {
            let bytes = match value {
                Value::Address(address) => address_bits(address, row),
                Value::Uint(bytes) if matches!(row.kind, Kind::Address) => {
                    let address = GpuAddress::new(bytes);
                    if bytes != address.get() && bytes != address.canonical() {
                        return Err(does_not_fit());
                    }
                    address_bits(address, row)
                }
                Value::Uint(bytes) => bytes,
                Value::Int(bytes) => u64::try_from(bytes).map_err(|_| does_not_fit())?,
                Value::Real(_) => return Err(does_not_fit()),
            };
            let alignment = 1u64 << row.lo;
            if !bytes.is_multiple_of(alignment) {
                return Err(EncodeError::Misaligned {
                    layout: field.layout,
                    field: field.name,
                    value: bytes,
                    alignment,
                });
            }
            bytes >> row.lo
        }
        (Kind::Float, Value::Real(value)) => u64::from((value as f32).to_bits()),
        (Kind::Fixed { fraction, signed }, Value::Real(value)) => {
            let scaled = (value * f64::from(1u32 << fraction)).round();
            let limit = (row.mask() >> u32::from(signed)) as f64;
            let lowest = if signed { -limit - 1.0 } else { 0.0 };
            if !(lowest..=limit).contains(&scaled) {
                return Err(does_not_fit());
            }
            scaled as i64 as u64 & row.mask()
        }
        (_, Value::Real(_)) => return Err(does_not_fit()),
        (Kind::Int, Value::Int(value)) => {
            let half = (row.mask() >> 1) as i64;
            if !(-half - 1..=half).contains(&value) {
                return Err(does_not_fit());
            }
            value as u64 & row.mask()
        }
        (_, Value::Int(value)) => u64::try_from(value).map_err(|_| does_not_fit())?,
        (_, Value::Address(address)) => address.get(),
        (_, Value::Uint(value)) => value,
    };
    if raw > row.mask() {
        return Err(does_not_fit());
    }
    Ok(raw)
}

/// Replaces `bits` bits of `dwords` from bit `start` on; whether they are all there.
#[must_use]
pub(crate) fn put_bits(dwords: &mut [u32], start: usize, bits: u32, value: u64) -> bool {
    if start + bits as usize > dwords.len() * 32 {
        return false;
    }
    let mut at = start;
    let mut left = bits;
    let mut value = value;
    while left > 0 {
        let shift = (at % 32) as u32;
        let take = left.min(32 - shift);
        let mask = ((1u64 << take) - 1) as u32;
        if let Some(dword) = dwords.get_mut(at / 32) {
            *dword = *dword & !(mask << shift) | (value as u32 & mask) << shift;
        }
        value = value.checked_shr(take).unwrap_or(0);
        at += take as usize;
        left -= take;
    }
    true
}

/// Whether a field takes addresses in their canonical form: those that reach bit 63 do, shorter ones take the bits
/// without it.
pub(crate) fn is_canonical(row: &Row) -> bool {
    row.hi >= 63
}

/// An address as a field takes it.
fn address_bits(address: GpuAddress, row: &Row) -> u64 {
    if is_canonical(row) {
        address.canonical()
    } else {
        address.get()
    }
}
