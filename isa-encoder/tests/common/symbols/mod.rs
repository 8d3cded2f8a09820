//! Messages in the words of Intel's descriptor decoder (`iga64 -Xdsd`).

mod hdc;

use devinfo::{Family, span};
use isa_encoder::message::{
    FlushOp, Gateway, Lsc, LscAddress, LscPort, Message, Parameter, RayTracing, RenderMode,
    RenderTarget, Sampler, Urb,
};

use hdc::{hdc, letters, verb};

/// The symbol that iga64 prints for `message`; `None` if it has none.
pub fn symbol(family: Family, message: &Message) -> Option<String> {
    match message {
        Message::Hdc(message) => hdc(family, message),
        Message::Lsc(message) => Some(lsc(message)),
        Message::Sampler(message) => Some(sampler(family, message)),
        Message::Gateway(message) => gateway(family, *message).map(str::to_owned),
        Message::EndOfThread => Some("eot".to_owned()),
        Message::RenderTarget(message) => Some(render(family, message)),
        Message::Urb(Urb::Write { .. }) => Some("MSDUW_DWS".to_owned()),
        Message::Urb(Urb::Read { .. }) => Some("MSDUR_DWS".to_owned()),
        Message::Urb(Urb::Fence) => Some("MSD_URBFENCE".to_owned()),
        Message::RayTracing(RayTracing::Trace { simd }) => Some(format!("trace_ray{simd}")),
        Message::RayTracing(RayTracing::Spawn { simd, overdispatch }) => Some(format!(
            "spawn{}{simd}",
            if *overdispatch { "_overdispatch" } else { "" }
        )),
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

fn vector(elements: u8, transpose: bool) -> String {
    match (elements, transpose) {
        (1, false) => String::new(),
        (elements, false) => format!("x{elements}"),
        (elements, true) => format!("x{elements}t"),
    }
}

fn lsc(message: &Lsc) -> String {
    let unit = message.port();
    let at = message.address().map(lsc_place);
    let at = at.unwrap_or_default();
    // iga64 prints no cache control for shared local memory.
    let cache = match message.port() {
        LscPort::Slm => None,
        _ => message.cache(),
    };
    let cache = cache.unwrap_or_default();
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
            size,
            vector(elements, transpose),
            address_size,
        ),
        Lsc::StoreUncompressed {
            address_size,
            data: size,
            elements,
            transpose,
            ..
        } => format!(
            "store_uncompressed.{unit}.{}{}.{}{cache}  {at}",
            size,
            vector(elements, transpose),
            address_size,
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
            size,
            letters(components),
            address_size,
        ),
        Lsc::StoreUncompressedQuad {
            address_size,
            data: size,
            components,
            ..
        } => format!(
            "store_uncompressed_quad.{unit}.{}.{}.{}{cache}  {at}",
            size,
            letters(components),
            address_size,
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
                size,
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
            op.name(),
            size,
            address_size,
        ),
        Lsc::AppendCounter { op, data: size, .. } => {
            format!("{op}.{unit}.{size}.a32{cache}  {at}")
        }
        Lsc::Compression { op, .. } if op.is_page() => format!("{op}.{unit}  {at}"),
        // iga64 says 32 bits whatever the field says.
        Lsc::Compression { op, .. } => format!("{op}.{unit}.a32  {at}"),
        Lsc::Fence { scope, flush, .. } => {
            let flush = match flush {
                FlushOp::Type6 => "0x6?",
                flush => flush.name(),
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
            size,
            vector(elements, false),
            address_size,
        ),
    }
}

fn hex(value: i16) -> String {
    match value {
        0.. => format!("0x{value:X}"),
        _ => format!("-0x{:X}", value.unsigned_abs()),
    }
}

/// The name that iga64 gives a parameter for Xe2.
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
    if !span!(Xe2..).contains(family) {
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

fn render(family: Family, message: &RenderTarget) -> String {
    let flag = |set: bool, name: &'static str| if set { name } else { "" };
    let wide = family.grf_bytes() / 2;
    // On Xe2 iga64 derives slots from the channels of the instruction, which are not in
    // descriptors.
    match *message {
        RenderTarget::Write {
            mode,
            surface,
            coarse,
            multi_rate,
            per_sample,
            last,
            outputs,
            ..
        } if span!(Xe2..).contains(family) => {
            format!(
                "rt{}{}{}{}{}.bti[{surface}].rti[{}]{}{}{}{}{}",
                if mode == RenderMode::DualLow {
                    "dw"
                } else {
                    "w"
                },
                flag(multi_rate, ".mrcps"),
                flag(coarse, ".psocps"),
                flag(per_sample, ".psps"),
                flag(last, ".lrts"),
                outputs.target,
                flag(outputs.null, ".nullrt"),
                flag(outputs.source_alpha, ".s0a"),
                flag(outputs.stencil, ".stncl"),
                flag(outputs.depth, ".sz"),
                flag(outputs.sample_mask, ".om"),
            )
        }
        RenderTarget::Write {
            mode,
            surface,
            half,
            coarse,
            per_sample,
            last,
            high_slots,
            ..
        } => {
            let mode = match mode {
                RenderMode::Wide => format!("simd{wide}"),
                RenderMode::Replicated => format!("rep{wide}"),
                RenderMode::DualLow => format!("lo{}ds", wide / 2),
                RenderMode::DualHigh => format!("hi{}ds", wide / 2),
                RenderMode::Narrow => format!("simd{}", wide / 2),
            };
            format!(
                "rtw.{}.{mode}{}{}{}{}.bti[{surface}]",
                if half { "f16" } else { "f32" },
                flag(coarse, ".cpo"),
                flag(per_sample, ".psp"),
                flag(last, ".lrts"),
                flag(high_slots, ".sgh"),
            )
        }
        RenderTarget::Read {
            surface,
            per_sample,
            ..
        } if span!(Xe2..).contains(family) => {
            format!("rtr{}.bti[{surface}]", flag(per_sample, ".psps"))
        }
        RenderTarget::Read {
            narrow,
            surface,
            per_sample,
            high_slots,
        } => format!(
            "rtr.f32.simd{}{}{}.bti[{surface}]",
            if narrow { wide / 2 } else { wide },
            flag(per_sample, ".psp"),
            flag(high_slots, ".sgh")
        ),
    }
}

fn gateway(family: Family, message: Gateway) -> Option<&'static str> {
    Some(match message {
        Gateway::EndOfThread => "eot",
        Gateway::SignalEvent => "signal",
        Gateway::MonitorEvent => "monitor",
        Gateway::MonitorNoEvent => "unmonitor",
        Gateway::Barrier | Gateway::ActiveBarrier if span!(Xe2..).contains(family) => {
            "signal_barrier"
        }
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
