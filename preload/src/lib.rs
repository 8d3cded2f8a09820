//! Fake render nodes for unmodified programs, answered by software GPUs.
//!
//! Loaded by `LD_PRELOAD`, this library gives a process one or more devices: `/dev/dri/renderD128`,
//! `/dev/dri/card0` and so on, and the sysfs entries that libdrm, Intel's runtimes and Mesa read to
//! find them. Opening a node makes a client of its software GPU ([`softgpu::SoftNode`]); `ioctl` and
//! `mmap` on the resulting file descriptor go to it. All other files, and all other descriptors,
//! reach the C library untouched.
//!
//! A program that is linked with it sees the same as one that it is loaded into:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use intel_gpu_preload::config::DEFAULT_PLATFORM;
//! use kmd_iface::RenderNode;
//!
//! let node = RenderNode::open(Path::new("/dev/dri/renderD128")).unwrap();
//! let client = kmd_iface::open(Arc::new(node)).unwrap();
//! assert_eq!(client.description().platform.unwrap().name, DEFAULT_PLATFORM);
//! ```
//!
//! How the pieces fit:
//!
//! - [`config`]: what the environment asks for ([`config::PLATFORM_VARIABLE`] and friends).
//! - `held`: directories that end with their process.
//! - `tree`: a directory of real files and links that stands in for `/dev/dri` and the device's
//!   part of `/sys`; path-taking functions are redirected into it, so that every libc function
//!   that lists, links or reads behaves as on the real thing.
//! - `node`: open render nodes, known by the inode of their descriptor, so that `dup`, `fcntl` and
//!   descriptor passing need no bookkeeping.
//! - `known`: which files those are, for callers that must not wait for a lock.
//! - `real`: the C library's own functions.
//! - `interpose`: the functions that take their place.
//! - `start`: the beginning, at the first call that could concern a node.
//! - `log`: what the library says on stderr.
//! - `leave`: the end of the process, which removes the tree.
//!
//! A forked child inherits descriptors but not the threads of the software GPU: `ioctl` on an
//! inherited node answers `ENODEV` there, and a node that the child opens itself works.

pub mod config;
mod held;
mod interpose;
mod kernels;
mod known;
mod leave;
mod log;
mod node;
mod real;
mod start;
mod tree;
