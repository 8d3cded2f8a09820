//! The errors of encoding and decoding.

use devinfo::Family;

/// A packet or state could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The layout does not exist on the family.
    #[error("{layout} does not exist on {family}")]
    NoSuchLayout {
        /// The layout's name.
        layout: &'static str,
        /// The family asked for.
        family: Family,
    },
    /// The field does not exist in this layout on the family.
    #[error("{layout} has no field \"{field}\" on {family}")]
    NoSuchField {
        /// The layout that is being built.
        layout: &'static str,
        /// The field's name.
        field: &'static str,
        /// The family built for.
        family: Family,
    },
    /// The value needs more bits than the field has.
    #[error("{layout}, \"{field}\": {value} does not fit, the limit is {limit:#x} ({bits} bits)")]
    DoesNotFit {
        /// The layout that is being built.
        layout: &'static str,
        /// The field's name.
        field: &'static str,
        /// The value as it was given.
        value: String,
        /// The largest value the field takes.
        limit: u64,
        /// The field's width in bits.
        bits: u32,
    },
    /// An address or offset has bits below the field's lowest bit.
    #[error("{layout}, \"{field}\": {value:#x} is not a multiple of {alignment} bytes")]
    Misaligned {
        /// The layout that is being built.
        layout: &'static str,
        /// The field's name.
        field: &'static str,
        /// The value as it was given.
        value: u64,
        /// The alignment that the field requires, in bytes.
        alignment: u64,
    },
    /// An element of a repeated field lies beyond its end.
    #[error("{layout}, \"{field}\": element {index} of {count}")]
    NoSuchElement {
        /// The layout that is being built.
        layout: &'static str,
        /// The field's name.
        field: &'static str,
        /// The element asked for.
        index: usize,
        /// How many elements there are.
        count: usize,
    },
    /// A field lies beyond the dwords of its packet or state.
    #[error("{layout}: bit {bit} lies beyond its {dwords} dwords")]
    BeyondEnd {
        /// The layout that is being built.
        layout: &'static str,
        /// The last bit of the field.
        bit: usize,
        /// The dwords that there are.
        dwords: usize,
    },
    /// The packet is longer than its length field can say.
    #[error("{layout}: {dwords} dwords, but its length field ends at {limit}")]
    TooLong {
        /// The packet's name.
        layout: &'static str,
        /// The dwords it would have.
        dwords: usize,
        /// The most it can have.
        limit: usize,
    },
    /// A state of another layout or family was given for a nested field.
    #[error("{layout}, \"{field}\" takes a {expected}, not a {given}")]
    WrongState {
        /// The layout that is being built.
        layout: &'static str,
        /// The field's name.
        field: &'static str,
        /// The nested layout's name.
        expected: &'static str,
        /// The name of what was given.
        given: &'static str,
    },
    /// The buffer that the packet goes to is full.
    #[error("{layout}: {needed} dwords needed, {left} left in the buffer")]
    Full {
        /// The packet's name.
        layout: &'static str,
        /// The dwords of the packet.
        needed: usize,
        /// The dwords that are left.
        left: usize,
    },
}

/// Dwords could not be read as a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// There is nothing left to read.
    #[error("the batch ends without MI_BATCH_BUFFER_END")]
    Empty,
    /// No packet of the engine has this header.
    #[error("unknown command {header:#010x} on the {engine} engine of {family}")]
    Unknown {
        /// The first dword.
        header: u32,
        /// The engine that reads the batch.
        engine: crate::Engine,
        /// The family decoded for.
        family: Family,
        /// How many dwords the header's general length rule would skip.
        dwords: usize,
    },
    /// The packet's length field reaches beyond the dwords that are there.
    #[error("{packet} ({header:#010x}) has {needed} dwords, only {have} are there")]
    Truncated {
        /// The packet's name.
        packet: &'static str,
        /// Its header dword.
        header: u32,
        /// The dwords that its header says it has.
        needed: usize,
        /// The dwords that are there.
        have: usize,
    },
}
