//! A real render node: a fd on which the kernel answers.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::errno::Errno;

use crate::node::{MapSource, Node};
use crate::uapi::Request;
use crate::{KmdError, KmdResult};

/// An open `/dev/dri/renderD*`.
pub struct RenderNode {
    fd: Arc<OwnedFd>,
    path: PathBuf,
}

impl RenderNode {
    /// Opens the node at `path` for reading and writing.
    ///
    /// # Errors
    /// What the system says; usually missing permission.
    pub fn open(path: &Path) -> KmdResult<Self> {
        let file: File = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| {
                let errno = Errno::from_raw(error.raw_os_error().unwrap_or(0));
                KmdError::Open {
                    node: path.display().to_string(),
                    errno,
                    hint: match errno {
                        Errno::EACCES | Errno::EPERM => "is the user in group render?",
                        Errno::ENOENT => "there is no such node: \"devices\" lists them",
                        Errno::ENXIO | Errno::ENODEV => "the device is gone",
                        _ => "is it a render node?",
                    },
                }
            })?;
        Ok(Self {
            fd: Arc::new(file.into()),
            path: path.to_owned(),
        })
    }

    /// The path it was opened at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The driver's name as the `drm` crate reads it, with its own system calls: this checks our
    /// calls against independent code.
    ///
    /// # Errors
    /// What the system says.
    pub fn driver_by_drm_crate(&self) -> std::io::Result<String> {
        let driver = drm::Device::get_driver(self)?;
        Ok(driver.name().to_string_lossy().into_owned())
    }
}

impl AsFd for RenderNode {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl drm::Device for RenderNode {}

impl fmt::Debug for RenderNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RenderNode({})", self.path.display())
    }
}

impl Node for RenderNode {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        // The kernel copies as many bytes as the number says, not as many as
        // there are.
        if argument.len() < Request(request).size() {
            return Err(Errno::EFAULT);
        }
        // SAFETY: the kernel accesses `argument` within the size that was just
        // checked. Pointers inside it were filled in by the typed calls of this crate, and what
        // they point to outlives the call.
        Errno::result(unsafe {
            nix::libc::ioctl(self.fd.as_raw_fd(), request.into(), argument.as_mut_ptr())
        })
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        Ok(MapSource {
            file: Arc::clone(&self.fd),
            offset: fake_offset,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uapi::drm::VERSION;

    #[test]
    fn what_is_no_node_is_an_error() {
        let error = RenderNode::open(Path::new("/nonexistent/renderD128")).unwrap_err();
        assert!(error.to_string().contains("ENOENT"), "{error}");

        let null = RenderNode::open(Path::new("/dev/null")).unwrap();
        let mut argument = [0; 64];
        assert_eq!(
            null.ioctl(VERSION.request(), &mut argument),
            Err(Errno::ENOTTY)
        );
        assert_eq!(
            null.ioctl(VERSION.request(), &mut argument[..63]),
            Err(Errno::EFAULT)
        );
    }
}
