//! Why commands are not made or handed over.

use batchbuffer::dispatch::DispatchError;
use kmd_iface::KmdError;

use crate::binary::KernelAbi;
use crate::error::{ArgumentError, Error, ErrorKind};

/// Why a command was not made.
#[derive(Debug)]
pub(crate) enum MakeError {
    /// Older commands have to end first.
    Full,
    /// The open batch has no room for it.
    BatchFull,
    /// It cannot be made.
    Failed(Error),
}

/// Why a batch was not handed over.
#[derive(Debug)]
pub(crate) enum CloseError {
    /// It cannot be ended.
    Failed(Error),
    /// The kernel driver does not take it.
    Refused(KmdError),
}

impl<E: Into<Error>> From<E> for CloseError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl<E: Into<Error>> From<E> for MakeError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

pub(super) fn marker_error(error: impl Into<DispatchError>) -> ArgumentError {
    ArgumentError::Object {
        what: "marker",
        kind: ErrorKind::Internal,
        why: error.into().to_string(),
    }
}

/// What a kernel needs and the front end does not have.
pub(super) fn dispatch_error(entry: &KernelAbi, error: DispatchError) -> Error {
    ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!("kernel {}: {error}", entry.info.name),
    }
    .into()
}
