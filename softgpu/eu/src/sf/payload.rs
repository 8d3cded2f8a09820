//! Registers of a message: payload and response.

use std::borrow::Cow;

use crate::Fault;

/// The payload: source 0 followed by source 1.
///
/// The compiler chooses where to split a message's header, addresses and data between the two
/// sources; the shared functions see one sequence of registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a> {
    pub src0: &'a [u8],
    pub src1: &'a [u8],
}

impl<'a> Payload<'a> {
    /// Bytes `at..at + len`.
    ///
    /// # Errors
    /// [`Fault::Invalid`] when the message has fewer registers.
    #[inline(always)]
    pub(super) fn bytes(&self, at: usize, len: usize) -> Result<Cow<'a, [u8]>, Fault> {
        if let Some(bytes) = self.src0.get(at..at + len) {
            return Ok(Cow::Borrowed(bytes));
        }
        if at >= self.src0.len() {
            let at = at - self.src0.len();
            if let Some(bytes) = self.src1.get(at..at + len) {
                return Ok(Cow::Borrowed(bytes));
            }
        }
        self.straddling(at, len)
    }

    /// Bytes `at..at + len`, which are in one register.
    ///
    /// # Errors
    /// As [`Payload::bytes`].
    #[inline]
    pub(super) fn register(&self, at: usize, len: usize) -> Result<&'a [u8], Fault> {
        let (source, at) = match at.checked_sub(self.src0.len()) {
            Some(at) => (self.src1, at),
            None => (self.src0, at),
        };
        source.get(at..at + len).ok_or_else(|| Fault::Invalid {
            why: format!(
                "the message needs payload bytes {at} to {} and has {} + {}",
                at + len,
                self.src0.len(),
                self.src1.len()
            ),
        })
    }

    #[cold]
    fn straddling(&self, at: usize, len: usize) -> Result<Cow<'a, [u8]>, Fault> {
        let joined: Vec<u8> = self
            .src0
            .iter()
            .chain(self.src1)
            .skip(at)
            .take(len)
            .copied()
            .collect();
        if joined.len() == len {
            Ok(Cow::Owned(joined))
        } else {
            Err(Fault::Invalid {
                why: format!(
                    "the message needs {} payload bytes and has {} + {}",
                    at + len,
                    self.src0.len(),
                    self.src1.len()
                ),
            })
        }
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.src0.len() + self.src1.len()
    }

    /// The dword at byte `at`.
    ///
    /// # Errors
    /// As [`Payload::bytes`].
    pub(super) fn dword(&self, at: usize) -> Result<u32, Fault> {
        Ok(lane32(&self.bytes(at, 4)?, 0))
    }
}

/// Dword lane `lane` of `bytes`; 0 beyond the end.
#[inline(always)]
pub(super) fn lane32(bytes: &[u8], lane: usize) -> u32 {
    match bytes.get(lane * 4..lane * 4 + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// The lane of `width` bytes (1, 2, 4 or 8) at byte `at` of `bytes`, zero-extended.
#[inline]
pub(super) fn lane(bytes: &[u8], at: usize, width: usize) -> u64 {
    // Copies of as many bytes as a variable says are calls.
    match *bytes.get(at..at + width).unwrap_or_default() {
        [byte] => byte.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// The response registers.
#[derive(Debug)]
pub(super) struct Response<'a> {
    bytes: &'a mut [u8],
}

impl<'a> Response<'a> {
    /// A response of which the message needs `needed` bytes. A response of no registers discards
    /// the data (a prefetch).
    ///
    /// # Errors
    /// [`Fault::Invalid`] when the descriptor's response length is shorter than that.
    pub(super) fn new(bytes: &'a mut [u8], needed: usize) -> Result<Self, Fault> {
        if bytes.is_empty() || bytes.len() >= needed {
            return Ok(Self { bytes });
        }
        Err(Fault::Invalid {
            why: format!(
                "the message returns {needed} bytes and its response has {}",
                bytes.len()
            ),
        })
    }

    /// Puts a dword into lane `lane` of the registers from byte `at` on.
    #[inline(always)]
    pub(super) fn put32(&mut self, at: usize, lane: usize, value: u32) {
        if let Some(to) = self.bytes.get_mut(at + lane * 4..at + lane * 4 + 4) {
            to.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Puts the low `width` bytes of `value` at byte `at`.
    #[inline]
    pub(super) fn put(&mut self, at: usize, width: usize, value: u64) {
        if let (Some(to), Some(from)) = (
            self.bytes.get_mut(at..at + width),
            value.to_le_bytes().get(..width),
        ) {
            to.copy_from_slice(from);
        }
    }

    /// Bytes `at..at + len`, or none for a discarded response.
    pub(super) fn span(&mut self, at: usize, len: usize) -> Option<&mut [u8]> {
        self.bytes.get_mut(at..at + len)
    }
}

/// The set bits of `mask`, lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes(pub u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}

/// The channels of `mask` that a message of `simd` channels serves.
pub(super) const fn channels(mask: u32, simd: u8) -> u32 {
    if simd >= 32 {
        mask
    } else {
        mask & ((1 << simd) - 1)
    }
}
