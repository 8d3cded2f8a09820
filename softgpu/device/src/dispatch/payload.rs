//! The registers that a thread starts with.

use devinfo::thread::Topology;
use devinfo::{WalkerKind, thread};

use super::walker::{LocalIds, ThreadData, Walker};
use softgpu_eu::{Fault, ThreadStart};
use softgpu_memory::View;

/// The most bytes that a payload can have: no family loads more registers than a thread has.
const MAX_PAYLOAD: usize = 256 * 64;

/// The bytes that a thread loads by itself at entry (the first part of IGC's prolog on XeHPG on)
/// are not included: they stay in memory.
///
/// Threads of the same number start with the same registers in all groups, but for r0, and the same threads of
/// groups that have the same slots start with the same but for the groups' ids.
#[derive(Debug)]
pub struct RegisterImage {
    cross_thread: Vec<u8>,
    /// By thread, if they are not too many together; else only the last one.
    threads: Vec<Image>,
    keeps: bool,
}

/// How threads of one number start.
#[derive(Debug)]
pub struct Image {
    /// The registers, from r0 on, but for the group's ids.
    pub bytes: Vec<u8>,
    /// The channels.
    pub mask: u32,
    /// Where on the device it is.
    pub topology: Topology,
    /// The slot that it was last made for.
    slot: Option<u32>,
}

impl Image {
    /// That of no thread yet.
    const fn empty() -> Self {
        Self {
            bytes: Vec::new(),
            mask: 0,
            topology: Topology {
                state: 0,
                message: 0,
            },
            slot: None,
        }
    }

    /// The thread at its entry point, in a group.
    #[inline]
    pub fn start(&self, walker: &Walker, group: [u32; 3]) -> ThreadStart<'_> {
        ThreadStart {
            family: walker.family,
            payload: &self.bytes,
            group,
            ip: walker.kernel,
            dispatch_mask: self.mask,
            simd: walker.simd,
            grf_count: walker.grf_count,
            sr0: self.topology.state,
            msg0: self.topology.message,
            thread_slot: self.slot.unwrap_or_default(),
            cr0: walker.cr0,
        }
    }
}

/// The most bytes of images that are kept.
const KEPT: usize = 1 << 20;

/// The place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The thread's number in its group.
    pub thread: u32,
    /// The thread's slot (FFTID).
    pub slot: u32,
}

impl RegisterImage {
    /// Reads what all threads of the walker share.
    ///
    /// # Errors
    /// A page fault of the cross-thread data; [`Fault::Invalid`] if the payload exceeds the
    /// register file.
    pub fn new(walker: &Walker, memory: &View<'_>) -> Result<Self, Fault> {
        let data = &walker.data;
        let whole = data.cross_thread_bytes as usize + data.per_thread_bytes as usize;
        if whole > MAX_PAYLOAD {
            return Err(Fault::Invalid {
                why: format!(
                    "a payload of {whole} bytes a thread exceeds the register file \
                     ({MAX_PAYLOAD} bytes)"
                ),
            });
        }
        let mut cross_thread = vec![0; data.cross_thread_bytes as usize];
        read_data(data, 0, &mut cross_thread, memory)?;
        let count = walker.threads_per_group() as usize;
        // With room for what is not from memory: a header, ids and inline data.
        let kept = count.saturating_mul(whole + 1024);
        Ok(Self {
            cross_thread,
            threads: Vec::new(),
            keeps: kept <= KEPT,
        })
    }

    /// Prepares the images of the threads of groups that have these slots, if images are kept. The host's
    /// processor would wait for an image that is copied right after it has been written.
    ///
    /// # Errors
    /// A page fault of a thread's data.
    pub fn enter(
        &mut self,
        walker: &Walker,
        slots: &[u32],
        memory: &View<'_>,
    ) -> Result<(), Fault> {
        if !self.keeps {
            return Ok(());
        }
        for (thread, &slot) in (0..).zip(slots) {
            self.thread(walker, Place { thread, slot }, memory)?;
        }
        Ok(())
    }

    /// How the threads of groups that have these slots start, if images are kept and [`enter`](Self::enter) has
    /// prepared them.
    #[inline]
    pub fn prepared(&self, slots: &[u32]) -> Option<&[Image]> {
        let images = self.threads.get(..slots.len());
        images.filter(|_| self.keeps)
    }

    /// How the thread at `place` starts.
    ///
    /// # Errors
    /// A page fault of the thread's data.
    #[inline]
    pub fn thread(
        &mut self,
        walker: &Walker,
        place: Place,
        memory: &View<'_>,
    ) -> Result<&Image, Fault> {
        let number = if self.keeps { place.thread as usize } else { 0 };
        let known = self.threads.get(number).filter(|_| self.keeps);
        if known.and_then(|image| image.slot) != Some(place.slot) {
            self.prepare(walker, (number, place), memory)?;
        }
        Ok(&self.threads[number])
    }

    /// Makes image `number` that of the thread at `place`.
    #[inline(never)]
    fn prepare(
        &mut self,
        walker: &Walker,
        (number, place): (usize, Place),
        memory: &View<'_>,
    ) -> Result<(), Fault> {
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, Image::empty);
        }
        let mut image = std::mem::replace(&mut self.threads[number], Image::empty());
        if !self.keeps || image.slot.is_none() {
            self.fill(walker, place, memory, &mut image.bytes)?;
        }
        let (r0, _) = image.bytes.as_chunks_mut::<4>();
        for (bytes, dword) in r0.iter_mut().zip(header(walker, place)) {
            *bytes = dword.to_le_bytes();
        }
        self.threads[number] = Image {
            bytes: image.bytes,
            mask: walker.dispatch_mask(place.thread),
            topology: Topology::of(walker.family, place.slot),
            slot: Some(place.slot),
        };
        Ok(())
    }

    /// The registers from r1 on, behind a clear r0.
    fn fill(
        &self,
        walker: &Walker,
        place: Place,
        memory: &View<'_>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let grf = walker.family.grf_bytes();
        bytes.clear();
        bytes.resize(grf, 0);
        if let Some(ids) = &walker.local_ids {
            push_local_ids(ids, walker.simd, place.thread, grf, bytes);
        }
        if let Some(inline) = &walker.inline_data {
            bytes.extend_from_slice(&inline[..grf.min(inline.len())]);
        }
        let data = &walker.data;
        if data.curbe {
            bytes.extend_from_slice(&self.cross_thread);
        }
        let own = data.per_thread_bytes as usize;
        if own != 0 {
            let start = bytes.len();
            bytes.resize(start + own, 0);
            let offset = u64::from(data.cross_thread_bytes)
                + u64::from(place.thread) * u64::from(data.per_thread_bytes);
            read_data(data, offset, &mut bytes[start..], memory)?;
        }
        if !data.curbe {
            bytes.extend_from_slice(&self.cross_thread);
        }
        Ok(())
    }
}

/// Reads thread data; everything after its length is zero.
fn read_data(
    data: &ThreadData,
    offset: u64,
    out: &mut [u8],
    memory: &View<'_>,
) -> Result<(), Fault> {
    let there = u64::from(data.bytes).saturating_sub(offset);
    let length = out.len().min(usize::try_from(there).unwrap_or(usize::MAX));
    Ok(memory.read(data.address.offset(offset), &mut out[..length])?)
}

/// r0, the dispatch header, without the group's ids. On older families r0.2 always names barrier 0: the gateway knows the
/// group.
fn header(walker: &Walker, place: Place) -> [u32; 8] {
    let mut r0 = [0; 8];
    let mut scratch = walker.scratch.base;
    match walker.family.walker() {
        WalkerKind::Compute => {
            thread::PAYLOAD.set_offset(&mut r0, walker.data.offset);
            thread::THREAD_IN_GROUP.set(&mut r0, place.thread);
            thread::GROUP_THREADS.set(&mut r0, walker.threads_per_group());
        }
        WalkerKind::Gpgpu => {
            // Each slot has its own part.
            let own = place.slot.wrapping_mul(walker.scratch.per_thread);
            scratch = scratch.wrapping_add(own);
        }
    }
    let kib = walker.scratch.per_thread / 1024;
    thread::SCRATCH_SIZE.set(&mut r0, kib.checked_ilog2().unwrap_or(0));
    thread::SAMPLER_STATES.set_offset(&mut r0, walker.sampler_state);
    thread::BINDING_TABLE.set_offset(&mut r0, walker.binding_table);
    thread::SLOT.set(&mut r0, place.slot);
    thread::SCRATCH.set_offset(&mut r0, scratch);
    r0
}

fn push_local_ids(ids: &LocalIds, simd: u8, thread: u32, grf: usize, out: &mut Vec<u8>) {
    let lanes = u32::from(simd);
    let register = (usize::from(simd) * 2).next_multiple_of(grf);
    for axis in (0..3).filter(|&axis| ids.emit[axis]) {
        let start = out.len();
        for lane in 0..lanes {
            let item = u64::from(thread) * u64::from(lanes) + u64::from(lane);
            out.extend_from_slice(&(ids.of(item)[axis] as u16).to_le_bytes());
        }
        out.resize(start + register, 0);
    }
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};

    use super::*;
    use crate::dispatch::walker::Scratch;
    use softgpu_eu::{StateBases, Thread};
    use softgpu_memory::AddressSpace;

    fn walker(family: Family) -> Walker {
        Walker {
            family,
            bases: StateBases::default(),
            kernel: 0,
            simd: 16,
            grf_count: 128,
            groups: [0..8, 0..8, 0..8],
            threads: [4, 1, 1],
            right_mask: u32::MAX,
            bottom_mask: u32::MAX,
            data: ThreadData {
                address: GpuAddress::new(0x1040),
                cross_thread_bytes: 64,
                per_thread_bytes: 32,
                curbe: false,
                bytes: 64 + 4 * 32,
                offset: 0x1040,
            },
            local_ids: None,
            inline_data: None,
            slm_bytes: 0,
            binding_table: 0x120,
            sampler_state: 0x240,
            scratch: Scratch {
                base: 0x1000,
                per_thread: 4096,
            },
            thread_slots: 64,
            cr0: 0,
        }
    }

    fn dword(bytes: &[u8], index: usize) -> u32 {
        u32::from_le_bytes(bytes[index * 4..][..4].try_into().unwrap())
    }

    #[test]
    fn the_threads_own_registers_come_before_the_cross_thread_ones_but_after_those_of_the_curbe() {
        let space = AddressSpace::with_anonymous(&[(GpuAddress::new(0x1000), 0x1000)]).unwrap();
        let view = space.view();
        for (index, value) in (0..48u32).enumerate() {
            view.write_u32(GpuAddress::new(0x1040 + index as u64 * 4), value)
                .unwrap();
        }
        let walker = walker(Family::Gen12Lp);
        let mut image = RegisterImage::new(&walker, &view).unwrap();
        let place = Place { thread: 2, slot: 9 };
        let image_of = image.thread(&walker, place, &view).unwrap();
        let bytes = &image_of.bytes;
        assert_eq!(bytes.len(), 32 + 32 + 64);
        let thread = Thread::new(&image_of.start(&walker, [3, 4, 5]));
        assert_eq!([1, 6, 7].map(|at| dword(thread.registers(), at)), [3, 4, 5]);
        assert_eq!(dword(bytes, 5), (0x1000 + 9 * 4096) | 9);
        assert_eq!(dword(bytes, 3), 0x242, "sampler state, 4 KiB of scratch");
        assert_eq!(dword(bytes, 4), 0x120);
        assert_eq!(dword(bytes, 8), 16 + 2 * 8, "r1: third thread's part");
        assert_eq!(dword(bytes, 16), 0, "r2: cross-thread part");
        assert_eq!(dword(bytes, 31), 15);

        let mut walker = walker.clone();
        walker.data.curbe = true;
        let mut image = RegisterImage::new(&walker, &view).unwrap();
        let bytes = &image.thread(&walker, place, &view).unwrap().bytes;
        assert_eq!(dword(bytes, 8), 0, "r1: cross-thread part");
        assert_eq!(dword(bytes, 24), 16 + 2 * 8, "r3: third thread's part");
    }

    #[test]
    fn later_families_get_their_place_and_generated_ids() {
        let space = AddressSpace::with_anonymous(&[(GpuAddress::new(0x1000), 0x1000)]).unwrap();
        let view = space.view();
        let ids = LocalIds {
            emit: [true, true, false],
            size: [6, 4, 1],
            order: [0, 1, 2],
            tile: None,
        };
        let mut walker = Walker {
            local_ids: Some(ids),
            ..walker(Family::XeHpg)
        };
        walker.data = ThreadData {
            offset: 0x1040,
            ..ThreadData::default()
        };
        walker.inline_data = Some([7; 64]);
        let mut image = RegisterImage::new(&walker, &view).unwrap();
        let place = Place { thread: 1, slot: 0 };
        let bytes = &image.thread(&walker, place, &view).unwrap().bytes;
        assert_eq!(dword(bytes, 0), 0x1040);
        assert_eq!(dword(bytes, 2), 4 << 24 | 1);
        let lane = |register: usize, lane: usize| bytes[register * 32 + lane * 2];
        // Item 16 of a 6 by 4 group is (4, 2).
        assert_eq!((lane(1, 0), lane(2, 0)), (4, 2));
        assert_eq!((lane(1, 2), lane(2, 2)), (0, 3));
        assert_eq!(bytes[96..128], [7; 32], "inline data follows the ids");
        assert_eq!(bytes.len(), 128);
    }

    #[test]
    fn ids_in_tiles_go_down_four_rows_first() {
        let ids = LocalIds {
            emit: [true; 3],
            size: [2, 8, 2],
            order: [1, 0, 2],
            tile: Some(4),
        };
        let seen: Vec<_> = [0, 3, 4, 7, 8, 12, 16, 31].map(|item| ids.of(item)).into();
        let expected = [
            [0, 0, 0],
            [0, 3, 0],
            [1, 0, 0],
            [1, 3, 0],
            [0, 4, 0],
            [1, 4, 0],
            [0, 0, 1],
            [1, 7, 1],
        ];
        assert_eq!(seen, expected);
        // A group of two rows has tiles of two rows.
        let low = LocalIds {
            size: [4, 2, 1],
            ..ids
        };
        assert_eq!(
            [1, 2, 7].map(|item| low.of(item)),
            [[0, 1, 0], [1, 0, 0], [3, 1, 0]]
        );
    }

    #[test]
    fn data_behind_its_length_is_zero_and_missing_pages_fault() {
        let space = AddressSpace::with_anonymous(&[(GpuAddress::new(0x1000), 0x1000)]).unwrap();
        let view = space.view();
        view.write(GpuAddress::new(0x1040), &[0xff; 256]).unwrap();
        let mut walker = walker(Family::Gen12Lp);
        walker.data.bytes = 64;
        let mut image = RegisterImage::new(&walker, &view).unwrap();
        let place = Place { thread: 0, slot: 0 };
        assert_eq!(
            image.thread(&walker, place, &view).unwrap().bytes[32..64],
            [0; 32]
        );
        walker.data.address = GpuAddress::new(0x8000);
        assert!(matches!(
            RegisterImage::new(&walker, &view),
            Err(Fault::Memory(_))
        ));
        walker.data.cross_thread_bytes = u32::MAX;
        assert!(matches!(
            RegisterImage::new(&walker, &view),
            Err(Fault::Invalid { .. })
        ));
    }
}
