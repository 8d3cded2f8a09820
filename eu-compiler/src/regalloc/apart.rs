//! The two payloads of a send do not overlap: what is both address and data has a copy for the data.

use super::spill::{assemble, copy};
use crate::code::{Code, Place, What};

/// Gives sends whose payloads overlap a copy of the second one.
pub fn part(code: &mut Code, grf: u32) {
    let mut copies = Vec::new();
    for at in 0..code.insts.len() {
        let What::Send(send) = code.insts[at].what else {
            continue;
        };
        let Some((data, count)) = send.src1 else {
            continue;
        };
        let (address, registers) = send.src0;
        let bytes = |place: Place, count: u8| place.byte..place.byte + u32::from(count) * grf;
        let (one, other) = (bytes(address, registers), bytes(data, count));
        if address.var != data.var || one.start >= other.end || other.start >= one.end {
            continue;
        }
        let size = u32::from(count) * grf;
        let var = code.var(size, grf);
        let to = Place { var, byte: 0 };
        copy(data, to, size, &mut |inst| copies.push((at as u32, inst)));
        if let What::Send(send) = &mut code.insts[at].what {
            send.src1 = Some((to, count));
        }
    }
    if !copies.is_empty() {
        assemble(code, copies, Vec::new(), Vec::new());
    }
}
