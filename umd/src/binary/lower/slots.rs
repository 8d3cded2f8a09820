//! Binding table entries and sampler states.

use crate::binary::entry::{SamplerSlot, SamplerSource, SurfaceSlot, SurfaceSource};
use crate::binary::error::BinaryError;
use crate::binary::info::ArgKind;
use crate::sampler::{AddressingMode, FilterMode, Sampler};

use super::kernel::Lowering;

/// Binding table indices from here on are reserved: SLM, stateless, bindless (IGC `igc.h`).
pub(crate) const MAX_BTI: u32 = 240;
/// Samplers that a message's descriptor can tell apart: its index has four bits.
pub(crate) const MAX_SAMPLERS: u32 = 16;

impl Lowering<'_> {
    pub(super) fn surface(
        &mut self,
        at: &str,
        index: u32,
        source: SurfaceSource,
    ) -> Result<(), BinaryError> {
        if index >= MAX_BTI {
            let why = format!("bti_value is {index}, the limit is {}", MAX_BTI - 1);
            return Err(self.error(at, why));
        }
        if self
            .surfaces
            .iter()
            .any(|slot| slot.index == index && slot.source != source)
        {
            let why = format!("bti_value {index} stands for two things");
            return Err(self.error(at, why));
        }
        self.surfaces.push(SurfaceSlot {
            index,
            source,
            media_block: false,
            other: false,
            used: true,
        });
        Ok(())
    }

    pub(super) fn sampler(
        &mut self,
        at: &str,
        index: u32,
        source: SamplerSource,
    ) -> Result<(), BinaryError> {
        if index >= MAX_SAMPLERS {
            let why = format!(
                "sampler_index is {index}, the limit is {}",
                MAX_SAMPLERS - 1
            );
            return Err(self.error(at, why));
        }
        self.samplers.push(SamplerSlot { index, source });
        Ok(())
    }

    pub(super) fn inline_samplers(&mut self) -> Result<(), BinaryError> {
        for (number, sampler) in self.kernel.inline_samplers.iter().enumerate() {
            let at = format!("inline_samplers[{number}]");
            let addressing = match sampler.addrmode.as_str() {
                "none" => AddressingMode::None,
                "clamp_edge" => AddressingMode::ClampToEdge,
                "clamp_border" => AddressingMode::ClampToBorder,
                "repeat" => AddressingMode::Repeat,
                "mirror" => AddressingMode::MirroredRepeat,
                other => {
                    return Err(self.error(&at, format!("addrmode {other:?} is not known")));
                }
            };
            let filter = match sampler.filtermode.as_str() {
                "nearest" => FilterMode::Nearest,
                "linear" => FilterMode::Linear,
                other => {
                    return Err(self.error(&at, format!("filtermode {other:?} is not known")));
                }
            };
            let state = Sampler {
                addressing,
                filter,
                normalized: sampler.normalized,
            };
            self.sampler(&at, sampler.sampler_index, SamplerSource::Inline(state))?;
        }
        Ok(())
    }

    /// Arguments that the code only reaches through a surface are buffers.
    pub(super) fn finish_arguments(&mut self) {
        for slot in &self.surfaces {
            if let SurfaceSource::Argument(index) = slot.source
                && let Some(arg) = self.args.get_mut(index)
                && arg.kind == ArgKind::Unused
            {
                arg.kind = ArgKind::Buffer;
            }
        }
    }
}
