//! Why descriptors and messages do not go together.

use devinfo::Family;

use crate::Sfid;

/// Why descriptors form no message, or why a message has no descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// The family has no shared function of this number.
    #[error("{family} has no shared function {id:#x}")]
    UnknownSfid {
        /// The shared function id.
        id: u8,
        /// The family.
        family: Family,
    },
    /// A field holds a value that the family does not define.
    #[error("{function} descriptor {descriptor:#010x}: {field} {value:#x} is not defined")]
    Field {
        /// The shared function.
        function: Sfid,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The descriptor.
        descriptor: u32,
    },
    /// The message has a number, but no public source describes the rest of its descriptor.
    #[error("{what} (descriptor {descriptor:#010x}): no public source describes its fields")]
    Undescribed {
        /// What it is.
        what: &'static str,
        /// The descriptor.
        descriptor: u32,
    },
    /// A value is too large for its field.
    #[error("{field} {value:#x} exceeds {limit:#x}")]
    Range {
        /// The field.
        field: &'static str,
        /// The value.
        value: u32,
        /// The largest value that fits.
        limit: u32,
    },
    /// No code of a field stands for the value that the message has.
    #[error("{family} has no such {field}")]
    Value {
        /// The field.
        field: &'static str,
        /// The family.
        family: Family,
    },
    /// The family cannot express the message.
    #[error("{family} has no {what}")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
        /// The family.
        family: Family,
    },
    /// The fields are in range, but the family does not have their combination.
    #[error("{family} has no such message: {text} (rule `{rule}`)")]
    Rule {
        /// The name of the [`MessageRule`](super::MessageRule).
        rule: &'static str,
        /// The restriction.
        text: &'static str,
        /// The family.
        family: Family,
    },
}
