//! Programs: binaries in a device's memory.

use std::sync::Arc;

use crate::binary::{Binary, BinaryError, KernelInfo, SegmentKind};
use crate::device::{Device, DeviceInner};
use crate::error::{DeviceError, Error, refused};
use crate::memory::{Bo, Use, VARIABLES};

/// Kernels begin at multiples of this (IDD "Kernel Start Pointer"); data gets the same.
const ALIGNMENT: u64 = 64;
/// What the instruction prefetcher may read beyond the last instruction.
const PREFETCH: u64 = 1024;

/// A binary in a device's memory: code relocated, constants and globals in place. Clones name the
/// same program.
#[derive(Clone, Debug)]
pub struct Program {
    inner: Arc<ProgramInner>,
}

/// What the kernels of a program share.
#[derive(Debug)]
pub(crate) struct ProgramInner {
    pub device: Arc<DeviceInner>,
    pub binary: Binary,
    /// One buffer object for each kind of segment.
    memory: Vec<(SegmentKind, Arc<Bo>)>,
    /// Each segment's place in the buffer object of its kind.
    places: Vec<u64>,
}

impl Program {
    /// Puts a binary into a device's memory.
    ///
    /// # Errors
    /// A binary of another platform or revision; no memory.
    pub fn new(device: &Device, binary: Binary) -> Result<Self, Error> {
        let target = device.target();
        binary.check_target(target.platform, target.revision)?;
        Self::of_family(device.inner().clone(), binary)
    }

    /// Puts another binary of the same program into the device's memory: its variables are those of this one.
    ///
    /// # Errors
    /// As [`Program::new`]; it has variables, and does not tell that they lie as here.
    pub fn beside(&self, binary: Binary) -> Result<Self, Error> {
        let target = Device::of(self.inner.device.clone()).target();
        binary.check_target(target.platform, target.revision)?;
        let own = &self.inner.binary;
        let have_variables = own.globals_size() > 0 || binary.globals_size() > 0;
        if have_variables && !own.has_data_of(&binary) {
            return Err(BinaryError::OtherVariables.into());
        }
        let shared = have_variables.then_some(&*self.inner);
        Self::with_data_of(self.inner.device.clone(), binary, shared)
    }

    /// Puts a binary of the device's family into its memory.
    pub(crate) fn of_family(device: Arc<DeviceInner>, binary: Binary) -> Result<Self, Error> {
        Self::with_data_of(device, binary, None)
    }

    /// The same, with the constants and variables of another program that are the same.
    fn with_data_of(
        device: Arc<DeviceInner>,
        binary: Binary,
        data: Option<&ProgramInner>,
    ) -> Result<Self, Error> {
        let mut places = Vec::new();
        let mut sizes: Vec<(SegmentKind, u64)> = Vec::new();
        for segment in binary.segments() {
            let kind = segment.kind;
            let index = match sizes.iter().position(|(k, _)| *k == kind) {
                Some(index) => index,
                None => {
                    sizes.push((kind, 0));
                    sizes.len() - 1
                }
            };
            let place = sizes[index].1.next_multiple_of(ALIGNMENT);
            places.push(place);
            sizes[index].1 = place.saturating_add(segment.size());
        }
        let mut memory = Vec::new();
        for (kind, size) in sizes {
            if let Some(data) = data.filter(|_| kind.is_data()) {
                memory.extend(data.memory(kind).map(|bo| (kind, bo.clone())));
                continue;
            }
            let (label, usage, more) = match kind {
                SegmentKind::Code => ("program", Use::Code, PREFETCH),
                SegmentKind::Constants => ("constants of a program", Use::Device, 0),
                SegmentKind::Globals => (VARIABLES, Use::Device, 0),
                SegmentKind::Strings => ("strings of a program", Use::Device, 0),
            };
            let bo = device.registry.create((size + more).max(1), usage, label);
            memory.push((kind, bo.map_err(refused("memory of a program"))?));
        }
        let program = ProgramInner {
            device,
            binary,
            memory,
            places,
        };
        program.upload(data.is_none())?;
        Ok(Self {
            inner: Arc::new(program),
        })
    }

    /// Parses and loads a zebin, or the one of an archive's that is for the device.
    ///
    /// # Errors
    /// As [`Binary::parse_for`] and [`Program::new`].
    pub fn load(device: &Device, bytes: &[u8]) -> Result<Self, Error> {
        let target = device.target();
        let binary = Binary::parse_for(bytes, target.platform, target.revision)?;
        Self::new(device, binary)
    }

    /// The binary.
    pub fn binary(&self) -> &Binary {
        &self.inner.binary
    }

    pub(crate) fn inner(&self) -> &Arc<ProgramInner> {
        &self.inner
    }

    /// Its kernels, in the order of the file.
    pub fn kernels(&self) -> &[KernelInfo] {
        self.inner.binary.kernels()
    }
}

impl ProgramInner {
    /// The buffer object of a kind of segment.
    pub(crate) fn memory(&self, kind: SegmentKind) -> Option<&Arc<Bo>> {
        let found = self.memory.iter().find(|(k, _)| *k == kind);
        found.map(|(_, bo)| bo)
    }

    /// A segment's place in the buffer object of its kind.
    pub(crate) fn place(&self, segment: usize) -> u64 {
        self.places.get(segment).copied().unwrap_or(0)
    }

    /// Patches the addresses in and copies everything to its place; constants and variables only `with_data`.
    fn upload(&self, with_data: bool) -> Result<(), Error> {
        let address = |segment: usize| {
            let kind = self.binary.segments().get(segment)?.kind;
            let bo = self.memory(kind)?;
            Some(bo.address().offset(self.place(segment)).get())
        };
        let all = self.binary.segments().iter().enumerate();
        for (index, segment) in all.filter(|(_, one)| with_data || !one.kind.is_data()) {
            let mut data = segment.data.clone();
            let own = self.binary.relocations().iter();
            for relocation in own.filter(|relocation| relocation.segment == index) {
                let target = address(relocation.target).ok_or_else(|| BinaryError::Malformed {
                    section: segment.kind.section().to_owned(),
                    offset: relocation.offset as u64,
                    why: format!(
                        "it refers to segment {}, which is missing",
                        relocation.target
                    ),
                })?;
                relocation.apply(segment.kind, &mut data, target)?;
            }
            if let Some(bo) = self.memory(segment.kind) {
                let place = usize::try_from(self.place(index)).unwrap_or(usize::MAX);
                if !bo.memory().write(place, &data) {
                    let why = "a segment lies outside its buffer object";
                    return Err(DeviceError::Internal(why).into());
                }
            }
        }
        Ok(())
    }
}
