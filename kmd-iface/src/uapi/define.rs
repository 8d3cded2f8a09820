//! Declarations of uAPI structures, flag words and ioctls.
//!
//! Each is declared once. The declaration gives the type, and the row that the
//! layout test compares with the kernel's headers.

use std::fmt;
use std::marker::PhantomData;

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A structure that crosses the ioctl boundary as bytes.
///
/// Implemented by the declarations of this module only.
pub trait Argument: FromBytes + IntoBytes + Immutable + fmt::Debug {
    /// The structure as the kernel's header names and lays it out.
    const LAYOUT: StructLayout;
}

/// The layout of one structure, for comparison with the kernel's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructLayout {
    /// The C name, e.g. `struct drm_i915_gem_create`.
    pub c_name: &'static str,
    /// The size in bytes.
    pub size: usize,
    /// The fields in order.
    pub fields: &'static [FieldLayout],
}

/// One field of a [`StructLayout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// The C name.
    pub name: &'static str,
    /// The offset in bytes from the structure's start.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
}

/// The number of an ioctl together with the structure it takes.
pub struct Ioctl<T> {
    request: u32,
    name: &'static str,
    argument: PhantomData<fn(&mut T)>,
}

impl<T> Clone for Ioctl<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ioctl<T> {}

impl<T> fmt::Debug for Ioctl<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#010x})", self.name, self.request)
    }
}

impl<T> Ioctl<T> {
    /// The ioctl `number` of type `d` (DRM) with the given data direction.
    pub(super) const fn new(direction: Direction, number: u8, name: &'static str) -> Self {
        let request = Request::compose(direction, b'd', number, size_of::<T>());
        Self {
            request: request.0,
            name,
            argument: PhantomData,
        }
    }

    /// The whole request number, as passed to `ioctl(2)`.
    pub const fn request(self) -> u32 {
        self.request
    }

    /// The number within the DRM ioctls: what a driver's table is indexed by.
    pub const fn number(self) -> u8 {
        Request(self.request).number()
    }

    /// The C name, e.g. `DRM_IOCTL_I915_GEM_CREATE`.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// In which direction an ioctl's structure is copied (`_IOC_WRITE`, `_IOC_READ`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `_IO`: no structure.
    None,
    /// `_IOW`: user to kernel.
    Write,
    /// `_IOR`: kernel to user.
    Read,
    /// `_IOWR`: both.
    ReadWrite,
}

/// A decoded ioctl request number (`asm-generic/ioctl.h`: number 7:0, type 15:8, size 29:16,
/// direction 31:30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request(pub u32);

impl Request {
    /// The first driver-private number (`DRM_COMMAND_BASE`).
    pub const COMMAND_BASE: u8 = 0x40;
    /// The first number after the driver-private ones (`DRM_COMMAND_END`).
    pub const COMMAND_END: u8 = 0xa0;

    const fn compose(direction: Direction, ty: u8, number: u8, size: usize) -> Self {
        assert!(size < 1 << 14, "the size field has 14 bits");
        let direction = match direction {
            Direction::None => 0,
            Direction::Write => 1,
            Direction::Read => 2,
            Direction::ReadWrite => 3,
        };
        Self(direction << 30 | (size as u32) << 16 | (ty as u32) << 8 | number as u32)
    }

    /// The ioctl's number within its type.
    pub const fn number(self) -> u8 {
        self.0 as u8
    }

    /// The type: `b'd'` for DRM.
    pub const fn ty(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The size of the structure that the caller passes, in bytes.
    pub const fn size(self) -> usize {
        (self.0 >> 16) as usize & 0x3fff
    }

    /// Which way the structure is copied.
    pub const fn direction(self) -> Direction {
        match self.0 >> 30 {
            0 => Direction::None,
            1 => Direction::Write,
            2 => Direction::Read,
            _ => Direction::ReadWrite,
        }
    }
}

/// One ioctl of a uAPI, for logs and for comparison with the kernel's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoctlRow {
    /// The C name.
    pub name: &'static str,
    /// The whole request number.
    pub request: u32,
}

/// One constant of a uAPI, for comparison with the kernel's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantRow {
    pub(super) prefix: &'static str,
    pub(super) name: &'static str,
    /// Its value; a negative one is sign-extended.
    pub value: u64,
}

impl ConstantRow {
    /// The C name: the prefix of its kind, then the Rust name in capitals.
    pub fn c_name(&self) -> String {
        let mut c_name = self.prefix.to_owned();
        let is_enumerator = self.name.contains(|c: char| c.is_ascii_lowercase());
        for (at, c) in self.name.char_indices() {
            if at > 0 && is_enumerator && c.is_ascii_uppercase() {
                c_name.push('_');
            }
            c_name.push(c.to_ascii_uppercase());
        }
        c_name
    }
}

/// Declares uAPI structures: `repr(C)`, plain bytes, with their C names. A field without
/// documentation must be zero.
macro_rules! uapi_structs {
    ($(
        $(#[$meta:meta])*
        struct $name:ident = $c_name:literal {
            $( $(#[$($fmeta:tt)*])* $field:ident $(= $c_field:literal)? : $ty:ty ),* $(,)?
        }
    )*) => {
        $(
            $(#[$meta])*
            #[doc = concat!("\n\n`", $c_name, "`.")]
            #[repr(C)]
            #[derive(
                Clone, Copy, Debug, Default, PartialEq, Eq,
                zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            )]
            pub struct $name {
                $( #[doc = uapi_structs!(@doc $(#[$($fmeta)*])*)] pub $field: $ty, )*
            }

            impl $crate::uapi::Argument for $name {
                const LAYOUT: $crate::uapi::StructLayout = $crate::uapi::StructLayout {
                    c_name: $c_name,
                    size: size_of::<$name>(),
                    fields: &[$(
                        $crate::uapi::FieldLayout {
                            name: uapi_structs!(@name $field $($c_field)?),
                            offset: std::mem::offset_of!($name, $field),
                            size: size_of::<$ty>(),
                        },
                    )*],
                };
            }
        )*

        /// The layouts of this module's structures.
        pub(crate) const STRUCTS: &[$crate::uapi::StructLayout] =
            &[$(<$name as $crate::uapi::Argument>::LAYOUT,)*];
    };
    (@doc) => { "Zero." };
    (@doc $(#[doc = $doc:literal])+) => { concat!($($doc, "\n"),+) };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $c_field:literal) => { $c_field };
}

/// Declares constants, grouped by the prefix of their C names.
macro_rules! uapi_constants {
    ($( $prefix:literal { $( $(#[$meta:meta])* $name:ident: $ty:ty = $value:expr; )* } )*) => {
        $($( $(#[$meta])* pub const $name: $ty = $value; )*)*

        /// The constants of this module.
        pub(crate) const CONSTANTS: &[$crate::uapi::ConstantRow] = &[$($(
            $crate::uapi::ConstantRow {
                prefix: $prefix,
                name: stringify!($name),
                value: $name as u64,
            },
        )*)*];
    };
}

/// Declares enumerations, with the prefix of their C names.
macro_rules! uapi_enums {
    ($(
        $(#[$meta:meta])*
        enum $name:ident: $ty:ident = $prefix:literal {
            $( $(#[$vmeta:meta])* $variant:ident = $value:literal; )*
        }
    )*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[repr($ty)]
            pub enum $name {
                $( $(#[$vmeta])* $variant = $value, )*
            }

            impl $name {
                /// The enumerator with this number.
                pub const fn from_raw(raw: $ty) -> Option<Self> {
                    Some(match raw {
                        $( $value => Self::$variant, )*
                        _ => return None,
                    })
                }
            }
        )*

        /// The enumerators of this module.
        pub(crate) const ENUMS: &[$crate::uapi::ConstantRow] = &[$($(
            $crate::uapi::ConstantRow {
                prefix: $prefix,
                name: stringify!($variant),
                value: $name::$variant as u64,
            },
        )*)*];
    };
}

/// Declares flag words, with the prefix of their C names. Unknown bits are kept and printed.
macro_rules! uapi_flags {
    ($(
        $(#[$meta:meta])*
        flags $name:ident: $ty:ty = $prefix:literal {
            $( $(#[$($fmeta:tt)*])* $flag:ident = $value:expr; )*
        }
    )*) => {
        $(
            $(#[$meta])*
            #[repr(transparent)]
            #[derive(
                Clone, Copy, Default, PartialEq, Eq, Hash,
                zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            )]
            pub struct $name(pub $ty);

            bitflags::bitflags! {
                impl $name: $ty {
                    $( $(#[$($fmeta)*])* const $flag = $value; )*
                    const _ = !0;
                }
            }

            impl std::fmt::Debug for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    if self.is_empty() {
                        f.write_str("0")
                    } else {
                        bitflags::parser::to_writer(self, f)
                    }
                }
            }
        )*

        /// The flags of this module.
        pub(crate) const FLAGS: &[$crate::uapi::ConstantRow] = &[$($(
            $crate::uapi::ConstantRow {
                prefix: $prefix,
                name: stringify!($flag),
                value: $name::$flag.0 as u64,
            },
        )*)*];
    };
}

/// Declares ioctls: constants of type `Ioctl<Struct>`.
macro_rules! uapi_ioctls {
    ($(
        $(#[$meta:meta])*
        $name:ident = $direction:ident($number:expr, $ty:ty), $c_name:literal;
    )*) => {
        $(
            $(#[$meta])*
            #[doc = concat!("\n\n`", $c_name, "`.")]
            pub const $name: $crate::uapi::Ioctl<$ty> = $crate::uapi::Ioctl::new(
                $crate::uapi::Direction::$direction, $number, $c_name,
            );
        )*

        /// The ioctls of this module.
        pub(crate) const IOCTLS: &[$crate::uapi::IoctlRow] = &[$(
            $crate::uapi::IoctlRow { name: $c_name, request: $name.request() },
        )*];
    };
}

pub(crate) use {uapi_constants, uapi_enums, uapi_flags, uapi_ioctls, uapi_structs};

#[cfg(test)]
mod tests {
    use super::{Direction, Request};

    #[test]
    fn request_numbers_come_apart_as_they_were_put_together() {
        // DRM_IOCTL_VERSION on a 64-bit machine, as strace prints it.
        let version = Request(0xc040_6400);
        assert_eq!(version.number(), 0);
        assert_eq!(version.ty(), b'd');
        assert_eq!(version.size(), 64);
        assert_eq!(version.direction(), Direction::ReadWrite);
        assert_eq!(Request::compose(Direction::ReadWrite, b'd', 0, 64), version);
    }
}
