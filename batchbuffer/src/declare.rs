//! The macros behind the tables in [`packets`](crate::packets) and
//! [`states`](crate::states).
//!
//! ```text
//! packet! {
//!     /// What it is for, and where that is written.
//!     gpgpu_walker "GPGPU_WALKER" 0x7105_0000 on EU [Gen8..=Gen12Lp]
//!     length { 15 in 7:0 }
//!     "Indirect Data Length" INDIRECT_DATA_LENGTH { 2:16:0 uint }
//!     "SIMD Size" SIMD_SIZE { 4:31:30 values(SimdSize) }
//!     values SimdSize { SIMD8 = 0, SIMD16 = 1, SIMD32 = 2 }
//! }
//! ```
//!
//! A position is `dword:high bit:low bit`; high bits beyond 31 reach into the next dwords. A row
//! without a span of families in brackets ([`devinfo::span`]) holds on all families of the layout.
//! The span of a feature that hardware still has is open-ended. `every 64 x 0` after the kind makes
//! an array with that stride in bits and that many elements; 0 means "to the packet's end".
//! `with STATE` before the length re-exports the fields of a nested state.

/// The span of a row, or of the layout where the row has none.
macro_rules! span_of {
    ([$($row:tt)+] $layout:tt) => {
        devinfo::span!($($row)+)
    };
    ([$($layout:tt)+]) => {
        devinfo::span!($($layout)+)
    };
}

macro_rules! kind {
    (uint) => {
        $crate::layout::Kind::Uint
    };
    (int) => {
        $crate::layout::Kind::Int
    };
    (bool) => {
        $crate::layout::Kind::Bool
    };
    (address) => {
        $crate::layout::Kind::Address
    };
    (offset) => {
        $crate::layout::Kind::Offset
    };
    (register) => {
        $crate::layout::Kind::Register
    };
    (float) => {
        $crate::layout::Kind::Float
    };
    (one) => {
        $crate::layout::Kind::One
    };
    (ufixed($fraction:literal)) => {
        $crate::layout::Kind::Fixed {
            fraction: $fraction,
            signed: false,
        }
    };
    (sfixed($fraction:literal)) => {
        $crate::layout::Kind::Fixed {
            fraction: $fraction,
            signed: true,
        }
    };
    (values($values:path)) => {
        $crate::layout::Kind::Values(<$values as $crate::value::NamedValues>::NAMES)
    };
    (state($state:ident)) => {
        $crate::layout::Kind::State(&$crate::states::$state::LAYOUT)
    };
}

/// Named field values as an enum, with the manual's spelling kept for print.
macro_rules! named_values {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $($text:literal)? = $value:literal),* $(,)? }) => {
        $(#[$doc])*
        #[doc = concat!("Values of `", stringify!($name), "`.")]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the manual's own names")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum $name {
            $(
                #[doc = concat!("`", stringify!($variant), "`, ", stringify!($value), ".")]
                $variant = $value,
            )*
        }

        impl $crate::value::NamedValues for $name {
            const NAMES: &'static [(&'static str, u64)] =
                &[$((named_values!(@text $variant $($text)?), $value)),*];

            fn raw(self) -> u64 {
                self as u64
            }

            fn from_raw(raw: u64) -> Option<Self> {
                match raw {
                    $($value => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl From<$name> for $crate::value::Value {
            fn from(value: $name) -> Self {
                $crate::value::Value::Uint(value as u64)
            }
        }
    };
    (@text $variant:ident $text:literal) => { $text };
    (@text $variant:ident) => { stringify!($variant) };
}

macro_rules! fields {
    ($span:tt
        $(
            $name:literal $const:ident {
                $($( [$($row:tt)+] )? $dword:literal : $hi:literal : $lo:literal
                    $kind:ident $(($($arg:tt)*))? $(every $stride:literal x $count:literal)?),+ $(,)?
            }
        )*
        $(values $values:ident { $($body:tt)* })*
    ) => {
        $(
            #[doc = concat!(
                "`", $name, "`:",
                $(" ", $(stringify!($($row)+), " ",)? $dword, ":", $hi, ":", $lo,
                  " ", stringify!($kind), $("(", $(stringify!($arg),)* ")",)? ".",)+
            )]
            pub const $const: &$crate::layout::Field = &$crate::layout::Field {
                layout: NAME,
                name: $name,
                rows: $crate::layout::spread(&[
                    $({
                        #[allow(unused_mut, unused_assignments, reason = "set only by repeated fields")]
                        let mut repeat = None;
                        $(repeat = Some($crate::layout::Repeat { stride: $stride, count: $count });)?
                        (
                            span_of!($([$($row)+])? $span),
                            $crate::layout::Row {
                                dword: $dword,
                                hi: $hi,
                                lo: $lo,
                                kind: kind!($kind $(($($arg)*))?),
                                repeat,
                            },
                        )
                    }),+
                ]),
            };
        )*

        const FIELDS: &[&$crate::layout::Field] = &[$($const),*];

        $(named_values! { $values { $($body)* } })*
    };
}

macro_rules! lengths {
    ($span:tt
        $($( [$($row:tt)+] )? $dwords:literal $(or $more:ident)? $(in $hi:literal : $lo:literal)?),+ $(,)?
    ) => {
        $crate::layout::spread(&[
            $({
                #[allow(unused_mut, unused_assignments, reason = "set only where there is a length field")]
                let mut field = None;
                $(field = Some(($hi, $lo));)?
                let more: &[&str] = &[$(stringify!($more))?];
                (
                    span_of!($([$($row)+])? $span),
                    $crate::layout::Length { dwords: $dwords, open: !more.is_empty(), field },
                )
            }),+
        ])
    };
}

macro_rules! packet {
    (
        $(#[$doc:meta])*
        $module:ident $name:literal $header:literal on $engines:ident $span:tt
        $(with $body:ident)?
        length { $($length:tt)* }
        $($fields:tt)*
    ) => {
        $(#[$doc])*
        pub mod $module {
            #[allow(unused_imports, reason = "not every layout uses what layouts share")]
            use $crate::states::{SurfaceFormat, values};

            $(
                // The fields of the packet's body are the packet's.
                pub use $crate::states::$body::*;
            )?

            /// The manual's name.
            pub const NAME: &str = $name;

            fields! { $span $($fields)* }

            /// The declaration.
            pub static LAYOUT: $crate::layout::Layout = $crate::layout::Layout {
                name: NAME,
                header: Some($header),
                engines: $crate::layout::Engines::$engines,
                length: lengths!($span $($length)*),
                fields: FIELDS,
            };

            /// Begins the packet: header and length are set, everything else is zero.
            pub fn packet(family: devinfo::Family) -> $crate::Builder {
                $crate::Builder::new(family, &LAYOUT)
            }
        }
    };
}

macro_rules! state {
    (
        $(#[$doc:meta])*
        $module:ident $name:literal $span:tt
        length { $($length:tt)* }
        $($fields:tt)*
    ) => {
        $(#[$doc])*
        pub mod $module {
            #[allow(unused_imports, reason = "not every layout uses what layouts share")]
            use $crate::states::{SurfaceFormat, values};

            /// The manual's name.
            pub const NAME: &str = $name;

            fields! { $span $($fields)* }

            /// The declaration.
            pub static LAYOUT: $crate::layout::Layout = $crate::layout::Layout {
                name: NAME,
                header: None,
                engines: $crate::layout::Engines::empty(),
                length: lengths!($span $($length)*),
                fields: FIELDS,
            };

            /// Begins the state: all zero.
            pub fn state(family: devinfo::Family) -> $crate::Builder {
                $crate::Builder::new(family, &LAYOUT)
            }

            /// Reads the state from dwords; those that are missing read as zero.
            pub fn view(family: devinfo::Family, dwords: &[u32]) -> $crate::View<'_> {
                $crate::View::new(family, &LAYOUT, dwords)
            }
        }
    };
}
