//! The lengths in every descriptor.

use super::error::DescriptorError;
use super::layout::Field;

/// The registers that a message writes back.
pub(super) const RESPONSE_LENGTH: Field = Field::new("response length", 24, 20);
const MESSAGE_LENGTH: Field = Field::new("message length", 28, 25);
const HEADER_PRESENT: Field = Field::bit("header present", 19);

/// The lengths in every descriptor, in general registers.
///
/// Source: TGL PRM vol 2d, "Message Descriptor - Render Engine" (bits 28:25, 24:20, 19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Registers of the first source, 0 to 15.
    pub message: u8,
    /// Registers written back, 0 to 31.
    pub response: u8,
    /// Whether the payload begins with a header (not a field of LSC messages).
    pub header: bool,
}

impl Lengths {
    /// The lengths in `descriptor`.
    pub const fn decode(descriptor: u32) -> Self {
        Self {
            message: MESSAGE_LENGTH.of(descriptor) as u8,
            response: RESPONSE_LENGTH.of(descriptor) as u8,
            header: HEADER_PRESENT.of(descriptor) != 0,
        }
    }

    /// Puts the lengths into `descriptor`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when a length does not fit.
    pub fn encode(self, descriptor: &mut u32) -> Result<(), DescriptorError> {
        MESSAGE_LENGTH.set(descriptor, self.message.into())?;
        RESPONSE_LENGTH.set(descriptor, self.response.into())?;
        HEADER_PRESENT.set(descriptor, self.header.into())
    }
}
