//! Whose elements registers hold, for a check of what channels read of each other.

use super::regs::GRF_BASE;

/// What channels wrote last in a register: consecutive channels' elements.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    /// The first channel's element in the register file.
    start: u32,
    /// Bytes from element to element; 0 if nothing is known.
    stride: u8,
    /// An element's bytes. Those between elements belong to nobody that is known.
    size: u8,
    /// The first channel.
    first: u8,
    lanes: u8,
    /// The channels whose elements are theirs: that have written them themselves.
    owned: u32,
    /// Those that were there when it was last written.
    last: u32,
}

impl Layout {
    fn is_as(&self, other: &Self) -> bool {
        let place = |of: &Self| (of.start, of.stride, of.size, of.first, of.lanes);
        place(self) == place(other)
    }
}

/// An element of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub channel: u8,
    /// The channel was there when the register was last written.
    pub fresh: bool,
    /// Where channel 0's element would be, and the bytes from element to element.
    pub origin: usize,
    pub stride: usize,
}

/// The owners of all general registers' elements. What instructions write without regard to channel
/// enables belongs to nobody: compilers give channels that are not there a value in that way.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    registers: Vec<Layout>,
    /// Bytes of a register.
    grf: usize,
}

impl Owners {
    /// Nobody owns anything. The register file has `bytes` bytes.
    pub fn reset(&mut self, bytes: usize, grf: usize) {
        self.grf = grf;
        self.registers.clear();
        let count = bytes.saturating_sub(GRF_BASE) / grf.max(1);
        self.registers.resize(count, Layout::default());
    }

    fn touched(&mut self, at: usize, bytes: usize) -> &mut [Layout] {
        let Some(first) = at.checked_sub(GRF_BASE) else {
            return &mut [];
        };
        let end = (first + bytes).div_ceil(self.grf.max(1));
        let range = first / self.grf.max(1)..end.min(self.registers.len());
        self.registers.get_mut(range).unwrap_or_default()
    }

    /// Channels from `first` on, those of the thread in `mask`, write elements of `size` bytes from
    /// `at` on.
    pub fn write(
        &mut self,
        at: usize,
        (stride, size): (usize, usize),
        (first, lanes): (u8, usize),
        mask: u32,
    ) {
        let new = Layout {
            start: at as u32,
            stride: u8::try_from(stride).unwrap_or(0),
            size: u8::try_from(size).unwrap_or(0),
            first,
            lanes: lanes as u8,
            owned: mask,
            last: mask,
        };
        for old in self.touched(at, lanes * stride) {
            let kept = if old.is_as(&new) { old.owned } else { 0 };
            *old = Layout {
                owned: mask | kept,
                ..new
            };
        }
    }

    /// Something writes these bytes for no channel.
    pub fn disown(&mut self, at: usize, bytes: usize) {
        self.touched(at, bytes).fill(Layout::default());
    }

    /// The element at a place in the register file, if a channel owns it.
    pub fn of(&self, at: usize) -> Option<Owned> {
        let register = at.checked_sub(GRF_BASE)? / self.grf.max(1);
        let layout = self.registers.get(register)?;
        let offset = at.checked_sub(layout.start as usize)?;
        let stride = usize::from(layout.stride);
        let lane = offset.checked_div(stride)?;
        if offset % stride >= layout.size.into() {
            return None;
        }
        let channel = u8::try_from(lane).ok()?.checked_add(layout.first)?;
        let has = |mask: u32| mask.checked_shr(channel.into()).unwrap_or(0) & 1 != 0;
        (lane < layout.lanes.into() && has(layout.owned)).then(|| Owned {
            channel,
            fresh: has(layout.last),
            origin: (layout.start as usize).saturating_sub(usize::from(layout.first) * stride),
            stride,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners() -> Owners {
        let mut owners = Owners::default();
        owners.reset(GRF_BASE + 8 * 32, 32);
        owners
    }

    fn of(owners: &Owners, at: usize) -> Option<u8> {
        owners.of(at).map(|owned| owned.channel)
    }

    #[test]
    fn elements_belong_to_the_channels_that_wrote_them() {
        let mut owners = owners();
        owners.write(GRF_BASE + 32, (4, 4), (0, 16), 0xff0f);
        assert_eq!(of(&owners, GRF_BASE + 32), Some(0));
        assert_eq!(of(&owners, GRF_BASE + 32 + 4 * 4), None, "not enabled");
        assert_eq!(of(&owners, GRF_BASE + 64), Some(8));
        assert_eq!(of(&owners, GRF_BASE), None);
        // The others write theirs.
        owners.write(GRF_BASE + 32, (4, 4), (0, 16), 0x00f0);
        assert_eq!(of(&owners, GRF_BASE + 32 + 5 * 4), Some(5));
        assert_eq!(of(&owners, GRF_BASE + 32), Some(0));
        let fresh = |channel: usize| owners.of(GRF_BASE + 32 + channel * 4).map(|of| of.fresh);
        assert_eq!([fresh(0), fresh(5)], [Some(false), Some(true)]);
        // The upper half of a thread.
        owners.write(GRF_BASE + 96, (2, 2), (16, 16), u32::MAX);
        assert_eq!(of(&owners, GRF_BASE + 98), Some(17));
    }

    #[test]
    fn what_is_written_for_no_channel_is_nobodys() {
        let mut owners = owners();
        owners.write(GRF_BASE, (4, 4), (0, 16), u32::MAX);
        owners.disown(GRF_BASE + 40, 4);
        assert_eq!(of(&owners, GRF_BASE + 4), Some(1), "another register");
        assert_eq!(of(&owners, GRF_BASE + 40), None);
        // A channel's own value then covers it again, and only that.
        owners.write(GRF_BASE, (4, 4), (0, 16), 1 << 9);
        assert_eq!(of(&owners, GRF_BASE + 36), Some(9));
        assert_eq!(of(&owners, GRF_BASE + 40), None);
    }

    #[test]
    fn halves_of_wide_elements_are_not_their_neighbours() {
        let mut owners = owners();
        // The low dwords of qwords, then the high ones.
        owners.write(GRF_BASE, (8, 4), (0, 4), u32::MAX);
        assert_eq!(of(&owners, GRF_BASE + 8), Some(1));
        assert_eq!(of(&owners, GRF_BASE + 12), None);
        owners.write(GRF_BASE + 4, (8, 4), (0, 4), u32::MAX);
        assert_eq!(of(&owners, GRF_BASE + 12), Some(1));
        assert_eq!(
            of(&owners, GRF_BASE + 8),
            None,
            "it was channel 1's, not 0's"
        );
    }
}
