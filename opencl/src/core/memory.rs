//! Memory objects: buffers, parts of buffers, images.
//!
//! A buffer has a buffer of the driver for each device of its context. With one device that is the
//! device's own memory; with several it is pages of the host that all of them see, so that nothing
//! moves between them. [`image`](super::image) says what images have.

use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use opencl_sys::*;

use super::allocations::forbidden_by;
use super::callback::ObjectCallback;
use super::context::Context;
use super::handle::{Base, Object};
use super::host_memory::Memory;
use super::image::Image;
use super::lock;
use super::pipe::Pipe;
use super::rows::Rows;
use crate::error::{Error, Result, ensure};

/// A memory object.
#[derive(Debug)]
pub(crate) struct Mem {
    base: Base,
    pub context: Arc<Context>,
    pub kind: cl_mem_object_type,
    pub flags: cl_mem_flags,
    pub size: usize,
    /// With `CL_MEM_USE_HOST_PTR`, the program's memory that it is made of; else null.
    pub host: Memory,
    pub host_use: HostUse,
    /// As they were passed, with the zero at the end; empty if there were none.
    pub properties: Vec<u64>,
    /// The buffer that it is a part of, or made of.
    pub parent: Option<Arc<Mem>>,
    /// The first byte in the parent.
    pub origin: usize,
    /// One for each device of the context; none if only an image lies there.
    pub buffers: Vec<umd::Buffer>,
    pub image: Option<Image>,
    pub pipe: Option<Pipe>,
    /// Whether commands write to it, its parts, or what it is a part of.
    written: Arc<AtomicBool>,
    /// Whether it is made of memory of others.
    pub is_external: bool,
    /// What others make theirs of.
    dma_buf: OnceLock<OwnedFd>,
    maps: Mutex<Vec<Map>>,
    /// What kernels may not do with it, by its flags.
    _kept: Vec<umd::Forbidding>,
    destructors: Mutex<Vec<ObjectCallback>>,
}

/// A part of a memory object that the program has mapped.
#[derive(Debug)]
pub(crate) struct Map {
    pub pointer: Memory,
    /// What the program may write: the first byte or texel, and how many, in each dimension.
    pub written: Option<[Range<u64>; 3]>,
    /// What goes back when it is unmapped; `None` if the memory is the object's own.
    pub back: Option<WriteBack>,
    /// What the copy lies in, if that is not the program's memory.
    pub _staging: Option<umd::Buffer>,
    /// The command that maps has failed: the program has seen nothing of the object.
    pub failed: Arc<AtomicBool>,
    /// What kernels may not do as long as it is made.
    pub kept: Kept,
}

/// What kernels may not do, once it is so.
pub(crate) type Kept = Arc<Mutex<Vec<umd::Forbidding>>>;

/// What becomes of a map: its command fails if this goes before that is made.
#[derive(Debug)]
pub(crate) struct Mapping {
    failed: Arc<AtomicBool>,
    is_made: bool,
    kept: Kept,
}

impl Mapping {
    /// The command has done its work.
    pub(crate) fn made(mut self) {
        self.is_made = true;
    }

    /// The program has bytes of these buffers, to write them or to read them only.
    ///
    /// "If a memory object is currently mapped for writing, the application must ensure that the memory object is
    /// unmapped before any enqueued kernels or commands that read from or write to this memory object … begin
    /// execution; … mapped for reading, … that write to this memory object" (5.4.2)
    pub(crate) fn keep(&self, buffers: &[umd::Buffer], bytes: &Range<u64>, writes: bool) {
        let what = umd::Forbidden {
            reads: writes,
            writes: true,
            why: match writes {
                true => "the program has mapped for writing",
                false => "the program has mapped for reading",
            },
        };
        let size = bytes.end - bytes.start;
        let all = buffers.iter();
        let all = all.map(|buffer| buffer.forbid(bytes.start, size, what));
        lock(&self.kept).extend(all);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if !self.is_made {
            self.failed.store(true, Ordering::Release);
        }
    }
}

impl Map {
    /// A map of an object's own memory.
    pub(crate) fn of(pointer: Memory) -> Self {
        Self {
            pointer,
            written: None,
            back: None,
            _staging: None,
            failed: Arc::default(),
            kept: Kept::default(),
        }
    }

    /// Whether its command has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// What its command keeps.
    pub(crate) fn mapping(&self) -> Mapping {
        Mapping {
            failed: self.failed.clone(),
            is_made: false,
            kept: self.kept.clone(),
        }
    }
}

/// A copy of a part of a memory object that the program may have written.
#[derive(Clone, Debug)]
pub(crate) enum WriteBack {
    /// Bytes of a buffer: the first one, and how many.
    Bytes(usize, usize),
    /// A part of an image.
    Texels { region: umd::Region, rows: Rows },
}

/// How the program's memory is an object's (`CL_MEM_USE_HOST_PTR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostUse {
    /// Not at all.
    None,
    /// The object is made of it.
    InPlace,
    /// The object is a copy, which maps bring back.
    Copied,
    /// The object is a copy of memory that the program may not write to: nothing comes back, and once
    /// commands have written to the object, maps are copies of it.
    Constant,
}

/// What all ways to make a memory object begin with.
pub(crate) struct Making {
    pub context: Arc<Context>,
    pub flags: cl_mem_flags,
    pub host: Memory,
    pub properties: Vec<u64>,
    /// The memory of others that it is made of.
    pub dma_buf: Option<Arc<OwnedFd>>,
}

impl Making {
    /// "CL_INVALID_HOST_PTR if properties includes a supported external memory handle and flags
    /// includes CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR"; nor is it where the host has nothing.
    pub(crate) fn check(&self) -> Result<()> {
        let of_host = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
        ensure(
            self.dma_buf.is_none() || self.flags & of_host == 0,
            CL_INVALID_HOST_PTR,
            "the memory is the host's and of others",
        )?;
        let own = self.context.allocations.check(self.host);
        own.map_err(|error| error.with_code(CL_INVALID_HOST_PTR))
    }

    /// Where the host sees the bytes that an object begins with which is a copy of them. They may be a device's, if
    /// nothing has to come back.
    ///
    /// # Errors
    /// It is memory of a device, and maps are to bring it back; it reaches beyond an allocation.
    pub(crate) fn source(&self, size: usize) -> Result<Memory> {
        let found = self.context.allocations.resolve(self.host, size);
        let found = found.map_err(|error| error.with_code(CL_INVALID_HOST_PTR))?;
        ensure(
            found.address() == self.host.address() || self.flags & CL_MEM_USE_HOST_PTR == 0,
            CL_INVALID_HOST_PTR,
            "host_ptr is a device's memory, which an object that is a copy cannot have back",
        )?;
        Ok(found)
    }

    /// How an object of `size` bytes uses the program's memory. Surfaces begin at multiples of four
    /// bytes; of what begins elsewhere, a buffer is a copy.
    pub(crate) fn host_use(&self, size: usize) -> Result<HostUse> {
        if self.flags & CL_MEM_USE_HOST_PTR == 0 {
            return Ok(HostUse::None);
        }
        if self.host.may_write(size) {
            return Ok(match self.host.address().is_multiple_of(4) {
                true => HostUse::InPlace,
                false => HostUse::Copied,
            });
        }
        ensure(
            self.flags & CL_MEM_READ_ONLY != 0,
            CL_INVALID_HOST_PTR,
            "host_ptr: the program may not write to this memory, and kernels may, as the flags say",
        )?;
        Ok(HostUse::Constant)
    }
}

impl Object for Mem {
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;
    const NAME: &'static str = "memory object";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Mem {
    /// A buffer of `size` bytes: of the host's memory, if the flags say so.
    pub(crate) fn buffer(making: Making, size: usize) -> Result<Self> {
        let host_use = making.host_use(size)?;
        let buffers = buffers(&making, size, host_use == HostUse::InPlace)?;
        let copies = making.flags & CL_MEM_COPY_HOST_PTR != 0
            || matches!(host_use, HostUse::Copied | HostUse::Constant);
        if copies && let Some(first) = buffers.first() {
            making.source(size)?.copy_to(first, 0, size)?;
        }
        // "the contents of the buffer are undefined"; what several devices share is the host's memory.
        if let [only] = buffers.as_slice()
            && !copies
            && host_use == HostUse::None
            && making.dma_buf.is_none()
        {
            only.set_unwritten();
        }
        let mut made = Self::new(making, CL_MEM_OBJECT_BUFFER, size, buffers);
        made.host_use = host_use;
        made._kept = made.kept_by_flags();
        Ok(made)
    }

    /// What kernels may not do with a buffer, and so with any of its parts.
    fn kept_by_flags(&self) -> Vec<umd::Forbidding> {
        let Some(what) = forbidden_by(self.flags) else {
            return Vec::new();
        };
        let forbid = |buffer: &umd::Buffer| buffer.forbid(0, buffer.size(), what);
        self.buffers.iter().map(forbid).collect()
    }

    /// A pipe, empty, whose memory has so many bytes.
    pub(crate) fn pipe(making: Making, pipe: Pipe, size: usize) -> Result<Self> {
        let buffers = buffers(&making, size, false)?;
        if let Some(first) = buffers.first() {
            first.write(0, &pipe.control())?;
        }
        let mut made = Self::new(making, CL_MEM_OBJECT_PIPE, size, buffers);
        made.pipe = Some(pipe);
        Ok(made)
    }

    /// Whether it is a buffer.
    pub(crate) fn is_buffer(&self) -> bool {
        self.image.is_none() && self.pipe.is_none()
    }

    /// A part of a buffer.
    pub(crate) fn part(
        parent: &Arc<Self>,
        flags: cl_mem_flags,
        origin: usize,
        size: usize,
    ) -> Result<Self> {
        let parts = parent.buffers.iter();
        let parts = parts.map(|buffer| buffer.sub_buffer(origin as u64, size as u64));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let host = match parent.host.is_null() {
            true => Memory::NULL,
            false => parent.host.offset(origin),
        };
        let making = Making {
            context: parent.context.clone(),
            flags,
            host,
            properties: Vec::new(),
            dma_buf: None,
        };
        let mut made = Self::new(making, CL_MEM_OBJECT_BUFFER, size, parts);
        made.host_use = parent.host_use;
        made.written = parent.written.clone();
        made.parent = Some(parent.clone());
        made.origin = origin;
        Ok(made)
    }

    /// An image. Its memory is `buffers`, or its own.
    pub(crate) fn image(
        making: Making,
        kind: cl_mem_object_type,
        (size, buffers): (usize, Vec<umd::Buffer>),
        image: Image,
        parent: Option<Arc<Self>>,
    ) -> Self {
        let mut made = Self::new(making, kind, size, buffers);
        made.image = Some(image);
        if let Some(parent) = &parent {
            made.written = parent.written.clone();
        }
        made.parent = parent;
        made
    }

    fn new(
        making: Making,
        kind: cl_mem_object_type,
        size: usize,
        buffers: Vec<umd::Buffer>,
    ) -> Self {
        Self {
            base: Base::new(),
            context: making.context,
            kind,
            flags: making.flags,
            size,
            host: match making.flags & CL_MEM_USE_HOST_PTR {
                0 => Memory::NULL,
                _ => making.host,
            },
            host_use: HostUse::None,
            written: Arc::default(),
            properties: making.properties,
            is_external: making.dma_buf.is_some(),
            dma_buf: OnceLock::new(),
            parent: None,
            origin: 0,
            buffers,
            image: None,
            pipe: None,
            maps: Mutex::default(),
            _kept: Vec::new(),
            destructors: Mutex::default(),
        }
    }

    /// What a kernel on the device at this place of the context gets.
    pub(crate) fn argument(&self, place: usize) -> Option<umd::Arg<'_>> {
        match &self.image {
            Some(image) => image.on.get(place).map(umd::Arg::Image),
            None => self.buffers.get(place).map(umd::Arg::Buffer),
        }
    }

    /// The image.
    ///
    /// # Errors
    /// It is a buffer.
    pub(crate) fn as_image(&self) -> Result<&Image> {
        let why = "the memory object is no image";
        self.image
            .as_ref()
            .ok_or_else(|| Error::new(CL_INVALID_MEM_OBJECT, why))
    }

    /// The number of a dma-buf of it, which it keeps.
    pub(crate) fn dma_buf(&self) -> Result<RawFd> {
        if let Some(own) = self.dma_buf.get() {
            return Ok(own.as_raw_fd());
        }
        let why = "only buffers are exported, of contexts with one device";
        let [buffer] = self.buffers.as_slice() else {
            return Err(Error::new(CL_INVALID_OPERATION, why));
        };
        let made = buffer.export();
        let made = made.map_err(|error| Error::from(error).with_code(CL_INVALID_OPERATION))?;
        Ok(self.dma_buf.get_or_init(|| made).as_raw_fd())
    }

    /// Whether it is a copy of memory of the program's.
    pub(crate) fn is_copy(&self) -> bool {
        self.image.is_none() && matches!(self.host_use, HostUse::Copied | HostUse::Constant)
    }

    /// Notes that a command writes to it.
    pub(crate) fn set_written(&self) {
        self.written.store(true, Ordering::Relaxed);
    }

    /// Whether the program's memory has not what the object has, and cannot get it.
    pub(crate) fn outdates_host(&self) -> bool {
        self.host_use == HostUse::Constant && self.written.load(Ordering::Relaxed)
    }

    /// Notes a map.
    pub(crate) fn add_map(&self, map: Map) -> Result<()> {
        let mut maps = lock(&self.maps);
        // "CL_INVALID_OPERATION if mapping would lead to overlapping regions being mapped for
        // writing"
        let overlaps = |other: &Map| match (&map.written, &other.written) {
            (Some(own), Some(other)) => {
                let mut pairs = own.iter().zip(other);
                pairs.all(|(own, other)| own.start < other.end && other.start < own.end)
            }
            _ => false,
        };
        ensure(
            !maps
                .iter()
                .any(|other| !other.has_failed() && overlaps(other)),
            CL_INVALID_OPERATION,
            "a part of it is mapped for writing",
        )?;
        maps.push(map);
        Ok(())
    }

    /// Forgets the newest map at a pointer: of those that have not failed, if there is one.
    pub(crate) fn take_map(&self, pointer: Memory) -> Option<Map> {
        let mut maps = lock(&self.maps);
        let last = |is_wanted: &dyn Fn(&Map) -> bool| maps.iter().rposition(is_wanted);
        let is_here = |map: &Map| map.pointer == pointer;
        let place = last(&|map| is_here(map) && !map.has_failed()).or_else(|| last(&is_here))?;
        Some(maps.remove(place))
    }

    /// Forgets the map that has this flag: no command makes it.
    pub(crate) fn remove_map(&self, failed: &Arc<AtomicBool>) {
        lock(&self.maps).retain(|map| !Arc::ptr_eq(&map.failed, failed));
    }

    /// How often it is mapped.
    pub(crate) fn map_count(&self) -> usize {
        let maps = lock(&self.maps);
        maps.iter().filter(|map| !map.has_failed()).count()
    }

    /// Calls back once the object goes.
    pub(crate) fn add_destructor(&self, callback: ObjectCallback) {
        lock(&self.destructors).push(callback);
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        // The program may free its memory in a callback: nothing is made of it any more.
        self.buffers.clear();
        self.image = None;
        // "in the reverse order in which they were registered"
        for callback in lock(&self.destructors).drain(..).rev() {
            callback.call(self.base.handle());
        }
    }
}

/// Memory of `size` bytes for each device of the context: that of the program, if it `uses_host`.
pub(crate) fn buffers(making: &Making, size: usize, uses_host: bool) -> Result<Vec<umd::Buffer>> {
    let context = &making.context;
    if let Some(dma_buf) = &making.dma_buf {
        let parts = context.devices.iter().map(|device| {
            let whole = device.umd.import_buffer(dma_buf.as_fd());
            let whole = whole.map_err(|error| Error::from(error).with_code(CL_INVALID_VALUE))?;
            // The buffer may not be larger than the memory.
            let why = format!("{size} bytes, of a dma-buf of {}", whole.size());
            ensure(size as u64 <= whole.size(), CL_INVALID_BUFFER_SIZE, why)?;
            Ok(whole.sub_buffer(0, size as u64)?)
        });
        return parts.collect();
    }
    if uses_host
        && let Some(parts) = context
            .allocations
            .parts(&context.devices, making.host, size)?
    {
        return Ok(parts);
    }
    let shared = match &*context.devices {
        _ if uses_host => Some(making.host.host_memory(size)?),
        [_] => None,
        _ => Some(umd::HostMemory::new(size)?),
    };
    let buffers = context.devices.iter().map(|device| match &shared {
        Some(memory) => device.umd.from_user_memory(memory, 0..size),
        None => device.umd.buffer(size as u64),
    });
    Ok(buffers.collect::<Result<Vec<_>, _>>()?)
}
