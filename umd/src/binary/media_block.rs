//! Which surfaces a kernel accesses with media block messages.
//!
//! `.ze_info` calls such images `image_2d` like any other, but their surface's width counts
//! dwords, so that a driver has to look at the code's sends.

use devinfo::Family;
use isa_encoder::message::{Descriptors, Hdc, HdcSurface, Message};
use isa_encoder::{Specific, decode};

/// The binding table indices of the media block messages in `code`.
///
/// Bytes that cannot be decoded are skipped: a kernel that runs into them faults on its own.
pub(crate) fn surfaces(family: Family, code: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let length = match decode(family, rest) {
            Ok((instruction, length)) => {
                if let Specific::Send(send) = &instruction.specific
                    && let Some(sfid) = send.sfid
                    && let Some(descriptor) = send.desc.immediate()
                    && let Ok(Message::Hdc(Hdc::MediaBlock { surface, .. })) = Message::decode(
                        family,
                        sfid,
                        Descriptors {
                            descriptor,
                            ..Descriptors::default()
                        },
                    )
                    && let HdcSurface::Bti(index) = surface
                    && !found.contains(&u32::from(index))
                {
                    found.push(u32::from(index));
                }
                length
            }
            // Bit 29 of an instruction says that it has 8 bytes.
            Err(_) if rest.get(3).is_some_and(|byte| byte & 0x20 != 0) => 8,
            Err(_) => 16,
        };
        rest = rest.get(length.max(8)..).unwrap_or(&[]);
    }
    found
}
