//! The words of the load/store syntax, in which IGC and IGA write these messages.
//!
//! Sources: IGA `KernelParser.cpp` (`ParseLdStInst`), `Formatter.cpp` (`formatLoadStoreSyntax`) and
//! `Messages.cpp`. IGA writes fences as sends; here they have words of their own.

use core::fmt;

use super::message::Lsc;
use super::types::{AddressSize, AppendOp, LscPort};
use crate::message::{AtomicOp, Direction};

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Vector { direction: Direction, strided: bool },
    Quad(Direction),
    Block2d(Direction),
    StoreUncompressed,
    StoreUncompressedQuad,
    Atomic(AtomicOp),
    Append(AppendOp),
    Fence,
}

/// The operands of an operation besides its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// The response.
    Load,
    /// Source 1.
    Store,
    /// The response and source 1.
    Atomic,
}

/// Names of operations other than atomic ones. The first name of an operation is the one to print.
const NAMES: &[(&str, Operation)] = {
    use Direction::{Read, Write};
    use Operation as O;
    const fn vector(direction: Direction, strided: bool) -> O {
        O::Vector { direction, strided }
    }
    &[
        ("load", vector(Read, false)),
        ("store", vector(Write, false)),
        ("load_strided", vector(Read, true)),
        ("load_block", vector(Read, true)),
        ("store_strided", vector(Write, true)),
        ("store_block", vector(Write, true)),
        ("load_quad", O::Quad(Read)),
        ("load_cmask", O::Quad(Read)),
        ("store_quad", O::Quad(Write)),
        ("store_cmask", O::Quad(Write)),
        ("load_block2d", O::Block2d(Read)),
        ("store_block2d", O::Block2d(Write)),
        ("store_uncompressed", O::StoreUncompressed),
        ("store_uncompressed_quad", O::StoreUncompressedQuad),
        ("fence", O::Fence),
    ]
};

impl Operation {
    /// The operation of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let plain = || NAMES.iter().find(|row| row.0 == name).map(|row| row.1);
        let append = || AppendOp::ALL.iter().find(|op| op.name() == name);
        let atomic = || {
            let name = name.strip_prefix("atomic_")?;
            AtomicOp::ALL.iter().find(|op| op.name() == name)
        };
        plain()
            .or_else(|| append().copied().map(Self::Append))
            .or_else(|| atomic().copied().map(Self::Atomic))
    }

    /// What `message` does, if the syntax has a word for it.
    pub(crate) const fn of(message: &Lsc) -> Option<Self> {
        Some(match *message {
            Lsc::Vector {
                direction, strided, ..
            } => Self::Vector { direction, strided },
            Lsc::Quad { direction, .. } => Self::Quad(direction),
            Lsc::Block2d { direction, .. } => Self::Block2d(direction),
            Lsc::StoreUncompressed { .. } => Self::StoreUncompressed,
            Lsc::StoreUncompressedQuad { .. } => Self::StoreUncompressedQuad,
            Lsc::Atomic { op, .. } => Self::Atomic(op),
            Lsc::AppendCounter { op, .. } => Self::Append(op),
            Lsc::Fence { to_lsc: false, .. } => Self::Fence,
            Lsc::Fence { .. }
            | Lsc::Compression { .. }
            | Lsc::ReadState { .. }
            | Lsc::LoadStatus { .. } => return None,
        })
    }

    /// The size of addresses that the syntax writes, even where no field holds it.
    pub(crate) fn address_size(message: &Lsc) -> Option<AddressSize> {
        match message {
            Lsc::AppendCounter { .. }
            | Lsc::Block2d {
                port: LscPort::Tgm, ..
            } => Some(AddressSize::A32),
            Lsc::Block2d { .. } => Some(AddressSize::A64),
            _ => message.address_size(),
        }
    }

    /// The operands besides the addresses.
    pub(crate) const fn operands(self) -> Operands {
        match self {
            Self::Vector { direction, .. } | Self::Quad(direction) | Self::Block2d(direction) => {
                match direction {
                    Direction::Read => Operands::Load,
                    Direction::Write => Operands::Store,
                }
            }
            Self::StoreUncompressed | Self::StoreUncompressedQuad => Operands::Store,
            Self::Atomic(_) | Self::Append(_) => Operands::Atomic,
            Self::Fence => Operands::Load,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomic(op) => write!(f, "atomic_{op}"),
            Self::Append(op) => op.fmt(f),
            _ => f.write_str(
                NAMES
                    .iter()
                    .find(|row| row.1 == *self)
                    .map_or("", |row| row.0),
            ),
        }
    }
}
