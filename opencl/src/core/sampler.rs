//! Samplers.

use std::sync::Arc;

use opencl_sys::*;

use super::context::Context;
use super::handle::{Base, Object};

/// A sampler.
#[derive(Debug)]
pub(crate) struct Sampler {
    base: Base,
    pub context: Arc<Context>,
    pub normalized: bool,
    pub addressing: cl_addressing_mode,
    pub filter: cl_filter_mode,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<u64>,
    /// The same for the driver.
    pub umd: umd::Sampler,
}

impl Object for Sampler {
    const INVALID: cl_int = CL_INVALID_SAMPLER;
    const NAME: &'static str = "sampler";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Sampler {
    /// A sampler; `None` if a mode is not known.
    pub(crate) fn new(
        context: Arc<Context>,
        normalized: bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        properties: Vec<u64>,
    ) -> Option<Self> {
        use umd::{AddressingMode, FilterMode};
        let umd = umd::Sampler {
            addressing: match addressing {
                CL_ADDRESS_NONE => AddressingMode::None,
                CL_ADDRESS_CLAMP_TO_EDGE => AddressingMode::ClampToEdge,
                CL_ADDRESS_CLAMP => AddressingMode::ClampToBorder,
                CL_ADDRESS_REPEAT => AddressingMode::Repeat,
                CL_ADDRESS_MIRRORED_REPEAT => AddressingMode::MirroredRepeat,
                _ => return None,
            },
            filter: match filter {
                CL_FILTER_NEAREST => FilterMode::Nearest,
                CL_FILTER_LINEAR => FilterMode::Linear,
                _ => return None,
            },
            normalized,
        };
        Some(Self {
            base: Base::new(),
            context,
            normalized,
            addressing,
            filter,
            properties,
            umd,
        })
    }
}
