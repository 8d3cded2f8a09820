//! How the layout of a message is declared.
//!
//! [`messages!`] makes an enum of messages and, from the rows below each of its variants, the
//! decoder, the encoder and the printer. A row is one layout of the variant: the shared function,
//! the families that have it, the fields whose codes tell it from other layouts, the values that it
//! fixes, and a [`Code`] for each other value: where it is and how it is coded.

use devinfo::{Family, Span};

use super::descriptors::Descriptors;
use super::error::DescriptorError;
use crate::Sfid;

/// The function and the descriptors of a message of `family`: what layouts read and write.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub family: Family,
    pub function: Sfid,
    pub descriptors: Descriptors,
}

/// Why a layout does not fit: a field has no such value or, if `None`, the layout is for another
/// message.
pub(super) type Miss = Option<DescriptorError>;

impl Words {
    pub(super) fn new(family: Family, function: Sfid, descriptors: Descriptors) -> Self {
        Self {
            family,
            function,
            descriptors,
        }
    }

    /// The error of a field that the family does not define.
    pub(super) const fn undefined(&self, field: &'static str, value: u32) -> DescriptorError {
        DescriptorError::Field {
            function: self.function,
            field,
            value,
            descriptor: self.descriptors.descriptor,
        }
    }

    /// The error of a value that no code of the field stands for.
    pub(super) const fn no_code(&self, field: &'static str) -> Miss {
        Some(DescriptorError::Value {
            field,
            family: self.family,
        })
    }
}

/// Where a value is in the descriptors, and what its codes mean.
pub(super) trait Code<T> {
    fn get(&self, from: &Words) -> Result<T, Miss>;
    fn put(&self, into: &mut Words, value: T) -> Result<(), Miss>;
}

/// Bits `high..=low` of the descriptor or of the extended descriptor; the highest bit of its values
/// may be elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: &'static str,
    high: u8,
    low: u8,
    extended: bool,
    highest: Option<u8>,
}

impl Field {
    /// Bits `high` down to `low` of the descriptor, both included, as the manuals write them.
    pub(super) const fn new(name: &'static str, high: u8, low: u8) -> Self {
        assert!(high >= low && high < 32);
        Self {
            name,
            high,
            low,
            extended: false,
            highest: None,
        }
    }

    /// The field with another bit, as the highest of its values.
    pub(super) const fn and(self, highest: u8) -> Self {
        Self {
            highest: Some(highest),
            ..self
        }
    }

    /// A single bit.
    pub(super) const fn bit(name: &'static str, position: u8) -> Self {
        Self::new(name, position, position)
    }

    /// Bits of the extended descriptor.
    pub(super) const fn extended(name: &'static str, high: u8, low: u8) -> Self {
        Self {
            extended: true,
            ..Self::new(name, high, low)
        }
    }

    /// How many bits it has.
    pub(super) const fn width(self) -> u32 {
        (self.high - self.low + 1) as u32
    }

    const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.width())
    }

    /// The field's value in `word`.
    pub(super) const fn of(self, word: u32) -> u32 {
        (word >> self.low) & self.mask()
    }

    /// The field's value in `word` as a signed number.
    pub(super) const fn signed(self, word: u32) -> i32 {
        signed(self.of(word), self.width())
    }

    /// Puts `value` into the field of `word`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when `value` has more bits than the field.
    pub(super) fn set(self, word: &mut u32, value: u32) -> Result<(), DescriptorError> {
        if value > self.mask() {
            return Err(DescriptorError::Range {
                field: self.name,
                value,
                limit: self.mask(),
            });
        }
        *word = (*word & !(self.mask() << self.low)) | (value << self.low);
        Ok(())
    }

    /// Puts the signed `value` into the field of `word`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when `value` has more bits than the field.
    pub(super) fn set_signed(self, word: &mut u32, value: i32) -> Result<(), DescriptorError> {
        if signed(value as u32, self.width()) != value {
            return Err(DescriptorError::Range {
                field: self.name,
                value: value as u32,
                limit: self.mask() >> 1,
            });
        }
        self.set(word, value as u32 & self.mask())
    }

    /// The field's value in a message.
    pub(super) const fn code(self, from: &Words) -> u32 {
        let Descriptors {
            descriptor,
            extended,
            ..
        } = from.descriptors;
        let word = if self.extended { extended } else { descriptor };
        match self.highest {
            Some(bit) => self.of(word) | (word >> bit & 1) << self.width(),
            None => self.of(word),
        }
    }

    /// Puts `code` into the field of a message.
    pub(super) fn put_code(self, into: &mut Words, code: u32) -> Result<(), Miss> {
        let descriptors = &mut into.descriptors;
        let word = match self.extended {
            true => &mut descriptors.extended,
            false => &mut descriptors.descriptor,
        };
        let Some(bit) = self.highest else {
            return self.set(word, code).map_err(Some);
        };
        let highest = Field::bit(self.name, bit);
        highest.set(word, code >> self.width()).map_err(Some)?;
        self.set(word, code & self.mask()).map_err(Some)
    }
}

/// The lowest `bits` of `value` as a signed number.
pub(super) const fn signed(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

macro_rules! number {
    ($($ty:ty)*) => {$(
        impl Code<$ty> for Field {
            fn get(&self, from: &Words) -> Result<$ty, Miss> {
                Ok(self.code(from) as $ty)
            }

            fn put(&self, into: &mut Words, value: $ty) -> Result<(), Miss> {
                self.put_code(into, value.into())
            }
        }
    )*};
}
number! { u8 u16 u32 }

impl Code<bool> for Field {
    fn get(&self, from: &Words) -> Result<bool, Miss> {
        Ok(self.code(from) != 0)
    }

    fn put(&self, into: &mut Words, value: bool) -> Result<(), Miss> {
        self.put_code(into, value.into())
    }
}

/// A field whose codes are listed.
pub(super) struct Table<T: 'static>(pub Field, pub &'static [(u32, T)]);

impl<T: Copy + PartialEq> Code<T> for Table<T> {
    fn get(&self, from: &Words) -> Result<T, Miss> {
        let code = self.0.code(from);
        let row = self.1.iter().find(|row| row.0 == code);
        row.map(|row| row.1)
            .ok_or(Some(from.undefined(self.0.name, code)))
    }

    fn put(&self, into: &mut Words, value: T) -> Result<(), Miss> {
        match self.1.iter().find(|row| row.1 == value) {
            Some(row) => self.0.put_code(into, row.0),
            None => Err(into.no_code(self.0.name)),
        }
    }
}

/// A field whose codes not every family has.
pub(super) struct FamilyTable<T: 'static>(pub Field, pub &'static [(Span, u32, T)]);

impl<T: Copy + PartialEq> Code<T> for FamilyTable<T> {
    fn get(&self, from: &Words) -> Result<T, Miss> {
        let code = self.0.code(from);
        self.1
            .iter()
            .find(|row| row.1 == code && row.0.contains(from.family))
            .map(|row| row.2)
            .ok_or(Some(from.undefined(self.0.name, code)))
    }

    fn put(&self, into: &mut Words, value: T) -> Result<(), Miss> {
        let row = self
            .1
            .iter()
            .find(|row| row.2 == value && row.0.contains(into.family));
        match row {
            Some(row) => self.0.put_code(into, row.1),
            None => Err(into.no_code(self.0.name)),
        }
    }
}

/// Like [`Table`], for a field that also tells layouts apart: codes that are not listed belong to
/// other messages.
pub(super) struct Choice<T: 'static, const N: usize>(pub Field, pub [(u32, T); N]);

impl<T: Copy + PartialEq, const N: usize> Code<T> for Choice<T, N> {
    fn get(&self, from: &Words) -> Result<T, Miss> {
        let code = self.0.code(from);
        let row = self.1.iter().find(|row| row.0 == code);
        row.map(|row| row.1).ok_or(None)
    }

    fn put(&self, into: &mut Words, value: T) -> Result<(), Miss> {
        match self.1.iter().find(|row| row.1 == value) {
            Some(row) => self.0.put_code(into, row.0),
            None => Err(None),
        }
    }
}

/// A field whose code tells layouts apart.
pub(super) trait Select {
    fn is(&self, from: &Words, code: u32) -> bool;
    fn set_to(&self, into: &mut Words, code: u32) -> Result<(), Miss>;
}

impl Select for Field {
    fn is(&self, from: &Words, code: u32) -> bool {
        self.code(from) == code
    }

    fn set_to(&self, into: &mut Words, code: u32) -> Result<(), Miss> {
        self.put_code(into, code)
    }
}

/// A field that is written but ignored when read.
pub(super) struct Written(pub Field);

impl Select for Written {
    fn is(&self, _: &Words, _: u32) -> bool {
        true
    }

    fn set_to(&self, into: &mut Words, code: u32) -> Result<(), Miss> {
        self.0.put_code(into, code)
    }
}

/// Whether `words` has a row's function; `None` matches any.
pub(super) fn is_function(words: &Words, function: Option<Sfid>) -> bool {
    function.is_none_or(|function| function == words.function)
}

/// Declares messages. See the [module](self).
///
/// ```text
/// /// What it does.
/// Variant { /** What it is. */ field: Type, other: Type } ("format {field}", other)
///     => Function(span) [FIELD => code, …] { fixed = value, …; coded: CODE, … }
///     …
/// ```
///
/// Rows are tried in the order in which they are written, in both directions. With `_` in place of
/// the function, the code of a value decides it.
macro_rules! messages {
    (
        $(#[$meta:meta])*
        $name:ident;
        $(
            $(#[$doc:meta])*
            $variant:ident $({ $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })?
            ($($print:tt)*)
            $(=> $function:tt($($span:tt)*) [$($select:expr => $code:expr),*] {
                $($fixed:ident = $value:tt),*; $($coded:ident: $at:expr),*
            })*
        )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $variant $({ $($(#[$field_doc])* $field: $ty,)* })?,)*
        }

        impl $name {
            /// The message of these descriptors; `None` if no layout is for them, or the error of
            /// the first layout that is.
            pub(in $crate::message) fn decode(
                words: &$crate::message::layout::Words,
            ) -> Result<Self, $crate::message::layout::Miss> {
                #[allow(unused_imports, reason = "messages may have no values")]
                use $crate::message::layout::{Code, Select, is_function};
                let mut first = None;
                $($(
                    if is_function(words, messages!(@function $function))
                        && devinfo::span!($($span)*).contains(words.family)
                        $(&& $select.is(words, $code))*
                    {
                        let read = || {
                            Ok::<Self, $crate::message::layout::Miss>(Self::$variant {
                                $($fixed: $value,)*
                                $($coded: $at.get(words)?,)*
                            })
                        };
                        match read() {
                            Ok(message) => return Ok(message),
                            Err(miss) => first = first.or(miss),
                        }
                    }
                )*)*
                Err(first)
            }

            /// The descriptors of this message.
            pub(in $crate::message) fn encode(
                self,
                family: devinfo::Family,
            ) -> Result<$crate::message::layout::Words, $crate::message::DescriptorError> {
                #[allow(unused_imports, reason = "messages may have no values")]
                use $crate::message::layout::{Code, Select, Words};
                let mut first = None;
                $($(
                    if let Self::$variant { $($fixed: $value,)* $($coded,)* } = self
                        && devinfo::span!($($span)*).contains(family)
                    {
                        let function = messages!(@function $function);
                        let mut words = Words::new(
                            family,
                            function.unwrap_or($crate::Sfid::Null),
                            $crate::message::Descriptors::default(),
                        );
                        let mut write = || {
                            $($select.set_to(&mut words, $code)?;)*
                            $($at.put(&mut words, $coded)?;)*
                            Ok::<(), $crate::message::layout::Miss>(())
                        };
                        match write() {
                            Ok(()) => return Ok(words),
                            Err(miss) => first = first.or(miss),
                        }
                    }
                )*)*
                Err(first.unwrap_or($crate::message::DescriptorError::Unsupported {
                    what: match self {
                        $(Self::$variant { .. } => concat!("such ", stringify!($variant), " message"),)*
                    },
                    family,
                }))
            }

            /// The first value of type `T` that the message has.
            #[allow(dead_code, reason = "not all messages are asked for a part")]
            pub(in $crate::message) fn part<T: Copy + 'static>(&self) -> Option<T> {
                match self {
                    $(Self::$variant $({ $($field,)* })? => {
                        let values: &[&dyn core::any::Any] = &[$($($field,)*)?];
                        values.iter().find_map(|value| value.downcast_ref::<T>().copied())
                    })*
                }
            }
        }

        impl core::fmt::Display for $name {
            #[allow(unused_variables, reason = "not all values are printed")]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match *self {
                    $(Self::$variant $({ $($field,)* })? => write!(f, $($print)*),)*
                }
            }
        }
    };
    (@function _) => { None };
    (@function $function:ident) => { Some($crate::Sfid::$function) };
}
pub(super) use messages;

/// Declares the layout of a message that is a structure: its fields, its function, and a [`Code`] for
/// each field or tuple of them.
macro_rules! message {
    ($name:ident { $($field:ident),+ } => $function:ident { $($value:tt: $at:expr,)* }) => {
        impl $name {
            /// The message of these descriptors.
            pub(in $crate::message) fn decode(
                words: &$crate::message::layout::Words,
            ) -> Result<Self, $crate::message::layout::Miss> {
                use $crate::message::layout::Code;
                $(let $value = $at.get(words)?;)*
                Ok(Self { $($field),+ })
            }

            /// The descriptors of this message.
            pub(in $crate::message) fn encode(
                self,
                family: devinfo::Family,
            ) -> Result<$crate::message::layout::Words, $crate::message::DescriptorError> {
                use $crate::message::layout::{Code, Words};
                let unsupported = $crate::message::DescriptorError::Unsupported {
                    what: concat!("such ", stringify!($name), " message"),
                    family,
                };
                let descriptors = $crate::message::Descriptors::default();
                let mut words = Words::new(family, $crate::Sfid::$function, descriptors);
                let Self { $($field),+ } = self;
                let mut write = || {
                    $($at.put(&mut words, $value)?;)*
                    Ok::<(), $crate::message::layout::Miss>(())
                };
                write().map_err(|miss| miss.unwrap_or(unsupported))?;
                Ok(words)
            }
        }
    };
}
pub(super) use message;

/// Declares enums whose values have a name for printing and, optionally, a code.
macro_rules! values {
    ($(
        $(#[$meta:meta])*
        $name:ident { $($(#[$doc:meta])* $value:ident $text:literal $(= $code:literal)?,)* }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $value $(= $code)?,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// Every value with its code, or with its position if none is declared.
            #[allow(dead_code, reason = "some are no field's")]
            pub(in $crate::message) const CODES: &'static [(u32, Self)] =
                &[$((Self::$value as u32, Self::$value),)*];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}
pub(super) use values;
