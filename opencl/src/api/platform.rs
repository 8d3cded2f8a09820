//! Platforms (specification, section 4.1).

use opencl_sys::*;

use super::abi::Out;
use super::info::{self, Answer};
use super::{extensions, external_memory};
use crate::core::{Handle, Object, Platform};
use crate::error::{Error, Result, ensure};

/// What `CL_PLATFORM_NAME` says.
const NAME: &str = "intel-gpu";
/// The suffix of functions for `cl_khr_icd`.
const SUFFIX: &str = "INTELGPU";

pub(crate) fn ids(room: u32, platforms: Out<Handle>, count: Out<u32>) -> Result<()> {
    // "CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL or if both
    // num_platforms and platforms are NULL"
    ensure(
        platforms.is_null() || room > 0,
        CL_INVALID_VALUE,
        "there is room for no platform",
    )?;
    ensure(
        !platforms.is_null() || !count.is_null(),
        CL_INVALID_VALUE,
        "neither platforms nor their number are asked for",
    )?;
    platforms.set(Platform::get().base().handle());
    count.set(1);
    Ok(())
}

/// Whether a handle names the platform; none is the platform, too.
pub(crate) fn check(platform: Handle) -> Result<()> {
    // "CL_INVALID_PLATFORM if platform is not a valid platform"; what NULL means is
    // implementation-defined.
    if platform.is_null() {
        return Ok(());
    }
    platform.get::<Platform>().map(|_| ())
}

pub(crate) fn info(platform: Handle, name: u32) -> Result<Answer> {
    check(platform)?;
    Ok(match name {
        CL_PLATFORM_PROFILE => info::text("FULL_PROFILE"),
        CL_PLATFORM_VERSION => info::text(&format!("OpenCL 3.0 {NAME}")),
        CL_PLATFORM_NUMERIC_VERSION => info::value(info::version(3, 0, 0)),
        CL_PLATFORM_NAME => info::text(NAME),
        CL_PLATFORM_VENDOR => info::text(NAME),
        CL_PLATFORM_EXTENSIONS => info::text(&extensions::names(&extensions::of_platform())),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
            extensions::name_versions(&extensions::of_platform())
        }
        CL_PLATFORM_HOST_TIMER_RESOLUTION => info::value(1u64),
        CL_PLATFORM_ICD_SUFFIX_KHR => info::text(SUFFIX),
        _ => match external_memory::platform_info(name) {
            Some(answer) => answer,
            None => return Err(info::unknown("the platform", name)),
        },
    })
}

pub(crate) fn unload_compiler(platform: Handle) -> Result<()> {
    if platform.is_null() {
        // "CL_INVALID_PLATFORM if platform is not a valid platform"
        return Err(Error::new(CL_INVALID_PLATFORM, "the platform is null"));
    }
    check(platform)
}
