//! Decoded states of surfaces and samplers.

use std::cell::Cell;

use devinfo::GpuAddress;

use super::sampler::{SAMPLERS, Sampler};
use super::state_rules;
use super::surface::{Surface, SurfaceKind};
use super::texels::{Grid, Named};
use crate::{Fault, GroupEnv};

/// Bytes of a RENDER_SURFACE_STATE.
const STATE_BYTES: usize = 64;
/// Binding table entries that a message can name.
pub(super) const TABLE_ENTRIES: usize = 240;
/// Slots for surface states found by offset; direct mapped.
const OFFSET_SLOTS: usize = 64;

/// A surface with the address of its state.
type Found = Option<(GpuAddress, Surface)>;

/// What is known of a surface's texels.
#[derive(Clone, Copy, Debug)]
enum Texture {
    Unknown,
    /// Left to the general path.
    Other,
    /// With the address of its state, unless it is an entry of the table.
    Grid(GpuAddress, Grid),
}

/// A buffer's base and bytes.
type Buffer = Option<(GpuAddress, u64)>;

/// Decoded states of surfaces and samplers that messages of a walker have used.
///
/// Hardware also caches these states for the duration of a walker (software invalidates the state
/// cache before it changes them). One for each walker and host thread; [`StateCache::clear`] it
/// before another walker.
#[derive(Debug)]
pub struct StateCache {
    /// By binding table index.
    table: Box<[Cell<Option<Surface>>]>,
    /// The same of buffers: base and bytes.
    buffers: Box<[Cell<Buffer>]>,
    /// The same of images.
    textures: Box<[Cell<Texture>]>,
    /// Behind the last entry of the table that is used.
    table_end: Cell<usize>,
    /// By address of the state.
    states: Box<[Cell<Found>]>,
    /// The same of images.
    bindless: Box<[Cell<Texture>]>,
    has_states: Cell<bool>,
    /// By index.
    samplers: Box<[Cell<Option<Sampler>>]>,
    has_samplers: Cell<bool>,
    /// Where host code reaches them.
    #[cfg(target_arch = "x86_64")]
    windows: super::host::Windows,
}

impl Default for StateCache {
    fn default() -> Self {
        Self {
            table: vec![Cell::new(None); TABLE_ENTRIES].into(),
            buffers: vec![Cell::new(None); TABLE_ENTRIES].into(),
            textures: vec![Cell::new(Texture::Unknown); TABLE_ENTRIES].into(),
            table_end: Cell::new(0),
            states: vec![Cell::new(None); OFFSET_SLOTS].into(),
            bindless: vec![Cell::new(Texture::Unknown); OFFSET_SLOTS].into(),
            has_states: Cell::new(false),
            samplers: vec![Cell::new(None); SAMPLERS].into(),
            has_samplers: Cell::new(false),
            #[cfg(target_arch = "x86_64")]
            windows: super::host::Windows::default(),
        }
    }
}

impl StateCache {
    /// Forgets everything.
    pub fn clear(&self) {
        let used = self.table_end.take();
        for slot in self.table.iter().take(used) {
            slot.set(None);
        }
        for slot in self.buffers.iter().take(used) {
            slot.set(None);
        }
        for slot in self.textures.iter().take(used) {
            slot.set(Texture::Unknown);
        }
        if self.has_states.take() {
            for slot in &self.states {
                slot.set(None);
            }
            for slot in &self.bindless {
                slot.set(Texture::Unknown);
            }
        }
        if self.has_samplers.take() {
            for slot in &self.samplers {
                slot.set(None);
            }
        }
        #[cfg(target_arch = "x86_64")]
        self.windows.clear();
    }

    /// The windows of host code.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn windows(&self) -> &super::host::Windows {
        &self.windows
    }

    /// The base and bytes of the buffer of binding table entry `index`; `None` for anything else, and
    /// if it cannot be read.
    #[inline(always)]
    pub(super) fn buffer(&self, env: &GroupEnv<'_>, index: u8) -> Buffer {
        let slot = self.buffers.get(usize::from(index))?;
        slot.get().or_else(|| self.buffer_miss(env, index, slot))
    }

    /// The same of the surface state at `offset` in the bindless heap.
    pub(super) fn bindless_buffer(&self, env: &GroupEnv<'_>, offset: u32) -> Buffer {
        let state = env.bases.bindless_surface.offset(offset.into());
        Self::as_buffer(&self.at(env, state).ok()?)
    }

    fn as_buffer(surface: &Surface) -> Buffer {
        let kinds = [SurfaceKind::Buffer, SurfaceKind::StructuredBuffer];
        let buffer = kinds.contains(&surface.kind);
        buffer.then_some((surface.base, surface.bytes))
    }

    #[cold]
    #[inline(never)]
    fn buffer_miss(&self, env: &GroupEnv<'_>, index: u8, slot: &Cell<Buffer>) -> Buffer {
        let surface = self.bti(env, index).ok()?;
        let buffer = Self::as_buffer(&surface);
        self.use_table(index);
        slot.set(buffer);
        buffer
    }

    /// The texels of a surface, if they are usual ones and its state can be read.
    #[inline(always)]
    pub(super) fn grid(&self, env: &GroupEnv<'_>, named: Named) -> Option<Grid> {
        let (slot, address) = match named {
            Named::Table(index) => {
                let slot = self.textures.get(usize::from(index))?;
                (slot, GpuAddress::new(0))
            }
            Named::Bindless(offset) => {
                let address = env.bases.bindless_surface.offset(offset.into());
                let number = address.get() as usize / STATE_BYTES;
                (self.bindless.get(number % OFFSET_SLOTS)?, address)
            }
            Named::Register => return None,
        };
        match slot.get() {
            Texture::Grid(known, grid) if known == address => Some(grid),
            Texture::Other => None,
            _ => self.grid_miss(env, named, slot, address),
        }
    }

    #[cold]
    #[inline(never)]
    fn grid_miss(
        &self,
        env: &GroupEnv<'_>,
        named: Named,
        slot: &Cell<Texture>,
        address: GpuAddress,
    ) -> Option<Grid> {
        let (surface, is_alone) = match named {
            Named::Table(index) => {
                let surface = self.bti(env, index).ok()?;
                self.use_table(index);
                (surface, true)
            }
            _ => {
                let surface = self.at(env, address).ok()?;
                self.has_states.set(true);
                (surface, false)
            }
        };
        match Grid::of(&surface) {
            Some(grid) => {
                slot.set(Texture::Grid(address, grid));
                Some(grid)
            }
            None => {
                // Others may have the same slot.
                if is_alone {
                    slot.set(Texture::Other);
                }
                None
            }
        }
    }

    /// The sampler that messages name by `index`; `None` if its state cannot be read.
    #[inline(always)]
    pub(super) fn sampler(&self, env: &GroupEnv<'_>, index: u8) -> Option<Sampler> {
        let slot = self.samplers.get(usize::from(index))?;
        slot.get().or_else(|| {
            let sampler = Sampler::of(env, index).ok()?;
            self.has_samplers.set(true);
            slot.set(Some(sampler));
            Some(sampler)
        })
    }

    /// The surface of binding table entry `index`.
    #[inline(always)]
    pub(super) fn bti(&self, env: &GroupEnv<'_>, index: u8) -> Result<Surface, Fault> {
        match self.table.get(usize::from(index)).and_then(Cell::get) {
            Some(surface) => Ok(surface),
            None => self.bti_miss(env, index),
        }
    }

    #[cold]
    #[inline(never)]
    fn bti_miss(&self, env: &GroupEnv<'_>, index: u8) -> Result<Surface, Fault> {
        let slot = self.table.get(usize::from(index));
        let entry = env
            .bases
            .binding_table_pool
            .offset(u64::from(env.binding_table) + 4 * u64::from(index));
        // Bits 5:0 of an entry are reserved.
        let pointer = env.memory.read_u32(entry)? & !0x3f;
        let surface = self.at(env, env.bases.surface.offset(pointer.into()))?;
        if let Some(slot) = slot {
            self.use_table(index);
            slot.set(Some(surface));
        }
        Ok(surface)
    }

    /// An entry of the table is about to be kept.
    fn use_table(&self, index: u8) {
        let end = usize::from(index) + 1;
        self.table_end.set(self.table_end.get().max(end));
    }

    /// The surface whose state is at `address`.
    #[inline(always)]
    pub(super) fn at(&self, env: &GroupEnv<'_>, address: GpuAddress) -> Result<Surface, Fault> {
        let slot = self
            .states
            .get(address.get() as usize / STATE_BYTES % OFFSET_SLOTS);
        match slot.and_then(Cell::get) {
            Some((cached, surface)) if cached == address => Ok(surface),
            _ => self.at_miss(env, address, slot),
        }
    }

    #[cold]
    #[inline(never)]
    fn at_miss(
        &self,
        env: &GroupEnv<'_>,
        address: GpuAddress,
        slot: Option<&Cell<Found>>,
    ) -> Result<Surface, Fault> {
        let mut bytes = [0; STATE_BYTES];
        env.memory.read(address, &mut bytes)?;
        let mut dwords = [0; STATE_BYTES / 4];
        for (dword, bytes) in dwords.iter_mut().zip(bytes.chunks_exact(4)) {
            *dword = bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        let surface = Surface::decode(env.family, &dwords);
        if let Some(checks) = env.checks {
            state_rules::surface(checks, &surface, surface.is_raw());
        }
        if let Some(slot) = slot {
            self.has_states.set(true);
            slot.set(Some((address, surface)));
        }
        Ok(surface)
    }
}
