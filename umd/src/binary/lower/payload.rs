//! The cross-thread payload: values, pointers, queries.

use crate::binary::entry::{ImageQuery, PayloadEntry, PayloadValue, SamplerQuery};
use crate::binary::entry::{SamplerSource, SurfaceSource};
use crate::binary::error::BinaryError;
use crate::binary::info::{AddressSpace, ArgKind};
use crate::binary::zeinfo::PayloadArgument;
use crate::image::ImageKind;

use super::kernel::Lowering;
use super::names::{access, image_kind};

/// The most bytes of a cross-thread payload: a generous bound for hostile files. The walker's
/// own limit is checked at launch.
pub(crate) const MAX_PAYLOAD: u32 = 64 << 10;

impl Lowering<'_> {
    pub(super) fn argument(
        &mut self,
        number: usize,
        arg: &PayloadArgument,
    ) -> Result<(), BinaryError> {
        let at = format!("payload_arguments[{number}]");
        let vector = |value| (value, 1u32..=12);
        let dword = |value| (value, 4..=4);
        let pointer = |value| (value, 4..=8);
        let (value, sizes) = match arg.arg_type.as_str() {
            "global_id_offset" => vector(PayloadValue::GlobalOffset),
            "local_size" => vector(PayloadValue::LocalSize),
            "enqueued_local_size" => vector(PayloadValue::EnqueuedLocalSize),
            "group_count" => vector(PayloadValue::GroupCount),
            "global_size" => vector(PayloadValue::GlobalSize),
            "work_dimensions" => dword(PayloadValue::WorkDimensions),
            "printf_buffer" => pointer(PayloadValue::PrintfBuffer),
            "implicit_arg_buffer" => pointer(PayloadValue::ImplicitArguments),
            "private_base_stateless" => pointer(PayloadValue::PrivateBase),
            "const_base" => return self.base(&at, arg, false),
            "global_base" => return self.base(&at, arg, true),
            "arg_byvalue" => {
                let index = self.arg(&at, arg.arg_index)?;
                let source = arg.source_offset.unwrap_or(0);
                self.value(&at, index, source, arg.size)?;
                (PayloadValue::Value { arg: index, source }, 1..=MAX_PAYLOAD)
            }
            "arg_bypointer" => return self.pointer(&at, arg),
            "buffer_address" => {
                let index = self.arg(&at, arg.arg_index)?;
                pointer(PayloadValue::Address { arg: index })
            }
            "buffer_offset" => {
                let index = self.arg(&at, arg.arg_index)?;
                dword(PayloadValue::BufferOffset { arg: index })
            }
            "buffer_size" => {
                let index = self.arg(&at, arg.arg_index)?;
                (PayloadValue::BufferSize { arg: index }, 8..=8)
            }
            "inline_sampler" => {
                let index = arg
                    .sampler_index
                    .ok_or_else(|| self.error(&at, "sampler_index is missing".to_owned()))?;
                pointer(PayloadValue::BindlessInlineSampler { index })
            }
            other => match self.query(&at, arg)? {
                Some(value) => dword(value),
                None => {
                    self.refuse(format!("it needs the payload argument {other:?}"));
                    return Ok(());
                }
            },
        };
        if arg.size == 0 {
            return Ok(());
        }
        self.entry(&at, arg, value, sizes)
    }

    /// Image and sampler queries.
    pub(super) fn query(
        &mut self,
        at: &str,
        arg: &PayloadArgument,
    ) -> Result<Option<PayloadValue>, BinaryError> {
        let image = |query| Some((Some(query), None));
        let sampler = |query| Some((None, Some(query)));
        let query = match arg.arg_type.as_str() {
            "image_width" => image(ImageQuery::Width),
            "image_height" => image(ImageQuery::Height),
            "image_depth" => image(ImageQuery::Depth),
            "image_array_size" => image(ImageQuery::ArraySize),
            "image_channel_order" | "image_srgb_channel_order" => image(ImageQuery::ChannelOrder),
            "image_channel_data_type" => image(ImageQuery::ChannelDataType),
            "image_num_mip_levels" => image(ImageQuery::MipLevels),
            "image_num_samples" => image(ImageQuery::Samples),
            "sampler_snap_wa" => sampler(SamplerQuery::SnapWa),
            "sampler_normalized" => sampler(SamplerQuery::Normalized),
            "sampler_address" => sampler(SamplerQuery::AddressingMode),
            _ => None,
        };
        let Some(query) = query else {
            return Ok(None);
        };
        let index = self.arg(at, arg.arg_index)?;
        Ok(match query {
            (Some(query), _) => Some(PayloadValue::Image { arg: index, query }),
            (_, Some(query)) => Some(PayloadValue::Sampler { arg: index, query }),
            _ => None,
        })
    }

    pub(super) fn entry(
        &mut self,
        at: &str,
        arg: &PayloadArgument,
        value: PayloadValue,
        sizes: std::ops::RangeInclusive<u32>,
    ) -> Result<(), BinaryError> {
        if !sizes.contains(&arg.size) {
            let why = format!(
                "{} has {} bytes, {} to {} are possible",
                arg.arg_type,
                arg.size,
                sizes.start(),
                sizes.end()
            );
            return Err(self.error(at, why));
        }
        let offset = arg
            .offset
            .ok_or_else(|| self.error(at, "offset is missing".to_owned()))?;
        if offset
            .checked_add(arg.size)
            .is_none_or(|end| end > MAX_PAYLOAD)
        {
            let why = format!(
                "{} bytes at {offset}, the payload's limit is {MAX_PAYLOAD}",
                arg.size
            );
            return Err(self.error(at, why));
        }
        self.payload.push(PayloadEntry {
            offset,
            size: arg.size,
            value,
        });
        let index = match value {
            PayloadValue::Value { arg, .. }
            | PayloadValue::Address { arg }
            | PayloadValue::SlmOffset { arg, .. }
            | PayloadValue::BindlessSurface {
                source: SurfaceSource::Argument(arg),
            }
            | PayloadValue::BindlessSampler { arg } => Some(arg),
            _ => None,
        };
        if let Some(arg) = index.and_then(|index| self.args.get_mut(index)) {
            let first = arg.payload_offset.unwrap_or(u32::MAX);
            arg.payload_offset = Some(first.min(offset));
        }
        Ok(())
    }

    pub(super) fn value(
        &mut self,
        at: &str,
        index: usize,
        source: u32,
        size: u32,
    ) -> Result<(), BinaryError> {
        let end = source
            .checked_add(size)
            .filter(|&end| end <= MAX_PAYLOAD)
            .ok_or_else(|| {
                let why = format!("source_offset {source}: the limit is {MAX_PAYLOAD}");
                self.error(at, why)
            })?;
        let arg = &mut self.args[index];
        // The declared type's size has precedence: small types travel as four bytes.
        let declared = arg.address_space == Some(AddressSpace::Private);
        match &mut arg.kind {
            ArgKind::Value { .. } if declared => {}
            ArgKind::Value { size, .. } => *size = (*size).max(end),
            kind => {
                *kind = ArgKind::Value {
                    size: end,
                    element: None,
                };
            }
        }
        Ok(())
    }

    pub(super) fn pointer(&mut self, at: &str, arg: &PayloadArgument) -> Result<(), BinaryError> {
        let index = self.arg(at, arg.arg_index)?;
        if let Some(access) = access(&arg.access_type) {
            self.args[index].access.get_or_insert(access);
        }
        if arg.is_pipe && self.args[index].type_qualifiers.is_empty() {
            "pipe".clone_into(&mut self.args[index].type_qualifiers);
        }
        let kind = match arg.addrspace.as_str() {
            "local" => ArgKind::Local,
            "sampler" => ArgKind::Sampler,
            "image" => match image_kind(&arg.image_type) {
                Some(kind) => ArgKind::Image(kind),
                None => {
                    let what = &arg.image_type;
                    self.refuse(format!("argument {index} is an image of type {what:?}"));
                    ArgKind::Image(ImageKind::D2)
                }
            },
            "global" | "constant" | "" => ArgKind::Buffer,
            other => {
                let why = format!("addrspace {other:?} is not known");
                return Err(self.error(at, why));
            }
        };
        self.args[index].kind = kind;
        if arg.addrspace == "constant" {
            self.args[index].address_space = Some(AddressSpace::Constant);
        }
        match (arg.addrmode.as_str(), kind) {
            (_, ArgKind::Sampler) if !matches!(arg.sampler_type.as_str(), "" | "texture") => {
                self.refuse(format!(
                    "argument {index} is a sampler of type {:?}",
                    arg.sampler_type
                ));
                Ok(())
            }
            ("stateful", ArgKind::Sampler) => {
                let slot = arg
                    .sampler_index
                    .ok_or_else(|| self.error(at, "sampler_index is missing".to_owned()))?;
                self.sampler(at, slot, SamplerSource::Argument(index))
            }
            ("stateful", _) => Ok(()),
            ("stateless", ArgKind::Buffer) => {
                self.entry(at, arg, PayloadValue::Address { arg: index }, 4..=8)
            }
            ("slm", ArgKind::Local) => {
                let alignment = arg.slm_alignment.unwrap_or(16).max(1);
                if !alignment.is_power_of_two() || alignment > 1 << 16 {
                    let why = format!("slm_alignment {alignment} is no power of two up to 65536");
                    return Err(self.error(at, why));
                }
                let value = PayloadValue::SlmOffset {
                    arg: index,
                    alignment,
                };
                self.entry(at, arg, value, 4..=8)
            }
            ("bindless", ArgKind::Sampler) => {
                if let Some(slot) = arg.sampler_index {
                    self.sampler(at, slot, SamplerSource::Argument(index))?;
                }
                self.entry(at, arg, PayloadValue::BindlessSampler { arg: index }, 4..=8)
            }
            ("bindless", _) => {
                let source = SurfaceSource::Argument(index);
                self.entry(at, arg, PayloadValue::BindlessSurface { source }, 4..=8)
            }
            (mode, kind) => {
                let why = format!("addrmode {mode:?} is not possible for a {kind}");
                Err(self.error(at, why))
            }
        }
    }

    /// `const_base` and `global_base`: an address, a binding table entry, or both; or the place of
    /// a bindless surface state.
    pub(super) fn base(
        &mut self,
        at: &str,
        arg: &PayloadArgument,
        global: bool,
    ) -> Result<(), BinaryError> {
        let (value, source) = if global {
            (PayloadValue::GlobalBase, SurfaceSource::Globals)
        } else {
            (PayloadValue::ConstantBase, SurfaceSource::Constants)
        };
        if arg.addrmode == "bindless" {
            return self.entry(at, arg, PayloadValue::BindlessSurface { source }, 4..=8);
        }
        if let Some(index) = arg.bti_value {
            self.surface(at, index, source)?;
        }
        if arg.offset.is_some() && arg.size != 0 {
            self.entry(at, arg, value, 4..=8)?;
        }
        Ok(())
    }
}
