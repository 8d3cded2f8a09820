//! Messages in the words of Intel's descriptor decoder (`iga64 -Xdsd`).

use devinfo::Family;
use isa_encoder::message::{
    AddressSize, AppendOp, BlockAlignment, BlockPort, CompressionControl, CompressionOp, DataSize,
    Direction, FlushOp, Gateway, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, Message,
    Parameter, Sampler, SlotGroup,
};

/// The symbol that iga64 prints for `message`; `None` if it has none.
pub fn symbol(family: Family, message: &Message) -> Option<String> {
    match message {
        Message::Hdc(message) => hdc(family, message),
        Message::Lsc(message) => Some(lsc(message)),
        Message::Sampler(message) => Some(sampler(family, message)),
        Message::Gateway(message) => gateway(family, *message).map(str::to_owned),
        Message::EndOfThread => Some("eot".to_owned()),
    }
}

fn verb(direction: Direction) -> &'static str {
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

/// Where, and how wide the addresses are.
fn place(address: HdcAddress) -> String {
    match address {
        HdcAddress::A32(place) => format!("{}.a32", surface(place)),
        HdcAddress::A64 { coherent } => {
            format!("{}.a64", surface(HdcSurface::Stateless { coherent }))
        }
    }
}

fn letters(components: u8) -> String {
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

fn hdc(family: Family, message: &Hdc) -> Option<String> {
    // iga64 does not double the channels of these for registers of 64 bytes.
    let narrow = |simd: u8| match family {
        Family::XeHpc => simd / 2,
        _ => simd,
    };
    let typed = match family {
        Family::XeHpc => 16,
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
            let data = ["d8u32", "d16u32", "d32"][bytes.trailing_zeros() as usize];
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
            let name = match op.mnemonic() {
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
            let name = match op.mnemonic() {
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
            let name = match op.mnemonic() {
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
        // iga64 takes the operation for a channel mask as well.
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

fn data(data: DataSize) -> &'static str {
    match data {
        DataSize::D8 => "d8",
        DataSize::D16 => "d16",
        DataSize::D32 => "d32",
        DataSize::D64 => "d64",
        DataSize::D8U32 => "d8u32",
        DataSize::D16U32 => "d16u32",
        DataSize::D16U32H => "d16u32h",
    }
}

fn address(size: AddressSize) -> &'static str {
    match size {
        AddressSize::A16 => "a16",
        AddressSize::A32 => "a32",
        AddressSize::A64 => "a64",
    }
}

fn sign(offset: i32) -> String {
    match offset {
        0 => String::new(),
        1.. => format!("+0x{offset:X}"),
        _ => format!("-0x{:X}", offset.unsigned_abs()),
    }
}

fn lsc_place(address: LscAddress) -> String {
    match address {
        LscAddress::Flat { offset } => format!("[A{}]", sign(offset)),
        // iga64 prints the extended descriptor, in which the state's offset counts 64 bytes from
        // bit 12 on.
        LscAddress::Bss { state, offset } => {
            format!("bss[0x{:X}][A{}]", state << 6, sign(offset))
        }
        LscAddress::Ss { state, offset } => format!("ss[0x{:X}][A{}]", state << 6, sign(offset)),
        LscAddress::Bti { index, offset } => format!("bti[{index}][A{}]", sign(offset)),
    }
}

fn port(port: LscPort) -> &'static str {
    match port {
        LscPort::Ugm => "ugm",
        LscPort::Ugml => "ugml",
        LscPort::Tgm => "tgm",
        LscPort::Slm => "slm",
        LscPort::Urb => "urb",
    }
}

fn vector(elements: u8, transpose: bool) -> String {
    match (elements, transpose) {
        (1, false) => String::new(),
        (elements, false) => format!("x{elements}"),
        (elements, true) => format!("x{elements}t"),
    }
}

fn lsc(message: &Lsc) -> String {
    let unit = port(message.port());
    let at = message.address().copied().map(lsc_place);
    let at = at.unwrap_or_default();
    let cache = message.cache().unwrap_or_default();
    match *message {
        Lsc::Vector {
            direction,
            address_size,
            data: size,
            elements,
            transpose,
            strided,
            ..
        } => format!(
            "{}{}.{unit}.{}{}.{}{cache}  {at}",
            verb(direction),
            if strided { "_strided" } else { "" },
            data(size),
            vector(elements, transpose),
            address(address_size),
        ),
        Lsc::StoreUncompressed {
            address_size,
            data: size,
            elements,
            transpose,
            ..
        } => format!(
            "store_uncompressed.{unit}.{}{}.{}{cache}  {at}",
            data(size),
            vector(elements, transpose),
            address(address_size),
        ),
        Lsc::Quad {
            direction,
            address_size,
            data: size,
            components,
            ..
        } => format!(
            "{}_quad.{unit}.{}.{}.{}{cache}  {at}",
            verb(direction),
            data(size),
            letters(components),
            address(address_size),
        ),
        Lsc::StoreUncompressedQuad {
            address_size,
            data: size,
            components,
            ..
        } => format!(
            "store_uncompressed_quad.{unit}.{}.{}.{}{cache}  {at}",
            data(size),
            letters(components),
            address(address_size),
        ),
        Lsc::Block2d {
            direction,
            port: LscPort::Tgm,
            ..
        } => format!("{}_block2d.{unit}.d32.a32{cache}  {at}", verb(direction)),
        Lsc::Block2d {
            direction,
            data: size,
            layout,
            offset: [x, y],
            ..
        } => {
            let at = match [x, y] {
                [0, 0] => at,
                _ => format!("[A+({},{})]", hex(x), hex(y)),
            };
            format!(
                "{}_block2d.{unit}.{}{}{}.a64{cache}  {at}",
                verb(direction),
                data(size),
                if layout.transpose { "t" } else { "" },
                if layout.vnni { "v" } else { "" },
            )
        }
        Lsc::Atomic {
            op,
            address_size,
            data: size,
            ..
        } => format!(
            "atomic_{}.{unit}.{}.{}{cache}  {at}",
            op.mnemonic(),
            data(size),
            address(address_size),
        ),
        Lsc::AppendCounter { op, data: size, .. } => format!(
            "atomic_{}.{unit}.{}.a32{cache}  {at}",
            match op {
                AppendOp::Add => "acadd",
                AppendOp::Sub => "acsub",
                AppendOp::Store => "acstore",
            },
            data(size),
        ),
        Lsc::Compression {
            op, address_size, ..
        } => {
            let name = match op {
                CompressionOp::PageClear => "pc",
                CompressionOp::SectorClear => "sc",
                CompressionOp::PageUncompress => "pu",
                CompressionOp::SectorUncompress => "su",
            };
            match op.is_page() {
                true => format!("ccs_{name}.{unit}  {at}"),
                false => {
                    let _ = address_size;
                    // iga64 says 32 bits whatever the field says.
                    format!("ccs_{name}.{unit}.a32  {at}")
                }
            }
        }
        Lsc::Fence { scope, flush, .. } => {
            let flush = match flush {
                FlushOp::Type6 => "0x6?".to_owned(),
                flush => flush.to_string(),
            };
            format!("fence.{unit}.{flush}.{scope}  [A]")
        }
        Lsc::ReadState { .. } => "read_state".to_owned(),
        Lsc::LoadStatus {
            address_size,
            data: size,
            elements,
            ..
        } => format!(
            "load_status.{unit}.{}{}.{}{cache}  {at}",
            data(size),
            vector(elements, false),
            address(address_size),
        ),
    }
}

fn hex(value: i16) -> String {
    match value {
        0.. => format!("0x{value:X}"),
        _ => format!("-0x{:X}", value.unsigned_abs()),
    }
}

/// The name of a parameter, as iga64 has it for Xe2.
fn parameter(parameter: Parameter) -> &'static str {
    use Parameter as P;
    match parameter {
        P::U => "u",
        P::V => "v",
        P::R => "r",
        P::ArrayIndex => "ai",
        P::Lod => "lod",
        P::LodArray => "lod_ai",
        P::Bias => "bias",
        P::BiasArray => "bias_ai",
        P::Reference => "ref",
        P::SampleIndex => "si",
        P::McsLow => "mcs0",
        P::McsHigh => "mcs1",
        P::Mcs2 => "mcs2",
        P::Mcs3 => "mcs3",
        P::DuDx => "dudx",
        P::DuDy => "dudy",
        P::DvDx => "dvdx",
        P::DvDy => "dvdy",
        P::DrDx => "drdx",
        P::DrDy => "drdy",
        P::MinLod => "mlod",
        P::MinLodR => "mlod_r",
        P::OffsetU => "offu",
        P::OffsetV => "offv",
        P::Offsets => "offuvr",
        P::OffsetsUv => "offuv",
        P::OffsetsR => "offuvr_r",
        P::OffsetsUvR => "offuv_r",
        P::BiasOffsets => "bias_offuvr",
        P::BiasOffsetsUv => "bias_offuv",
        P::LodOffsets => "lod_offuv",
    }
}

fn sampler(family: Family, message: &Sampler) -> String {
    let width = format!(
        "simd{}{}{}{}",
        message.simd,
        if message.half_parameters { "h" } else { "" },
        if message.integer_results { "_iret" } else { "" },
        if message.half_results { "_16" } else { "" },
    );
    let name = message.op.mnemonic();
    let at = format!("[{},{}]", message.sampler, message.surface);
    if family < Family::Xe2 {
        let name = match name {
            "sampleinfo" => "sample_info".to_owned(),
            "ld2dss" => "sample_ld2ds".to_owned(),
            "lod" | "resinfo" | "ld" => format!("sample_{name}"),
            name if name.starts_with("ld") || name.starts_with("gather4") => {
                format!("sample_{name}")
            }
            name => name.to_owned(),
        };
        return format!("{width}_{name}{at}");
    }
    let name = match name {
        "ld" => "sampler_ld",
        "lod" => "sampler_lod",
        "resinfo" => "sampler_resinfo",
        "sampleinfo" => "sample_info",
        "sample_killpix" => "sampler_killpix",
        "gather4_i" => "gather_i",
        name => name,
    };
    let parameters: Vec<&str> = message
        .op
        .parameters(family, message.half_parameters)
        .iter()
        .map(|row| parameter(*row))
        .collect();
    let parameters = match parameters.join(",") {
        none if none.is_empty() => "dummy".to_owned(),
        some => some,
    };
    format!("{width}_{at} {name}:{parameters}")
}

fn gateway(family: Family, message: Gateway) -> Option<&'static str> {
    Some(match message {
        Gateway::EndOfThread => "eot",
        Gateway::SignalEvent => "signal",
        Gateway::MonitorEvent => "monitor",
        Gateway::MonitorNoEvent => "unmonitor",
        Gateway::Barrier | Gateway::ActiveBarrier if family == Family::Xe2 => "signal_barrier",
        Gateway::Barrier | Gateway::ActiveBarrier => "barrier",
        Gateway::WaitForEvent => "wait",
        Gateway::SaveBarriers => "save_barrier",
        Gateway::RestoreBarriers => "restore_barrier",
        Gateway::EndOfRestore => "eotr",
        Gateway::RestoreStack => "restore_stack",
        Gateway::SystemBarrier => "system_routine_barrier",
        _ => return None,
    })
}
