//! Data port messages in words.

use core::fmt;

use super::message::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    OwordCount, SlotGroup,
};

impl fmt::Display for HdcSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bti(index) => write!(f, "bti[{index}]"),
            Self::Bindless(offset) => write!(f, "bindless[{offset:#x}]"),
            Self::Slm => f.write_str("slm"),
            Self::Stateless { coherent: true } => f.write_str("stateless"),
            Self::Stateless { coherent: false } => f.write_str("stateless non-coherent"),
        }
    }
}

impl fmt::Display for HdcAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::A32(surface) => surface.fmt(f),
            Self::A64 { coherent: true } => f.write_str("a64"),
            Self::A64 { coherent: false } => f.write_str("a64 non-coherent"),
        }
    }
}

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

const fn port_name(port: BlockPort) -> &'static str {
    match port {
        BlockPort::Data => "",
        BlockPort::Constant => "constant ",
    }
}

impl SlotGroup {
    const fn name(self) -> &'static str {
        match self {
            Self::FourByTwo => " simd4x2",
            Self::Low => "",
            Self::High => " high slots",
        }
    }
}

impl CompressionControl {
    const fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Uncompress => "uncompress",
        }
    }
}

/// The channels of a message, of which two are those of SIMD4x2.
struct Channels(u8);

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            2 => f.write_str("4x2"),
            simd => write!(f, "{simd}"),
        }
    }
}

struct Components(u8);

impl fmt::Display for Components {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, name) in ['x', 'y', 'z', 'w'].into_iter().enumerate() {
            if self.0 >> bit & 1 != 0 {
                write!(f, "{name}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Hdc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OwordBlock {
                direction,
                address,
                alignment,
                count,
                port,
            } => {
                let port = port_name(port);
                let alignment = match alignment {
                    BlockAlignment::Oword => "",
                    BlockAlignment::Dword => " (dword aligned)",
                };
                let high = match count {
                    OwordCount::OneHigh => "H",
                    _ => "",
                };
                write!(
                    f,
                    "{port}oword block {} x{}{high}{alignment} {address}",
                    direction.name(),
                    count.owords()
                )
            }
            Self::HwordBlock {
                direction,
                address,
                hwords,
            } => write!(f, "hword block {} x{hwords} {address}", direction.name()),
            Self::ScratchBlock {
                direction,
                hwords,
                offset,
                ..
            } => write!(
                f,
                "hword scratch block {} x{hwords} +{:#x}",
                direction.name(),
                u32::from(offset) * 32
            ),
            Self::Byte {
                direction,
                address,
                bytes,
                simd,
            } => write!(
                f,
                "byte scattered {} d{} simd{simd} {address}",
                direction.name(),
                bytes * 8
            ),
            Self::Scattered {
                direction,
                address,
                bytes,
                elements,
                simd,
                port,
            } => {
                let port = port_name(port);
                write!(
                    f,
                    "{port}scattered {} d{}x{elements} simd{simd} {address}",
                    direction.name(),
                    u32::from(bytes) * 8
                )
            }
            Self::Untyped {
                direction,
                address,
                components,
                simd,
            } => write!(
                f,
                "untyped surface {} {} simd{} {address}",
                direction.name(),
                Components(components),
                Channels(simd)
            ),
            Self::Typed {
                direction,
                surface,
                components,
                slots,
            } => write!(
                f,
                "typed surface {} {}{} {surface}",
                direction.name(),
                Components(components),
                slots.name()
            ),
            Self::Atomic {
                address,
                op,
                bytes,
                returns,
                simd,
            } => write!(
                f,
                "untyped atomic {} d{}{} simd{} {address}",
                op.mnemonic(),
                u32::from(bytes) * 8,
                if returns { " with return" } else { "" },
                Channels(simd)
            ),
            Self::TypedAtomic {
                surface,
                op,
                bytes,
                returns,
                slots,
            } => write!(
                f,
                "typed atomic {} d{}{}{} {surface}",
                op.mnemonic(),
                u32::from(bytes) * 8,
                if returns { " with return" } else { "" },
                slots.name()
            ),
            Self::OwordDualBlock {
                direction,
                address,
                owords,
                port,
            } => write!(
                f,
                "{}oword dual block {} x{owords} {address}",
                port_name(port),
                direction.name()
            ),
            Self::ByteStatus {
                address,
                bytes,
                simd,
            } => write!(
                f,
                "byte scattered read with status d{} simd{simd} {address}",
                bytes * 8
            ),
            Self::ScaledUntyped {
                direction,
                pitch,
                offset,
                components,
                simd,
            } => write!(
                f,
                "scaled untyped surface {} {} simd{simd} slm*{pitch}+{offset:#x}",
                direction.name(),
                Components(components)
            ),
            Self::ScaledByte {
                direction,
                pitch,
                offset,
                bytes,
                simd,
            } => write!(
                f,
                "scaled byte scattered {} d{} simd{simd} slm*{pitch}+{offset:#x}",
                direction.name(),
                bytes * 8
            ),
            Self::TypedStatus {
                surface,
                components,
                slots,
            } => write!(
                f,
                "typed surface read with status {}{} {surface}",
                Components(components),
                slots.name()
            ),
            Self::CounterAtomic {
                surface,
                op,
                bytes,
                returns,
                simd,
            } => write!(
                f,
                "counter atomic {} d{}{} simd{} {surface}",
                op.mnemonic(),
                u32::from(bytes) * 8,
                if returns { " with return" } else { "" },
                Channels(simd)
            ),
            Self::UncompressedWrite {
                address,
                components,
                simd,
            } => write!(
                f,
                "untyped surface uncompressed write {} simd{simd} {address}",
                Components(components)
            ),
            Self::TypedUncompressedWrite {
                surface,
                components,
                slots,
            } => write!(
                f,
                "typed surface uncompressed write {}{} {surface}",
                Components(components),
                slots.name()
            ),
            Self::SectorControl {
                control,
                address,
                simd,
            } => write!(f, "sector {} simd{simd} {address}", control.name()),
            Self::TypedSectorControl {
                control,
                surface,
                slots,
            } => write!(
                f,
                "typed sector {}{} {surface}",
                control.name(),
                slots.name()
            ),
            Self::PageControl { control, address } => {
                write!(f, "page {} {address}", control.name())
            }
            Self::MediaBlock {
                direction, surface, ..
            } => write!(f, "media block {} {surface}", direction.name()),
            Self::Fence { slm, commit, .. } => write!(
                f,
                "{}{} fence",
                if commit { "synchronized " } else { "" },
                if slm { "slm" } else { "global" }
            ),
        }
    }
}
