//! Raw accesses to memory that the CPU and GPU threads share.
//!
//! Other threads and the client program change these bytes at any time, so only references to
//! atomics are formed: naturally aligned words are relaxed atomics, and everything else is built
//! from them.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// One 4 KiB page of host memory that a GPU page is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostPage(NonNull<u8>);

/// The bytes of a page.
const PAGE: usize = crate::PAGE_BYTES as usize;

macro_rules! word_access {
    ($load:ident, $store:ident, $word:ty, $atomic:ty) => {
        /// Loads the naturally aligned word at `offset` (its low bits and those above the page
        /// are ignored).
        #[inline(always)]
        pub(crate) fn $load(self, offset: usize) -> $word {
            // SAFETY: the masked offset lies in the page and is aligned; the page is valid by
            // the contract of `new`; concurrent accesses are atomic, like this one.
            unsafe { <$atomic>::from_ptr(self.at(offset, size_of::<$word>()).cast()) }
                .load(Ordering::Relaxed)
        }

        /// Stores the naturally aligned word at `offset`; see the load.
        #[inline(always)]
        pub(crate) fn $store(self, offset: usize, value: $word) {
            // SAFETY: as for the load; the caller checked that the binding is writable.
            unsafe { <$atomic>::from_ptr(self.at(offset, size_of::<$word>()).cast()) }
                .store(value, Ordering::Relaxed);
        }
    };
}

impl HostPage {
    /// The page at `base`.
    ///
    /// # Safety
    /// `base` is aligned to 8, and the 4 KiB there stay mapped (and writable, if any store is
    /// made) for as long as the value or a copy of it is used. For its own pages the client
    /// promises this, see [`Backing::user`](super::Backing::user).
    pub(crate) unsafe fn new(base: NonNull<u8>) -> Self {
        Self(base)
    }

    /// A pointer to the aligned word of `bytes` that `offset` falls in.
    #[inline(always)]
    fn at(self, offset: usize, bytes: usize) -> *mut u8 {
        let offset = offset & (PAGE - 1) & !(bytes - 1);
        // SAFETY: the offset is below the size of the page.
        unsafe { self.0.as_ptr().add(offset) }
    }

    word_access!(load_u8, store_u8, u8, AtomicU8);
    word_access!(load_u16, store_u16, u16, AtomicU16);
    word_access!(load_u32, store_u32, u32, AtomicU32);
    word_access!(load_u64, store_u64, u64, AtomicU64);

    /// The naturally aligned qwords from `offset` to the end of the page.
    #[inline(always)]
    fn qwords<'p>(self, offset: usize) -> &'p [AtomicU64] {
        let all = self.0.as_ptr().cast::<AtomicU64>();
        // SAFETY: by the contract of `new` the page is mapped as long as `self` is used, and
        // callers of this do not outlive it. Its base is aligned. Only shared references point to
        // the atomics, so others may write them.
        let all = unsafe { std::slice::from_raw_parts(all, PAGE / 8) };
        all.get(offset / 8..).unwrap_or_default()
    }

    /// Copies bytes from `offset` on to `out`, which ends in this page.
    #[inline]
    pub(crate) fn read(self, offset: usize, out: &mut [u8]) {
        debug_assert!(offset + out.len() <= PAGE);
        let head = (offset.wrapping_neg() & 7).min(out.len());
        let (first, rest) = out.split_at_mut(head);
        for (i, byte) in first.iter_mut().enumerate() {
            *byte = self.load_u8(offset + i);
        }
        let offset = offset + head;
        let (words, tail) = rest.as_chunks_mut::<8>();
        for (word, from) in words.iter_mut().zip(self.qwords(offset)) {
            *word = from.load(Ordering::Relaxed).to_le_bytes();
        }
        let offset = offset + 8 * words.len();
        for (i, byte) in tail.iter_mut().enumerate() {
            *byte = self.load_u8(offset + i);
        }
    }

    /// Copies `data` to `offset`; it ends in this page.
    #[inline]
    pub(crate) fn write(self, offset: usize, data: &[u8]) {
        debug_assert!(offset + data.len() <= PAGE);
        let head = (offset.wrapping_neg() & 7).min(data.len());
        let (first, rest) = data.split_at(head);
        for (i, byte) in first.iter().enumerate() {
            self.store_u8(offset + i, *byte);
        }
        let offset = offset + head;
        let (words, tail) = rest.as_chunks::<8>();
        for (word, to) in words.iter().zip(self.qwords(offset)) {
            to.store(u64::from_le_bytes(*word), Ordering::Relaxed);
        }
        let offset = offset + 8 * words.len();
        for (i, byte) in tail.iter().enumerate() {
            self.store_u8(offset + i, *byte);
        }
    }

    /// Replaces the aligned dword at `offset` by `update(old)`; `None` leaves it.
    pub(crate) fn update_u32(
        self,
        offset: usize,
        update: &mut dyn FnMut(u32) -> Option<u32>,
    ) -> u32 {
        // SAFETY: as for `load_u32`.
        let word = unsafe { AtomicU32::from_ptr(self.at(offset, 4).cast()) };
        match word.fetch_update(Ordering::AcqRel, Ordering::Acquire, update) {
            Ok(old) | Err(old) => old,
        }
    }

    /// Replaces the aligned qword at `offset` by `update(old)`; `None` leaves it.
    pub(crate) fn update_u64(
        self,
        offset: usize,
        update: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        // SAFETY: as for `load_u64`.
        let word = unsafe { AtomicU64::from_ptr(self.at(offset, 8).cast()) };
        match word.fetch_update(Ordering::AcqRel, Ordering::Acquire, update) {
            Ok(old) | Err(old) => old,
        }
    }

    /// Replaces the aligned octword at `offset` by `new` if it is `expected`. Returns the old
    /// value; `None` if the host has no such instruction.
    pub(crate) fn compare_exchange_u128(
        self,
        offset: usize,
        expected: u128,
        new: u128,
    ) -> Option<u128> {
        let word = self.at(offset, 16).cast::<u128>();
        #[cfg(target_arch = "x86_64")]
        if word.is_aligned() && is_x86_feature_detected!("cmpxchg16b") {
            // SAFETY: the instruction exists, the pointer is aligned, and in the page as for
            // `load_u64`; the access is atomic, like all others.
            return Some(unsafe { compare_exchange(word, expected, new) });
        }
        let _ = (word, expected, new);
        None
    }
}

/// `lock cmpxchg16b`, not through `core::arch`: some builds turn that function into a call of a
/// missing library.
///
/// # Safety
/// The processor has it, and `word` is aligned to 16 and valid for atomic writes.
#[cfg(target_arch = "x86_64")]
unsafe fn compare_exchange(word: *mut u128, expected: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: by the contract the instruction exists and may write at `word`. It takes half of
    // `new` in rbx, which cannot be an operand but may be assigned to any operand of class `reg`:
    // so both others have registers of their own, and rbx is restored when the block ends.
    unsafe {
        std::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") word,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") expected as u64 => low,
            inout("rdx") (expected >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[repr(align(4096))]
    struct Page([AtomicU64; PAGE / 8]);

    const NEW: u128 = 0x0123_4567_89ab_cdef << 64 | 0x5a5a;

    /// The address is needed again after the call, so it stays in a register that calls preserve:
    /// the first of those is rbx.
    ///
    /// # Safety
    /// As [`compare_exchange`].
    #[inline(never)]
    unsafe fn between_calls(word: *mut u128) -> u128 {
        #[inline(never)]
        fn call(word: *mut u128) {
            black_box(word);
        }
        call(word);
        // SAFETY: by the contract.
        let old = unsafe { compare_exchange(word, 0, NEW) };
        call(word);
        old
    }

    #[test]
    fn an_octword_is_exchanged_whatever_register_its_address_is_in() {
        if !is_x86_feature_detected!("cmpxchg16b") {
            return;
        }
        let page = Page([const { AtomicU64::new(0) }; PAGE / 8]);
        // SAFETY: the page lives to the end of the test, and consists of atomics.
        let host = unsafe { HostPage::new(NonNull::from(&page).cast()) };
        for offset in [0, 0x7f0, 0xff0] {
            let word = host.at(offset, 16).cast::<u128>();
            // SAFETY: the word lies in the page, and the processor has the instruction.
            let (taken, refused) = unsafe { (between_calls(word), between_calls(word)) };
            assert_eq!((taken, refused), (0, NEW));
        }
        let words = page.0.iter().map(|word| word.load(Ordering::Relaxed));
        let touched = words.filter(|word| *word != 0);
        assert_eq!(touched.count(), 6, "nothing else was written");
    }
}
