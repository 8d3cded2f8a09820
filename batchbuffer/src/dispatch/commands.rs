//! What a front end can be asked for.

use devinfo::{Family, GpuAddress, WalkerKind};

use super::types::{
    ComputeMode, Dispatch, DispatchError, DispatchSpots, FrontEnd, Setup, Slot, SlotSpots,
    StateSpots, Tag, TagSpots,
};
use super::{ring, shared};
use crate::states::interface_descriptor_data as idd;
use crate::{Dwords, Spot};

/// The command sequences of a family.
pub trait Commands: Send + Sync + core::fmt::Debug {
    /// The family that these sequences are for.
    fn family(&self) -> Family;

    /// Which front end it has.
    fn walker(&self) -> WalkerKind {
        self.family().walker()
    }

    /// Sets up a context: its front end and its heaps. Needed once, before the first dispatch; the
    /// context keeps them from batch to batch.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn preamble(&self, setup: &Setup, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        self.front_end(&setup.front_end, out)?;
        self.base_addresses(setup, out)
    }

    /// Chooses the GPGPU pipeline and sets up front end, scratch and the mode of the EUs. Needed
    /// when one of them changes.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn front_end(&self, front_end: &FrontEnd, out: &mut Vec<u32>) -> Result<(), DispatchError>;

    /// Says where the heaps lie.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn base_addresses(&self, setup: &Setup, out: &mut Vec<u32>) -> Result<(), DispatchError>;

    /// Chooses how many registers the threads of later dispatches have, and
    /// how EUs choose between them. Does nothing where this is not a mode; fails where there is no
    /// such mode.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn compute_mode(&self, mode: &ComputeMode, out: &mut Vec<u32>) -> Result<(), DispatchError>;

    /// The interface descriptor of a dispatch. Up to Gen12LP it must lie in
    /// the dynamic state heap, 64-byte aligned, at [`Dispatch::descriptor`];
    /// from XeHPG on it is part of the walker and needs no memory.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn descriptor(&self, dispatch: &Dispatch) -> Result<Dwords, DispatchError>;

    /// Where a [descriptor](Self::descriptor) that begins at dword `first` has places of the heap.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn descriptor_spots(&self, first: usize) -> Result<StateSpots, DispatchError> {
        let state = idd::state(self.family());
        Ok(StateSpots {
            binding_table: state.spot(idd::BINDING_TABLE_POINTER, first)?,
            samplers: Some(state.spot(idd::SAMPLER_STATE_POINTER, first)?),
        })
    }

    /// Starts the groups of a dispatch. Gives where in `out` it has places of the heap.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn dispatch(
        &self,
        dispatch: &Dispatch,
        out: &mut Vec<u32>,
    ) -> Result<DispatchSpots, DispatchError>;

    /// Waits until all earlier dispatches have ended and what they wrote is
    /// visible to later ones.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn barrier(&self, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        shared::barrier(self.family(), out)
    }

    /// Writes a 64-bit value when all earlier work has ended. Gives where in `out` the tag is.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn write(&self, tag: Tag, out: &mut Vec<u32>) -> Result<TagSpots, DispatchError> {
        shared::write(self.family(), tag, out)
    }

    /// Writes the 64-bit timestamp register to `address` (8-byte aligned) when
    /// all earlier work has ended. Gives where in `out` the address is.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn timestamp(&self, address: GpuAddress, out: &mut Vec<u32>) -> Result<Spot, DispatchError> {
        shared::timestamp(self.family(), address, out)
    }

    /// Runs the batch at `batch` as a second-level one, and continues behind this command once that
    /// ends. There are two levels: the batch that is called calls no other.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn call(&self, batch: GpuAddress, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        shared::call(self.family(), batch, out)
    }

    /// A slot of a ring, [`SLOT_DWORDS`](super::SLOT_DWORDS) long. Gives where in `out` its turn and its batch are.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn slot(&self, slot: &Slot, out: &mut Vec<u32>) -> Result<SlotSpots, DispatchError> {
        ring::slot(self.family(), slot, out)
    }

    /// Continues with the batch at `batch` instead of ending. Gives where in `out` its address is.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn jump(&self, batch: GpuAddress, out: &mut Vec<u32>) -> Result<Spot, DispatchError> {
        ring::jump(self.family(), batch, out)
    }

    /// Ends the batch, padded to a multiple of 8 bytes.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn end(&self, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        shared::end(self.family(), out)
    }

    /// Waits for everything, makes it visible to the CPU, writes the tag and
    /// ends the batch, padded to a multiple of 8 bytes.
    ///
    /// # Errors
    /// See [`DispatchError`].
    fn finish(&self, tag: Option<Tag>, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        shared::finish(self.family(), tag, out)
    }
}
