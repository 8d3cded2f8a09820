//! A client's record of what is bound where.

use std::collections::{BTreeMap, HashMap};

use devinfo::GpuAddress;

use crate::{AddressSpaceId, BufferHandle, KmdError, KmdResult};

/// One binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// The buffer.
    pub(crate) buffer: BufferHandle,
    /// Bytes bound.
    pub(crate) length: u64,
}

/// The bindings of one address space, by address.
#[derive(Debug, Default)]
pub(crate) struct Space {
    bindings: BTreeMap<GpuAddress, Binding>,
    addresses: HashMap<BufferHandle, Vec<GpuAddress>>,
}

impl Space {
    /// Records a binding.
    pub(crate) fn bind(
        &mut self,
        id: AddressSpaceId,
        address: GpuAddress,
        binding: Binding,
    ) -> KmdResult<()> {
        let end = address.get() + binding.length;
        if end > 1 << GpuAddress::BITS {
            return Err(KmdError::Invalid {
                what: "the end of a binding",
                value: end,
                rule: "addresses have 57 bits at the most",
            });
        }
        // Bindings do not overlap each other, so the last one that begins
        // before our end is the only one that can reach into us.
        if let Some((&other, old)) = self.bindings.range(..GpuAddress::new(end - 1)).next_back()
            && other.get() + old.length > address.get()
        {
            return Err(self.overlap(id, address, binding.length, other));
        }
        if let Some((&other, _)) = self.bindings.get_key_value(&GpuAddress::new(end - 1)) {
            return Err(self.overlap(id, address, binding.length, other));
        }
        self.bindings.insert(address, binding);
        self.addresses
            .entry(binding.buffer)
            .or_default()
            .push(address);
        Ok(())
    }

    fn overlap(
        &self,
        space: AddressSpaceId,
        address: GpuAddress,
        length: u64,
        other: GpuAddress,
    ) -> KmdError {
        KmdError::Overlap {
            space,
            address,
            length,
            other,
        }
    }

    /// Forgets the binding of `length` bytes at `address`.
    pub(crate) fn unbind(
        &mut self,
        id: AddressSpaceId,
        address: GpuAddress,
        length: u64,
    ) -> KmdResult<()> {
        match self.bindings.get(&address) {
            Some(binding) if binding.length == length => {
                if let Some(addresses) = self.addresses.get_mut(&binding.buffer) {
                    addresses.retain(|a| *a != address);
                }
                self.bindings.remove(&address);
                Ok(())
            }
            _ => Err(KmdError::NotBound {
                space: id,
                address,
                length,
            }),
        }
    }

    /// Whether a buffer is bound somewhere.
    pub(crate) fn holds(&self, buffer: BufferHandle) -> bool {
        self.addresses.get(&buffer).is_some_and(|a| !a.is_empty())
    }

    /// Forgets every binding of a buffer; returns them.
    pub(crate) fn forget(&mut self, buffer: BufferHandle) -> Vec<(GpuAddress, Binding)> {
        let addresses = self.addresses.remove(&buffer).unwrap_or_default();
        addresses
            .into_iter()
            .filter_map(|address| Some((address, self.bindings.remove(&address)?)))
            .collect()
    }

    /// The binding that holds all of `length` bytes from `address` on, with its first address.
    pub(crate) fn lookup(&self, address: GpuAddress, length: u64) -> Option<(GpuAddress, Binding)> {
        let (&start, &binding) = self.bindings.range(..=address).next_back()?;
        let offset = address.get() - start.get();
        (offset.checked_add(length)? <= binding.length).then_some((start, binding))
    }

    /// All bindings, by address.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (GpuAddress, Binding)> {
        self.bindings.iter().map(|(&a, &b)| (a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: AddressSpaceId = AddressSpaceId::new(1);

    fn bind(space: &mut Space, address: u64, buffer: u32, length: u64) -> KmdResult<()> {
        let buffer = BufferHandle::new(buffer);
        space.bind(ID, GpuAddress::new(address), Binding { buffer, length })
    }

    #[test]
    fn overlaps_are_refused_and_neighbours_are_not() {
        let mut space = Space::default();
        bind(&mut space, 0x10000, 1, 0x2000).unwrap();
        bind(&mut space, 0x12000, 2, 0x1000).unwrap();
        bind(&mut space, 0xf000, 3, 0x1000).unwrap();
        for (address, length) in [
            (0x10000, 0x1000),
            (0x11000, 0x1000),
            (0xe000, 0x2000),
            (0xe000, 0x10000),
            (0x12fff, 1),
        ] {
            assert!(
                matches!(
                    bind(&mut space, address, 9, length),
                    Err(KmdError::Overlap { .. })
                ),
                "{address:#x}+{length:#x}"
            );
        }
        assert!(matches!(
            bind(&mut space, (1 << 57) - 0x1000, 9, 0x2000),
            Err(KmdError::Invalid { .. })
        ));
        bind(&mut space, 0xffff_ffff_f000, 9, 0x1000).unwrap();
        bind(&mut space, 0x20000, 9, 0x1000).unwrap();
        assert!(space.holds(BufferHandle::new(9)));
        assert_eq!(space.forget(BufferHandle::new(9)).len(), 2);
        assert!(!space.holds(BufferHandle::new(9)));
    }

    #[test]
    fn lookup_needs_the_whole_range() {
        let mut space = Space::default();
        bind(&mut space, 0x10000, 1, 0x2000).unwrap();
        let at = |space: &Space, address, length| {
            space
                .lookup(GpuAddress::new(address), length)
                .map(|(start, _)| start.get())
        };
        assert_eq!(at(&space, 0x11ff8, 8), Some(0x10000));
        assert_eq!(at(&space, 0x11ff8, 16), None);
        assert_eq!(at(&space, 0xfff8, 8), None);
        assert!(space.unbind(ID, GpuAddress::new(0x10000), 0x1000).is_err());
        space.unbind(ID, GpuAddress::new(0x10000), 0x2000).unwrap();
        assert_eq!(at(&space, 0x11000, 8), None);
        bind(&mut space, 0x30000, 1, 0x2000).unwrap();
        space.forget(BufferHandle::new(1));
        assert_eq!(at(&space, 0x30000, 8), None);
    }
}
