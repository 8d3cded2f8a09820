//! The texture sampler.
//!
//! Addressing and filtering follow the OpenCL C specification ("Image Addressing and Filtering");
//! which mode an image access uses comes from SAMPLER_STATE. Filter weights have the precision of
//! single-precision arithmetic (hardware rounds them to 8 bits).

mod all;
mod filter;
mod message;
mod state;

pub(super) use message::{BINDLESS, execute};
pub(super) use state::{SAMPLERS, Sampler};
