//! Answers to queries: the rules of sizes and null pointers that all `clGet…Info` share.

use opencl_sys::*;
use zerocopy::{Immutable, IntoBytes};

use super::abi::Out;
use crate::core::{Handle, Memory};
use crate::error::{Error, Result, ensure};

/// The bytes of an answer.
pub(crate) type Answer = Vec<u8>;

/// A number.
pub(crate) fn value<T: IntoBytes + Immutable>(value: T) -> Answer {
    value.as_bytes().to_vec()
}

/// A `cl_bool`.
pub(crate) fn boolean(holds: bool) -> Answer {
    value(cl_bool::from(holds))
}

/// Several numbers.
pub(crate) fn list<T: IntoBytes + Immutable>(values: &[T]) -> Answer {
    values.as_bytes().to_vec()
}

/// A text with its zero.
pub(crate) fn text(text: &str) -> Answer {
    bytes(text.as_bytes())
}

/// A text of any encoding, with the zero at its end.
pub(crate) fn bytes(text: &[u8]) -> Answer {
    [text, &[0]].concat()
}

/// An object.
pub(crate) fn handle(handle: Handle) -> Answer {
    value(handle.address())
}

/// Several objects.
pub(crate) fn handles(handles: impl IntoIterator<Item = Handle>) -> Answer {
    handles.into_iter().flat_map(handle).collect()
}

/// A name and a version, as `CL_DEVICE_EXTENSIONS_WITH_VERSION` lists them.
pub(crate) fn name_version(name: &str, version: cl_version) -> Answer {
    let mut bytes = value(version);
    bytes.extend(name.bytes().take(CL_NAME_VERSION_MAX_NAME_SIZE - 1));
    bytes.resize(4 + CL_NAME_VERSION_MAX_NAME_SIZE, 0);
    bytes
}

/// A version as OpenCL packs it.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    major << 22 | minor << 12 | patch
}

/// The error of a query that is not known.
pub(crate) fn unknown(what: &str, name: cl_uint) -> Error {
    // "CL_INVALID_VALUE if param_name is not one of the supported values"
    Error::new(CL_INVALID_VALUE, format!("{what} has no {name:#x}"))
}

/// Gives an answer to the program.
pub(crate) fn give(answer: &[u8], size: usize, value: Memory, size_ret: Out<usize>) -> Result<()> {
    if !value.is_null() {
        // "CL_INVALID_VALUE … if size in bytes specified by param_value_size is < size of return
        // type … and param_value is not NULL"
        ensure(
            size >= answer.len(),
            CL_INVALID_VALUE,
            format!(
                "the answer has {} bytes, there is room for {size}",
                answer.len()
            ),
        )?;
        value.write(answer);
    }
    size_ret.set(answer.len());
    Ok(())
}
