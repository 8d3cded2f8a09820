//! Values that go into fields.

use devinfo::GpuAddress;

/// A value for a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An unsigned number, an offset, or raw bits.
    Uint(u64),
    /// A signed number.
    Int(i64),
    /// A GPU address.
    Address(GpuAddress),
    /// A real number, for float and fixed-point fields.
    Real(f64),
}

/// The named values of a field.
pub trait NamedValues: Copy + Sized + 'static {
    /// Every name with its value.
    const NAMES: &'static [(&'static str, u64)];

    /// The value that the hardware sees.
    fn raw(self) -> u64;

    /// The named value of these bits, if they have a name.
    fn from_raw(raw: u64) -> Option<Self>;
}

macro_rules! from_unsigned {
    ($($t:ty)*) => {$(
        impl From<$t> for Value {
            fn from(value: $t) -> Self {
                Value::Uint(value as u64)
            }
        }
    )*};
}
from_unsigned!(u8 u16 u32 u64 usize bool);

macro_rules! from_signed {
    ($($t:ty)*) => {$(
        impl From<$t> for Value {
            fn from(value: $t) -> Self {
                Value::Int(value as i64)
            }
        }
    )*};
}
from_signed!(i8 i16 i32 i64);

impl From<GpuAddress> for Value {
    fn from(address: GpuAddress) -> Self {
        Value::Address(address)
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Value::Real(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

impl core::fmt::Display for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Value::Uint(value) => write!(f, "{value:#x}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Address(address) => write!(f, "{address}"),
            Value::Real(value) => write!(f, "{value}"),
        }
    }
}
