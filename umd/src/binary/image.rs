//! What a program puts into memory: segments, and the addresses to patch into them.

use super::error::BinaryError;

/// What a segment is for; each kind gets an allocation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SegmentKind {
    /// Instructions.
    Code,
    /// Program-scope constants.
    Constants,
    /// Program-scope variables.
    Globals,
    /// `printf` strings.
    Strings,
}

impl SegmentKind {
    /// Whether it is constants or variables of the program.
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Constants | Self::Globals)
    }

    /// The section that messages name.
    pub(crate) const fn section(self) -> &'static str {
        match self {
            Self::Code => ".text",
            Self::Constants => ".data.const",
            Self::Globals => ".data.global",
            Self::Strings => ".data.const.string",
        }
    }
}

/// Bytes to put into memory.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub kind: SegmentKind,
    pub data: Vec<u8>,
    /// Zero bytes after the data (`.bss`).
    pub zeros: u64,
}

impl Segment {
    /// Bytes in memory.
    pub(crate) fn size(&self) -> u64 {
        self.data.len() as u64 + self.zeros
    }
}

/// How an address is patched in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patch {
    /// `R_SYM_ADDR`: 64 bits.
    Address64,
    /// `R_SYM_ADDR_32`: the lower half.
    Low32,
    /// `R_SYM_ADDR_32_HI`: the upper half.
    High32,
    /// `R_SYM_ADDR_16`: the lowest 16 bits.
    Low16,
}

impl Patch {
    /// Bytes that are patched.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Address64 => 8,
            Self::Low32 | Self::High32 => 4,
            Self::Low16 => 2,
        }
    }

    /// Its place in the data of a segment.
    fn place(
        self,
        kind: SegmentKind,
        data: &mut [u8],
        offset: usize,
    ) -> Result<&mut [u8], BinaryError> {
        let size = data.len();
        let bytes = self.bytes();
        let place = offset.checked_add(bytes);
        place
            .and_then(|end| data.get_mut(offset..end))
            .ok_or_else(|| BinaryError::Malformed {
                section: kind.section().to_owned(),
                offset: offset as u64,
                why: format!("{bytes} bytes to patch, of a segment of {size:#x}"),
            })
    }

    /// Puts its part of a value to its place in the data of a segment.
    ///
    /// # Errors
    /// The place is outside the data, of which nothing is changed.
    pub(crate) fn apply(
        self,
        kind: SegmentKind,
        data: &mut [u8],
        offset: usize,
        value: u64,
    ) -> Result<(), BinaryError> {
        let place = self.place(kind, data, offset)?;
        let value = match self {
            Self::Address64 | Self::Low32 | Self::Low16 => value,
            Self::High32 => value >> 32,
        };
        for (to, from) in place.iter_mut().zip(value.to_le_bytes()) {
            *to = from;
        }
        Ok(())
    }
}

/// One address to patch in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    /// The segment that is patched.
    pub segment: usize,
    /// Where in it; checked to lie inside its data.
    pub offset: usize,
    /// How.
    pub patch: Patch,
    /// The segment that is pointed to.
    pub target: usize,
    /// Where in it.
    pub value: u64,
}

impl Relocation {
    /// Patches `data`, this relocation's segment, given the address of the target segment.
    ///
    /// In code the placeholder is replaced; data holds an addend, to which the address is added
    /// (NEO `linker.cpp`: `patchAddress` and `patchIncrement`).
    ///
    /// # Errors
    /// The place is outside the data.
    pub(crate) fn apply(
        &self,
        kind: SegmentKind,
        data: &mut [u8],
        target: u64,
    ) -> Result<(), BinaryError> {
        let address = target.wrapping_add(self.value);
        let place = self.patch.place(kind, data, self.offset)?;
        let mut addend = [0u8; 8];
        if kind != SegmentKind::Code {
            addend[..place.len()].copy_from_slice(place);
        }
        let addend = match self.patch {
            Patch::High32 => u64::from_le_bytes(addend) << 32,
            _ => u64::from_le_bytes(addend),
        };
        let value = address.wrapping_add(addend);
        self.patch.apply(kind, data, self.offset, value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Patch, Relocation, SegmentKind};

    fn relocation(patch: Patch) -> Relocation {
        Relocation {
            segment: 0,
            offset: 4,
            patch,
            target: 1,
            value: 8,
        }
    }

    #[test]
    fn code_is_replaced() {
        let mut code = [0xccu8; 16];
        let target = 0x1234_5678_9abc_0000;
        relocation(Patch::Low32)
            .apply(SegmentKind::Code, &mut code, target)
            .unwrap();
        assert_eq!(code[4..8], 0x9abc_0008u32.to_le_bytes());
        relocation(Patch::High32)
            .apply(SegmentKind::Code, &mut code, target)
            .unwrap();
        assert_eq!(code[4..8], 0x1234_5678u32.to_le_bytes());
        relocation(Patch::Address64)
            .apply(SegmentKind::Code, &mut code, target)
            .unwrap();
        assert_eq!(code[4..12], 0x1234_5678_9abc_0008u64.to_le_bytes());
        assert_eq!(code[12..], [0xcc; 4]);
        relocation(Patch::Low16)
            .apply(SegmentKind::Code, &mut code, 0x10)
            .unwrap();
        assert_eq!(code[4..6], 0x18u16.to_le_bytes());
    }

    #[test]
    fn data_is_added_to() {
        let mut data = [0u8; 16];
        data[4] = 0x20;
        relocation(Patch::Address64)
            .apply(SegmentKind::Constants, &mut data, 0x1_0000_0000)
            .unwrap();
        assert_eq!(data[4..12], 0x1_0000_0028u64.to_le_bytes());
    }

    #[test]
    fn what_lies_outside_is_an_error_with_its_place() {
        for (kind, section) in [
            (SegmentKind::Code, ".text"),
            (SegmentKind::Constants, ".data.const"),
        ] {
            for patch in [Patch::Address64, Patch::Low32, Patch::High32, Patch::Low16] {
                let mut data = [0xccu8; 16];
                for offset in [17 - patch.bytes(), 16, 17, usize::MAX] {
                    let outside = Relocation {
                        offset,
                        ..relocation(patch)
                    };
                    let error = outside.apply(kind, &mut data, 0x1000).unwrap_err();
                    let text = error.to_string();
                    let place = format!("{section}, offset {offset:#x}: {} bytes", patch.bytes());
                    assert!(text.starts_with(&place), "{text}");
                    assert!(patch.apply(kind, &mut data, offset, 1).is_err());
                }
                assert_eq!(data, [0xcc; 16]);
            }
        }
    }
}
