//! The memory that the offsets of a message refer to.

use std::sync::atomic::{AtomicU32, Ordering};

use devinfo::GpuAddress;

use crate::check::{Access, Where, is_report};
use crate::{Checks, Fault, Rule, Slm};
use softgpu_memory::View;

/// A byte-addressed range. Reads beyond its end give 0, writes are dropped; an element counts as
/// inside when all its bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// GPU memory from `base` on.
    Memory {
        view: &'a View<'a>,
        base: GpuAddress,
        bytes: u64,
    },
    /// Shared local memory.
    Local(&'a Slm),
    /// A null surface.
    Nowhere,
}

/// The size of stateless memory: every offset is inside.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// Surfaces end with whole dwords: the last bytes may be none of the buffer.
const PADDING: u64 = 3;

pub(super) use eu_native::LOCAL_OFFSET;

const fn inside(offset: u64, width: u64, bytes: u64) -> bool {
    bytes == UNBOUNDED || (offset <= bytes && bytes - offset >= width)
}

impl<'a> Place<'a> {
    /// All of memory, by virtual address.
    pub(super) fn flat(view: &'a View<'a>) -> Self {
        Self::Memory {
            view,
            base: GpuAddress::new(0),
            bytes: UNBOUNDED,
        }
    }

    /// Whether an element of `width` bytes at `offset` is inside.
    pub(super) fn contains(&self, offset: u64, width: u64) -> bool {
        match self {
            Self::Memory { bytes, .. } => inside(offset, width, *bytes),
            Self::Local(slm) => inside(offset & LOCAL_OFFSET, width, slm.words().len() as u64 * 4),
            Self::Nowhere => false,
        }
    }

    /// How many of `width` bytes at `offset` are inside, if any is; otherwise all.
    pub(super) fn part(&self, offset: u64, width: u64) -> u64 {
        match self {
            Self::Memory { bytes, .. } if offset < *bytes => width.min(bytes - offset),
            _ => width,
        }
    }

    /// The address of `offset`: in memory, or in SLM.
    pub(super) fn address(&self, offset: u64) -> u64 {
        match self {
            Self::Memory { base, .. } => base.offset(offset).get(),
            Self::Local(_) => offset & LOCAL_OFFSET,
            Self::Nowhere => offset,
        }
    }

    /// Whether what is stored there tells checks something ([`devinfo::report`]).
    pub(super) fn reports(&self, offset: u64) -> bool {
        self.inside(offset, 1) == Some(Where::Stateless) && is_report(self.address(offset))
    }

    /// Whether the checks know that a surface is of a part of a buffer which begins behind an offset.
    pub(super) fn is_before(&self, checks: &Checks, offset: u64) -> bool {
        match *self {
            Self::Memory {
                bytes: UNBOUNDED, ..
            } => false,
            Self::Memory { base, bytes, .. } => checks.is_before((base, bytes), offset),
            Self::Local(_) | Self::Nowhere => false,
        }
    }

    /// What checks make of an access of `width` bytes; `None` if it is not entirely inside.
    pub(super) fn inside(&self, offset: u64, width: u64) -> Option<Where> {
        match *self {
            Self::Local(_) => self.contains(offset, width).then_some(Where::Local),
            Self::Memory {
                bytes: UNBOUNDED, ..
            } => Some(Where::Stateless),
            Self::Memory { .. } => self.contains(offset, width).then_some(Where::Surface),
            Self::Nowhere => None,
        }
    }

    /// Checks an access of `width` bytes.
    pub(super) fn check(&self, checks: &Checks, offset: u64, width: u64, access: &Access<'_>) {
        checks.set_lane(access.lane);
        self.check_bounds(checks, offset, width);
        let place = match *self {
            Self::Local(_) => Where::Local,
            Self::Memory {
                bytes: UNBOUNDED, ..
            } => Where::Stateless,
            Self::Memory { .. } if self.contains(offset, width) => Where::Surface,
            Self::Memory { .. } => return checks.outside(access),
            Self::Nowhere => {
                checks.outside(access);
                return checks.report(Rule::UnboundSurface, || {
                    "nothing is bound to the surface that the message names".to_owned()
                });
            }
        };
        checks.access(place, self.address(offset), width, access);
    }

    /// Records an access of `width` bytes that is not entirely inside.
    fn check_bounds(&self, checks: &Checks, offset: u64, width: u64) {
        match *self {
            Self::Memory {
                base,
                bytes: UNBOUNDED,
                ..
            } => checks.stateless(base.offset(offset), width),
            Self::Memory { base, bytes, .. } => {
                if !inside(offset, width, bytes) {
                    checks.report(Rule::SurfaceBounds, || {
                        let who = checks.culprit();
                        // Offsets have 32 bits: a large one may be before the surface.
                        let signed = u32::try_from(offset).unwrap_or(0).cast_signed();
                        let before = match signed < 0 {
                            true => format!(" ({signed})"),
                            false => String::new(),
                        };
                        format!(
                            "{who}: {width} bytes at offset {offset:#x}{before} of a surface of {bytes:#x} \
                             bytes at {base}"
                        )
                    });
                } else if bytes - offset - width < PADDING {
                    checks.padding(base.offset(offset), width);
                }
                checks.before((base, bytes), offset, width);
            }
            Self::Local(slm) => {
                checks.local(offset & LOCAL_OFFSET, width, slm.words().len() as u64 * 4);
            }
            // A null surface is empty on purpose.
            Self::Nowhere => {}
        }
    }

    /// Loads the dword at the offset of each lane.
    #[inline]
    pub(super) fn gather(
        &self,
        lanes: impl Iterator<Item = (usize, u64)>,
        mut put: impl FnMut(usize, u32),
    ) -> Result<(), Fault> {
        match *self {
            Self::Memory { view, base, bytes } => {
                for (lane, offset) in lanes {
                    put(
                        lane,
                        if inside(offset, 4, bytes) {
                            view.read_u32(base.offset(offset))?
                        } else {
                            0
                        },
                    );
                }
            }
            Self::Local(slm) => {
                for (lane, offset) in lanes {
                    put(lane, local_load(slm, offset, 4) as u32);
                }
            }
            Self::Nowhere => {
                for (lane, _) in lanes {
                    put(lane, 0);
                }
            }
        }
        Ok(())
    }

    /// Stores a dword.
    #[inline]
    pub(super) fn store32(&self, offset: u64, value: u32) -> Result<(), Fault> {
        match *self {
            Self::Memory { view, base, bytes } if inside(offset, 4, bytes) => {
                Ok(view.write_u32(base.offset(offset), value)?)
            }
            Self::Local(slm) => {
                local_store(slm, offset, 4, value.into());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The element of `width` bytes (1, 2, 4 or 8) at `offset`, zero-extended.
    pub(super) fn load(&self, offset: u64, width: usize) -> Result<u64, Fault> {
        match *self {
            Self::Memory { view, base, bytes } if inside(offset, width as u64, bytes) => {
                let address = base.offset(offset);
                Ok(match width {
                    1 => view.read_u8(address)?.into(),
                    2 => view.read_u16(address)?.into(),
                    4 => view.read_u32(address)?.into(),
                    _ => view.read_u64(address)?,
                })
            }
            Self::Local(slm) => Ok(local_load(slm, offset, width)),
            _ => Ok(0),
        }
    }

    /// Stores the low `width` bytes (1, 2, 4 or 8) of `value`.
    pub(super) fn store(&self, offset: u64, width: usize, value: u64) -> Result<(), Fault> {
        match *self {
            Self::Memory { view, base, bytes } if inside(offset, width as u64, bytes) => {
                let address = base.offset(offset);
                match width {
                    1 => view.write_u8(address, value as u8)?,
                    2 => view.write_u16(address, value as u16)?,
                    4 => view.write_u32(address, value as u32)?,
                    _ => view.write_u64(address, value)?,
                }
                Ok(())
            }
            Self::Local(slm) => {
                local_store(slm, offset, width, value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads consecutive dwords; those not entirely inside are 0.
    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Fault> {
        match *self {
            Self::Memory { view, base, bytes } => {
                let inside = whole_dwords(offset, out.len(), bytes);
                let (front, back) = out.split_at_mut(inside);
                back.fill(0);
                Ok(view.read(base.offset(offset), front)?)
            }
            Self::Local(slm) => {
                if let Some(words) = local_words(slm, offset, out.len()) {
                    for (dword, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
                        *dword = word.load(ORDER).to_le_bytes();
                    }
                    return Ok(());
                }
                for (index, dword) in out.chunks_mut(4).enumerate() {
                    let at = offset.wrapping_add(4 * index as u64);
                    let value = local_load(slm, at, dword.len()).to_le_bytes();
                    dword.copy_from_slice(value.get(..dword.len()).unwrap_or(&[]));
                }
                Ok(())
            }
            Self::Nowhere => {
                out.fill(0);
                Ok(())
            }
        }
    }

    /// Writes consecutive dwords; those not entirely inside are dropped.
    pub(super) fn write(&self, offset: u64, data: &[u8]) -> Result<(), Fault> {
        match *self {
            Self::Memory { view, base, bytes } => {
                let inside = whole_dwords(offset, data.len(), bytes);
                Ok(view.write(base.offset(offset), data.get(..inside).unwrap_or(data))?)
            }
            Self::Local(slm) => {
                if let Some(words) = local_words(slm, offset, data.len()) {
                    for (dword, word) in data.as_chunks().0.iter().zip(words) {
                        word.store(u32::from_le_bytes(*dword), ORDER);
                    }
                    return Ok(());
                }
                for (index, dword) in data.chunks(4).enumerate() {
                    let at = offset.wrapping_add(4 * index as u64);
                    local_store(
                        slm,
                        at,
                        dword.len(),
                        super::payload::lane(dword, 0, dword.len()),
                    );
                }
                Ok(())
            }
            Self::Nowhere => Ok(()),
        }
    }

    /// Replaces the element of `width` bytes (2, 4 or 8) at `offset` by `update(old)`, atomically
    /// (`None` leaves it). Returns the old value; an element outside reads as 0 and stays.
    ///
    /// # Errors
    /// [`Fault::Invalid`] when the element is not naturally aligned.
    pub(super) fn atomic(
        &self,
        offset: u64,
        width: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        if !self.contains(offset, width as u64) {
            update(0);
            return Ok(0);
        }
        let address = self.address(offset);
        if !address.is_multiple_of(width as u64) {
            return Err(Fault::Invalid {
                why: format!("atomic of {width} bytes at {address:#x}, which is not aligned to it"),
            });
        }
        let half_shift = (address & 2) * 8;
        let mut old = 0;
        let mut half = |dword: u32| {
            old = u64::from(dword >> half_shift & 0xffff);
            update(old)
                .map(|new| dword & !(0xffff << half_shift) | (new as u32 & 0xffff) << half_shift)
        };
        match *self {
            Self::Memory { view, base, .. } => {
                let address = base.offset(offset);
                match width {
                    8 => Ok(view.atomic_u64(address, update)?),
                    4 => Ok(view
                        .atomic_u32(address, &mut |old| update(old.into()).map(|new| new as u32))?
                        .into()),
                    _ => {
                        view.atomic_u32(GpuAddress::new(address.get() & !3), &mut half)?;
                        Ok(old)
                    }
                }
            }
            Self::Local(slm) => {
                let word = |index: u64| slm.words().get(index as usize);
                match width {
                    8 => Ok(local_atomic64(slm, offset, update)),
                    4 => Ok(word((offset & LOCAL_OFFSET) / 4)
                        .map_or(0, |word| {
                            rmw(word, &mut |old| update(old.into()).map(|new| new as u32))
                        })
                        .into()),
                    _ => {
                        if let Some(word) = word((offset & LOCAL_OFFSET) / 4) {
                            rmw(word, &mut half);
                        }
                        Ok(old)
                    }
                }
            }
            Self::Nowhere => Ok(0),
        }
    }
}

/// How many of `wanted` bytes at `offset` are in whole dwords inside `bytes`.
fn whole_dwords(offset: u64, wanted: usize, bytes: u64) -> usize {
    if bytes == UNBOUNDED {
        return wanted;
    }
    let available = bytes.saturating_sub(offset);
    if available >= wanted as u64 {
        wanted
    } else {
        (available & !3) as usize
    }
}

/// Relaxed: messages of one thread are in order, and SLM belongs to one host thread at a time.
const ORDER: Ordering = Ordering::Relaxed;

/// The words of `bytes` bytes at `offset`, if these are whole words that are all inside.
#[inline]
fn local_words(slm: &Slm, offset: u64, bytes: usize) -> Option<&[AtomicU32]> {
    let offset = offset & LOCAL_OFFSET;
    let first = (offset / 4) as usize;
    if !offset.is_multiple_of(4) || !bytes.is_multiple_of(4) {
        return None;
    }
    slm.words().get(first..first + bytes / 4)
}

#[inline(always)]
fn local_load(slm: &Slm, offset: u64, width: usize) -> u64 {
    let offset = offset & LOCAL_OFFSET;
    let words = slm.words();
    let index = (offset / 4) as usize;
    let word = |index: usize| words.get(index).map(|word| word.load(ORDER));
    if offset.is_multiple_of(4) && width == 4 {
        return word(index).unwrap_or(0).into();
    }
    if !inside(offset, width as u64, words.len() as u64 * 4) {
        return 0;
    }
    let shift = offset % 4 * 8;
    let mut value = 0;
    for step in (0..3).rev() {
        value = value << 32 | u128::from(word(index + step).unwrap_or(0));
    }
    let value = (value >> shift) as u64;
    if width == 8 {
        value
    } else {
        value & ((1 << (8 * width)) - 1)
    }
}

#[inline]
fn local_store(slm: &Slm, offset: u64, width: usize, value: u64) {
    let offset = offset & LOCAL_OFFSET;
    let words = slm.words();
    let index = (offset / 4) as usize;
    if offset.is_multiple_of(4) && width == 4 {
        if let Some(word) = words.get(index) {
            word.store(value as u32, ORDER);
        }
        return;
    }
    if !inside(offset, width as u64, words.len() as u64 * 4) {
        return;
    }
    let shift = offset % 4 * 8;
    let mask = (u128::from(u64::MAX) >> (64 - 8 * width)) << shift;
    let value = u128::from(value) << shift & mask;
    for step in 0..3 {
        let (mask, value) = ((mask >> (32 * step)) as u32, (value >> (32 * step)) as u32);
        if mask != 0
            && let Some(word) = words.get(index + step)
        {
            word.store(word.load(ORDER) & !mask | value, ORDER);
        }
    }
}

fn rmw(word: &AtomicU32, update: &mut dyn FnMut(u32) -> Option<u32>) -> u32 {
    let old = word.load(ORDER);
    if let Some(new) = update(old) {
        word.store(new, ORDER);
    }
    old
}

fn local_atomic64(slm: &Slm, offset: u64, update: &mut dyn FnMut(u64) -> Option<u64>) -> u64 {
    let old = local_load(slm, offset, 8);
    if let Some(new) = update(old) {
        local_store(slm, offset, 8, new);
    }
    old
}
