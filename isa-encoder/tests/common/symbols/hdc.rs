//! Data port messages.

use devinfo::Family;
use isa_encoder::message::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    SlotGroup,
};

pub fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "load",
        Direction::Write => "store",
    }
}

fn surface(surface: HdcSurface) -> String {
    match surface {
        HdcSurface::Bti(index) => format!("bti[{index}]"),
        HdcSurface::Bindless(_) => "bti[252]".to_owned(),
        HdcSurface::Slm => "slm".to_owned(),
        HdcSurface::Stateless { coherent: true } => "stateless".to_owned(),
        HdcSurface::Stateless { coherent: false } => "stateless_incoherent".to_owned(),
    }
}

/// The surface, and how wide the addresses are.
fn place(address: HdcAddress) -> String {
    match address {
        HdcAddress::A32(place) => format!("{}.a32", surface(place)),
        HdcAddress::A64 { coherent } => {
            format!("{}.a64", surface(HdcSurface::Stateless { coherent }))
        }
    }
}

pub fn letters(components: u8) -> String {
    (0..4)
        .filter(|bit| components >> bit & 1 != 0)
        .map(|bit| ['x', 'y', 'z', 'w'][bit])
        .collect()
}

fn control_letters(control: CompressionControl) -> &'static str {
    match control {
        CompressionControl::Clear => "yzw",
        CompressionControl::Uncompress => "zw",
    }
}

pub fn hdc(family: Family, message: &Hdc) -> Option<String> {
    // iga64 does not double the channels of these for registers of 64 bytes.
    let narrow = |simd: u8| match family {
        Family::XeHpc | Family::Xe2 | Family::Xe3 => simd / 2,
        _ => simd,
    };
    let typed = match family {
        Family::XeHpc | Family::Xe2 | Family::Xe3 => 16,
        _ => 8,
    };
    Some(match *message {
        Hdc::OwordBlock {
            direction,
            address,
            alignment,
            count,
            port,
        } => {
            let verb = verb(direction);
            let dword = alignment == BlockAlignment::Dword;
            let name = match (port, address) {
                (BlockPort::Constant, _) if dword => "aligned_const_load_block".to_owned(),
                (BlockPort::Constant, _) => "const_load_block".to_owned(),
                (_, HdcAddress::A64 { .. }) if dword => format!("{verb}_block_aligned"),
                (_, HdcAddress::A32(_)) if dword => format!("aligned_{verb}_block128"),
                _ => format!("{verb}_block"),
            };
            format!("hdc_{name}.{}.d128x{}", place(address), count.owords())
        }
        Hdc::HwordBlock {
            direction,
            address,
            hwords,
        } => {
            let verb = verb(direction);
            let name = match address {
                HdcAddress::A64 { .. } => format!("{verb}_block"),
                HdcAddress::A32(_) => format!("aligned_{verb}_block256"),
            };
            format!("hdc_{name}.{}.d256x{hwords}", place(address))
        }
        Hdc::ScratchBlock {
            direction,
            hwords,
            offset,
            ..
        } => format!(
            "hdc_{}_block.scratch+{}.a32.d256x{hwords}",
            verb(direction),
            32 * u32::from(offset)
        ),
        Hdc::Byte {
            direction,
            address,
            bytes,
            simd,
        } => {
            let data = ["d8u32", "d16u32", "d32", "d64"][bytes.trailing_zeros() as usize];
            let simd = narrow(simd);
            format!(
                "hdc_{}_simd{simd}.{}.{data}",
                verb(direction),
                place(address)
            )
        }
        Hdc::Scattered {
            direction,
            address,
            bytes,
            elements,
            simd,
            port,
        } => {
            let port = match port {
                BlockPort::Data => "",
                BlockPort::Constant => "const_",
            };
            let vector = match elements {
                1 => String::new(),
                elements => format!("x{elements}"),
            };
            format!(
                "hdc_{port}{}_simd{}.{}.d{}{vector}",
                verb(direction),
                narrow(simd),
                place(address),
                8 * u32::from(bytes)
            )
        }
        Hdc::Untyped { simd: 2, .. }
        | Hdc::Atomic { simd: 2, .. }
        | Hdc::TypedAtomic {
            slots: SlotGroup::FourByTwo,
            ..
        } => return None,
        Hdc::Untyped {
            direction,
            address,
            components,
            simd,
        } => format!(
            "hdc_untyped_{}_simd{simd}.{}.d32.{}",
            verb(direction),
            place(address),
            letters(components)
        ),
        Hdc::Typed {
            direction,
            surface: place,
            components,
            slots,
        } => format!(
            "hdc_typed_{}{}_simd{typed}.{}.a32.d32.{}",
            verb(direction),
            if slots == SlotGroup::High { "_sgh" } else { "" },
            surface(place),
            letters(components)
        ),
        Hdc::Atomic {
            address,
            op,
            bytes,
            returns,
            simd,
        } => {
            let name = match op.name() {
                "ipdec" => "iipdec",
                name => name,
            };
            let kind = if op.is_float() { "" } else { "untyped_" };
            let simd = match simd {
                32 => String::new(),
                simd => format!("_simd{simd}"),
            };
            format!(
                "hdc_{kind}atomic_{name}{}{simd}.{}.d{}",
                if returns { "_ret" } else { "" },
                place(address),
                8 * u32::from(bytes)
            )
        }
        Hdc::TypedAtomic {
            surface: place,
            op,
            bytes,
            returns,
            slots,
        } => {
            let name = match op.name() {
                "ipdec" => "iipdec",
                name => name,
            };
            format!(
                "hdc_typed_{}atomic_{name}{}_simd{typed}.{}.a32.d{}",
                if slots == SlotGroup::High { "sgh_" } else { "" },
                if returns { "_ret" } else { "" },
                surface(place),
                8 * u32::from(bytes)
            )
        }
        Hdc::CounterAtomic {
            surface: place,
            op,
            bytes,
            returns,
            simd,
        } if simd != 2 => {
            let name = match op.name() {
                "ipdec" => "iipdec",
                name => name,
            };
            format!(
                "hdc_typed_atomic_{name}{}_simd{simd}.{}.a32.d{}",
                if returns { "_ret" } else { "" },
                surface(place),
                8 * u32::from(bytes)
            )
        }
        Hdc::ByteStatus {
            address,
            bytes,
            simd,
        } => {
            let data = ["d8u32", "d16u32", "d32"][bytes.trailing_zeros() as usize];
            format!("hdc_load_simd{}.{}.{data}", narrow(simd), place(address))
        }
        Hdc::TypedStatus {
            surface: place,
            components,
            slots,
        } => format!(
            "hdc_typed_load{}_wstatus_simd{typed}.{}.a32.d32.{}",
            if slots == SlotGroup::High { "_sgh" } else { "" },
            surface(place),
            letters(components)
        ),
        Hdc::UncompressedWrite {
            address,
            components,
            simd,
        } => format!(
            "hdc_{}untyped_uncompressed_store_quad_simd{simd}.{}.d32.{}",
            match address {
                HdcAddress::A64 { .. } => "a64_",
                HdcAddress::A32(_) => "",
            },
            place(address),
            letters(components)
        ),
        Hdc::TypedUncompressedWrite {
            surface: place,
            components,
            ..
        } => format!(
            "hdc_typed_uncompressed_store_quad.{}.a32.d32.{}",
            surface(place),
            letters(components)
        ),
        // iga64 also reads the operation as a channel mask.
        Hdc::SectorControl {
            control,
            address,
            simd,
        } => format!(
            "hdc_a64_untyped_ccs_op_simd{simd}.{}.d0.{}",
            place(address),
            control_letters(control)
        ),
        Hdc::TypedSectorControl {
            control,
            surface: place,
            ..
        } => format!(
            "hdc_a64_typed_ccs_op.{}.a32.d32.{}",
            surface(place),
            control_letters(control)
        ),
        Hdc::PageControl { .. } => "a64_ccs_update".to_owned(),
        Hdc::OwordDualBlock { .. }
        | Hdc::ScaledUntyped { .. }
        | Hdc::ScaledByte { .. }
        | Hdc::CounterAtomic { .. } => return None,
        Hdc::MediaBlock {
            direction,
            surface: place,
            ..
        } => {
            let name = match direction {
                Direction::Read => "mbrd",
                Direction::Write => "mbwr",
            };
            format!("hdc_{name}.{}", surface(place))
        }
        Hdc::Fence { slm, commit, flush } => {
            let commit = if commit { "sync_" } else { "" };
            if slm {
                return Some(format!("{commit}slm_fence"));
            }
            let mut out = format!("{commit}global_fence");
            if flush & 1 != 0 {
                out += ".l1";
            }
            if flush >> 1 != 0 {
                out += ".";
                for (bit, letter) in [(4, "d"), (3, "c"), (2, "t"), (1, "i")] {
                    if flush >> bit & 1 != 0 {
                        out += letter;
                    }
                }
            }
            out
        }
    })
}
