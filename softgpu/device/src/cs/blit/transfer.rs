//! What the commands do: copies and fills of rows, piece by piece.

use batchbuffer::Decoded;

use super::plane::Plane;
use crate::cs::failure::Failure;
use crate::cs::streamer::Streamer;

/// Bytes of a row that are moved at a time.
const CHUNK: u64 = 4096;

/// Copies `height` rows of `width` bytes.
pub(super) fn copy(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    (target, source): (Plane, Plane),
    (width, height): (u64, u64),
) -> Result<(), Failure> {
    let mut buffer = vec![0; CHUNK as usize];
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (from, readable) = source.address(done, row);
            let (to, writable) = target.address(done, row);
            let count = (width - done).min(CHUNK).min(readable).min(writable);
            let Some(part) = buffer.get_mut(..count as usize) else {
                break;
            };
            cs.view
                .read(from, part)
                .and_then(|()| cs.view.write(to, part))
                .map_err(|fault| cs.access(packet, fault))?;
            done += count;
        }
        cs.check_progress(packet.name())?;
    }
    Ok(())
}

/// Fills `height` rows of `width` bytes with a repeated pixel.
pub(super) fn fill(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    target: Plane,
    (width, height): (u64, u64),
    pixel: &[u8],
) -> Result<(), Failure> {
    let size = pixel.len().max(1) as u64;
    let per_chunk = (CHUNK / size).max(1) * size;
    // One pixel more, because spans of a tile can begin inside one.
    let chunk: Vec<u8> = pixel
        .iter()
        .copied()
        .cycle()
        .take((per_chunk + size) as usize)
        .collect();
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (to, writable) = target.address(done, row);
            let count = (width - done).min(per_chunk).min(writable);
            let from = (done % size) as usize;
            let part = chunk.get(from..from + count as usize).unwrap_or_default();
            cs.view
                .write(to, part)
                .map_err(|fault| cs.access(packet, fault))?;
            done += count;
        }
        cs.check_progress(packet.name())?;
    }
    Ok(())
}
