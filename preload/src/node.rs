//! Devices and open nodes of this process.
//!
//! A descriptor of the node is a memfd with its own inode. The inode identifies the open file
//! description, even after `dup`, `fcntl` and descriptor passing.

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use devinfo::{Driver, Target};
use kmd_iface::{FAILED, Node};
use libc::c_int;
use softgpu::{Device, Options, SoftNode};

use crate::config::Wanted;
use crate::known::{FileId, Known, Owner};
use crate::log::complain;
use crate::tree::Tree;
use crate::{config, kernels, real};

/// What this library keeps for the process.
#[derive(Debug)]
pub struct Process {
    /// The stand-in tree.
    pub tree: Tree,
    /// The process that made the tree: a forked child only uses it.
    maker: u32,
    /// The file that is to have the rules that kernels break, if they are checked.
    check_file: Option<PathBuf>,
    devices: Vec<Wanted>,
    /// The files that stand in for nodes.
    placeholders: HashMap<FileId, Place>,
    /// The files that are nodes.
    known: Known,
    /// What the process has made that made this.
    first: Table,
}

/// A node of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Which device.
    device: usize,
    /// Its minor number.
    minor: u32,
}

/// What one process has made. A forked child begins with nothing: it lacks the threads of the devices,
/// and those that may have had a lock when it was forked.
#[derive(Debug)]
struct Table {
    process: u32,
    /// The devices of which a node is open.
    devices: Vec<Mutex<Weak<Device>>>,
    open: Mutex<HashMap<FileId, Arc<SoftNode>>>,
    /// A child's.
    next: OnceLock<Box<Table>>,
}

impl Table {
    fn new(process: u32, devices: usize) -> Self {
        Self {
            process,
            devices: (0..devices).map(|_| Mutex::default()).collect(),
            open: Mutex::default(),
            next: OnceLock::new(),
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<FileId, Arc<SoftNode>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What [`process`](crate::start::process) makes.
pub static PROCESS: OnceLock<Option<Process>> = OnceLock::new();

/// What this library keeps, if it has been made: before that, no descriptor can be ours.
pub fn process_if_started() -> Option<&'static Process> {
    PROCESS.get()?.as_ref()
}

impl Process {
    /// Makes the stand-in.
    ///
    /// # Errors
    /// What the environment asks for is unknown, or files cannot be made.
    pub fn new() -> io::Result<Self> {
        let wanted = Wanted::parse_list(&config::platforms()).map_err(io::Error::other)?;
        let tree = Tree::create(&config::root(), &wanted)?;
        let placeholders = placeholders(&tree).inspect_err(|_| tree.remove())?;
        let maker = process::id();
        Ok(Self {
            first: Table::new(maker, wanted.len()),
            devices: wanted,
            placeholders,
            tree,
            maker,
            check_file: config::check_file(),
            known: Known::default(),
        })
    }

    /// Reports what kernels did that nobody has reported yet. The process ends: what another thread
    /// holds is left alone, and so is what a process that was forked from this one has inherited.
    pub fn report_last(&self) {
        if self.maker != process::id() {
            return;
        }
        let Ok(table) = self.first.open.try_lock() else {
            return;
        };
        let nodes: Vec<_> = table.values().map(Arc::clone).collect();
        // Who opens a file asks for the table.
        drop(table);
        nodes.iter().for_each(|node| self.report(node.as_ref()));
    }

    /// Leaves nothing behind. Only system calls: a signal handler may call it.
    pub fn leave(&self) {
        if self.maker == process::id() {
            self.tree.remove();
        }
    }

    /// What this process has made.
    fn table(&self) -> &Table {
        let this = process::id();
        let mut table = &self.first;
        while table.process != this {
            let next = || Box::new(Table::new(this, self.devices.len()));
            table = table.next.get_or_init(next);
        }
        table
    }

    /// Holds the nodes' lock, as a thread does that asks for one.
    #[cfg(test)]
    pub fn hold(&self) -> impl Sized {
        self.table().open()
    }

    /// Whether there is a software GPU behind the file.
    #[cfg(test)]
    pub fn has(&self, id: FileId) -> bool {
        self.table().open().contains_key(&id) || self.known.find(id).is_some()
    }

    /// The file of the placeholder behind `descriptor`, if it is one.
    pub fn placeholder(&self, descriptor: RawFd) -> Option<FileId> {
        file_id(descriptor).filter(|id| self.placeholders.contains_key(id))
    }

    /// The minor number of the node whose placeholder or open file has this `stat`.
    pub fn minor_of(&self, device: libc::dev_t, inode: libc::ino_t) -> Option<u32> {
        let id = (device, inode);
        let place = self.placeholders.get(&id);
        place
            .map(|place| place.minor)
            .or_else(|| Some(self.known.find(id)?.minor))
    }

    /// Opens the node with this placeholder: a client of its device behind a new descriptor.
    pub fn open_node(&self, placeholder: FileId, flags: c_int) -> io::Result<RawFd> {
        let missing = || io::Error::from_raw_os_error(libc::ENODEV);
        let place = *self.placeholders.get(&placeholder).ok_or_else(missing)?;
        let Wanted { target, driver } = *self.devices.get(place.device).ok_or_else(missing)?;
        let table = self.table();
        let made = table.devices.get(place.device).ok_or_else(missing)?;
        let node = SoftNode::open_device(self.device(made, target, driver)?);
        if let Some(known) = node.diagnostics().filter(|_| self.check_file.is_some()) {
            known.finds_kernels(Arc::new(kernels::find));
        }
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        let memfd_flags = if close_on_exec { libc::MFD_CLOEXEC } else { 0 };
        // SAFETY: the name is NUL-terminated.
        let descriptor = unsafe { libc::memfd_create(c"drm".as_ptr(), memfd_flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `memfd_create` returned a new descriptor that nothing else owns.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let id = file_id(descriptor.as_raw_fd()).ok_or_else(io::Error::last_os_error)?;
        tracing::info!(target: "preload", "opened node {} of {target}, as {driver}", place.minor);
        let owner = Owner {
            process: table.process,
            minor: place.minor,
        };
        let mut open = table.open();
        // Those that were closed by other means than `close`: by `fclose`, or by `dup2` in their place.
        let gone = match descriptors() {
            Ok(there) => self.forget(&mut open, |id| !there.contains(id)),
            Err(_) => Vec::new(),
        };
        self.known.insert(id, owner);
        open.insert(id, node);
        drop(open);
        self.end(gone);
        Ok(descriptor.into_raw_fd())
    }

    /// The device behind `made`, which is made if there is none.
    fn device(
        &self,
        made: &Mutex<Weak<Device>>,
        target: Target,
        driver: Driver,
    ) -> io::Result<Arc<Device>> {
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = made.upgrade() {
            return Ok(device);
        }
        let options = Options {
            driver,
            check: self.check_file.is_some(),
            ..Options::default()
        };
        let device = SoftNode::device_of(target, options).map_err(io::Error::other)?;
        *made = Arc::downgrade(&device);
        Ok(device)
    }

    /// The software GPU behind `descriptor`; `None` if it is not a node.
    ///
    /// # Errors
    /// `ENODEV` for a node that another process opened, before a fork: see the crate's documentation.
    pub fn node(&self, descriptor: RawFd) -> Option<Result<Arc<SoftNode>, c_int>> {
        let (id, owner) = self.owner(descriptor)?;
        if owner.process != process::id() {
            return Some(Err(libc::ENODEV));
        }
        let node = Arc::clone(self.table().open().get(&id)?);
        Some(Ok(node))
    }

    /// The file behind `descriptor`, if it is a node that this process opened. The copies of others, also
    /// of a child that shares this memory (`vfork`), are not its descriptors.
    pub fn own_node(&self, descriptor: RawFd) -> Option<FileId> {
        let (id, owner) = self.owner(descriptor)?;
        (owner.process == process::id()).then_some(id)
    }

    /// The file behind `descriptor`, and whose node it is, if it is one. Every `ioctl` and `close` of the
    /// program asks: without nodes they cost no call.
    fn owner(&self, descriptor: RawFd) -> Option<(FileId, Owner)> {
        if self.known.is_empty() {
            return None;
        }
        let id = file_id(descriptor)?;
        Some((id, self.known.find(id)?))
    }

    /// Forgets the software GPU of a node of which a descriptor was closed, if it was the last one.
    pub fn after_close(&self, id: FileId) {
        let mut open = self.table().open();
        let closed = |id: &FileId| !descriptors().is_ok_and(|there| there.contains(id));
        let gone = self.forget(&mut open, |other| *other == id && closed(other));
        drop(open);
        self.end(gone);
    }

    /// Forgets nodes. Returns what is left of them, for [`Process::end`].
    fn forget(
        &self,
        open: &mut HashMap<FileId, Arc<SoftNode>>,
        mut which: impl FnMut(&FileId) -> bool,
    ) -> Vec<Arc<SoftNode>> {
        let gone = open.extract_if(|id, _| {
            let goes = which(id);
            if goes {
                self.known.remove(*id);
            }
            goes
        });
        gone.map(|(_, node)| node).collect()
    }

    /// Ends nodes: stops their engines' threads. Without a lock.
    fn end(&self, gone: Vec<Arc<SoftNode>>) {
        for node in gone {
            self.report(node.as_ref());
        }
    }

    /// Appends the rules that kernels have broken since the last call to the file that is to have them,
    /// and why a context was lost.
    pub fn report(&self, node: &SoftNode) {
        let Some(path) = &self.check_file else {
            return;
        };
        let Some(known) = node.diagnostics() else {
            return;
        };
        let mut lines: String = known
            .take_violations()
            .iter()
            .map(|one| format!("{one}\n"))
            .collect();
        if let Some(error) = node.take_error() {
            let text = error.to_string().replace('\n', " ");
            lines.push_str(&format!("{FAILED}{text}\n"));
        }
        if lines.is_empty() {
            return;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(lines.as_bytes()));
        if let Err(error) = written {
            complain(&format!("{}: {error}", path.display()));
        }
    }
}

/// The placeholders of a tree.
fn placeholders(tree: &Tree) -> io::Result<HashMap<FileId, Place>> {
    let places = tree.nodes().map(|(device, minor, path)| {
        let file = OpenOptions::new().read(true).open(path)?;
        let id = file_id(file.as_raw_fd()).ok_or_else(io::Error::last_os_error)?;
        Ok((id, Place { device, minor }))
    });
    places.collect()
}

/// The files that this process has descriptors of.
fn descriptors() -> io::Result<HashSet<FileId>> {
    let entries = std::fs::read_dir("/proc/self/fd")?;
    let numbers = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<RawFd>().ok());
    Ok(numbers.filter_map(file_id).collect())
}

fn file_id(descriptor: RawFd) -> Option<FileId> {
    let fstat = real::FSTAT.get()?;
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the buffer has the size of the structure that `fstat` fills.
    if unsafe { fstat(descriptor, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: `fstat` succeeded and has filled it.
    let status = unsafe { status.assume_init() };
    Some((status.st_dev, status.st_ino))
}
