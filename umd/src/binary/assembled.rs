//! From assembled text and its directives, or raw instructions, to kernels.

use devinfo::{Family, Platform};
use isa_encoder::asm::{
    Argument, ArgumentKind, AssembledKernel, BlockUse, KernelDirectives, Scalar, SystemField,
};

use crate::image::ImageKind;

use super::entry::{
    KernelAbi, LocalIds, PAYLOAD_UNIT, PayloadEntry, PayloadValue, SamplerSlot, SamplerSource,
    SurfaceSlot, SurfaceSource,
};
use super::error::BinaryError;
use super::info::{ArgInfo, ArgKind, KernelInfo, RawIsa, ValueType};

/// Lowers one assembled kernel; `segment` is where its code goes.
///
/// # Errors
/// Directives that the platform cannot do, each with the numbers that it can.
pub(crate) fn kernel(
    kernel: &AssembledKernel,
    platform: &Platform,
    segment: usize,
) -> Result<KernelAbi, BinaryError> {
    let directives = &kernel.directives;
    let name = match directives.name.as_str() {
        "" => "main",
        name => name,
    };
    let simd = u32::from(directives.simd.unwrap_or(KernelDirectives::DEFAULT_SIMD));
    let grf_count = directives.grf.map_or(128, u32::from);
    check_platform(name, platform, simd, grf_count)?;

    let mut payload = Vec::new();
    let mut surfaces = Vec::new();
    let mut samplers = Vec::new();
    for value in &directives.system {
        payload.push(PayloadEntry {
            offset: value.offset,
            size: value.field.bytes(),
            value: system_value(value.field),
        });
    }
    for (index, arg) in directives.args.iter().enumerate() {
        place(index, arg, &mut payload, &mut surfaces, &mut samplers);
    }
    once(
        name,
        "binding table entry",
        surfaces.iter().map(|slot| slot.index),
    )?;
    once(
        name,
        "sampler state",
        samplers.iter().map(|slot| slot.index),
    )?;
    let abi = KernelAbi::new(name, simd);
    Ok(KernelAbi {
        info: KernelInfo {
            grf_count,
            args: directives.args.iter().map(arg_info).collect(),
            code_size: kernel.code.len() as u64,
            slm_size: directives.slm,
            barriers: u32::from(directives.barriers),
            scratch_size: directives.scratch,
            required_local_size: directives.local,
            required_sub_group_size: directives.simd.map(u32::from),
            ..abi.info
        },
        segment,
        payload,
        cross_thread_size: directives.cross_thread_bytes(),
        entry_with_ids: kernel.entry_with_ids as u32,
        local_ids: local_ids(directives, simd, platform.family),
        surfaces,
        samplers,
        scratch: [directives.scratch, 0],
        ..abi
    })
}

/// Refuses two arguments in one place.
fn once(kernel: &str, what: &str, indices: impl Iterator<Item = u32>) -> Result<(), BinaryError> {
    let mut known = Vec::new();
    for index in indices {
        if known.contains(&index) {
            return Err(BinaryError::Unsupported {
                kernel: kernel.to_owned(),
                why: format!("two of its arguments are {what} {index}; each needs its own"),
            });
        }
        known.push(index);
    }
    Ok(())
}

/// Lowers raw instructions.
///
/// # Errors
/// A width or register count that the platform does not have; arguments that are no values or
/// pointers.
pub(crate) fn raw(
    code: &[u8],
    isa: &RawIsa,
    platform: &Platform,
) -> Result<KernelAbi, BinaryError> {
    check_platform(&isa.name, platform, isa.simd, isa.grf_count)?;
    let mut payload = Vec::new();
    let mut args = Vec::new();
    let mut end = 0u32;
    for (index, &kind) in isa.args.iter().enumerate() {
        let (size, value) = match kind {
            ArgKind::Buffer => (8, PayloadValue::Address { arg: index }),
            ArgKind::Value { size, .. } => (
                size,
                PayloadValue::Value {
                    arg: index,
                    source: 0,
                },
            ),
            other => {
                return Err(BinaryError::Unsupported {
                    kernel: isa.name.clone(),
                    why: format!(
                        "argument {index} is a {other}; raw instructions take buffers and values"
                    ),
                });
            }
        };
        let offset = end.next_multiple_of(size.clamp(1, 8).next_power_of_two());
        end = offset + size;
        payload.push(PayloadEntry {
            offset,
            size,
            value,
        });
        args.push(ArgInfo {
            payload_offset: Some(offset),
            ..ArgInfo::new(kind)
        });
    }
    let abi = KernelAbi::new(&isa.name, isa.simd);
    Ok(KernelAbi {
        info: KernelInfo {
            grf_count: isa.grf_count,
            args,
            code_size: code.len() as u64,
            required_sub_group_size: Some(isa.simd),
            ..abi.info
        },
        payload,
        cross_thread_size: end.next_multiple_of(PAYLOAD_UNIT),
        ..abi
    })
}

pub(super) fn check_platform(
    name: &str,
    platform: &Platform,
    simd: u32,
    grf_count: u32,
) -> Result<(), BinaryError> {
    let unsupported = |why: String| BinaryError::Unsupported {
        kernel: name.to_owned(),
        why,
    };
    if simd != 1 && !platform.has_simd_width(simd) {
        let have = list(platform.simd_widths);
        return Err(unsupported(format!(
            "it needs SIMD{simd}; {platform} runs sub-groups of {have}"
        )));
    }
    if !platform
        .grf_counts
        .iter()
        .any(|&n| u32::from(n) == grf_count)
    {
        let have = list(platform.grf_counts);
        return Err(unsupported(format!(
            "it needs {grf_count} registers a thread; {platform} has {have}"
        )));
    }
    Ok(())
}

/// `8, 16 and 32`.
pub(super) fn list<T: ToString>(values: &[T]) -> String {
    let texts: Vec<_> = values.iter().map(T::to_string).collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}

fn system_value(field: SystemField) -> PayloadValue {
    match field {
        SystemField::GlobalOffset => PayloadValue::GlobalOffset,
        SystemField::LocalSize => PayloadValue::LocalSize,
        SystemField::EnqueuedLocalSize => PayloadValue::EnqueuedLocalSize,
        SystemField::GroupCount => PayloadValue::GroupCount,
        SystemField::GlobalSize => PayloadValue::GlobalSize,
        SystemField::WorkDim => PayloadValue::WorkDimensions,
    }
}

fn local_ids(directives: &KernelDirectives, simd: u32, family: Family) -> LocalIds {
    LocalIds {
        dimensions: directives.ids.dimensions(),
        bytes_per_dimension: directives.bytes_per_local_id(family),
        packed: simd == 1,
    }
}

fn place(
    index: usize,
    arg: &Argument,
    payload: &mut Vec<PayloadEntry>,
    surfaces: &mut Vec<SurfaceSlot>,
    samplers: &mut Vec<SamplerSlot>,
) {
    let surface = |bti: u8, media_block| SurfaceSlot {
        index: bti.into(),
        source: SurfaceSource::Argument(index),
        media_block,
        other: false,
        used: true,
    };
    let value = match arg.kind {
        ArgumentKind::Pointer => PayloadValue::Address { arg: index },
        ArgumentKind::Local => PayloadValue::SlmOffset {
            arg: index,
            alignment: 16,
        },
        ArgumentKind::Value { .. } => PayloadValue::Value {
            arg: index,
            source: 0,
        },
        ArgumentKind::Buffer { bti } => return surfaces.push(surface(bti, false)),
        ArgumentKind::Image { bti } => {
            return surfaces.push(surface(bti, arg.blocks.contains(&BlockUse::Image)));
        }
        ArgumentKind::Sampler { index: slot } => {
            return samplers.push(SamplerSlot {
                index: slot.into(),
                source: SamplerSource::Argument(index),
            });
        }
    };
    if let Some(offset) = arg.offset {
        payload.push(PayloadEntry {
            offset,
            size: arg.kind.payload_bytes(),
            value,
        });
    }
}

fn arg_info(arg: &Argument) -> ArgInfo {
    let kind = match arg.kind {
        ArgumentKind::Pointer | ArgumentKind::Buffer { .. } => ArgKind::Buffer,
        ArgumentKind::Local => ArgKind::Local,
        ArgumentKind::Value { scalar, .. } => ArgKind::Value {
            size: arg.kind.payload_bytes(),
            element: Some(match scalar {
                Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => ValueType::Int,
                Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => ValueType::Uint,
                Scalar::F16 | Scalar::F32 | Scalar::F64 => ValueType::Float,
            }),
        },
        ArgumentKind::Image { .. } => ArgKind::Image(ImageKind::D2),
        ArgumentKind::Sampler { .. } => ArgKind::Sampler,
    };
    let alignment = arg.blocks.iter().map(|block| match block {
        BlockUse::Read => 4,
        BlockUse::Write => 16,
        BlockUse::Image => 32,
    });
    ArgInfo {
        name: Some(arg.name.clone()),
        payload_offset: arg.offset,
        binding_table_index: match arg.kind {
            ArgumentKind::Buffer { bti } | ArgumentKind::Image { bti } => Some(bti.into()),
            _ => None,
        },
        alignment: alignment.max().unwrap_or(1),
        ..ArgInfo::new(kind)
    }
}
