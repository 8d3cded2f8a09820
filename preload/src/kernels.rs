//! Which kernel some code is. The kernel driver gets code without a name, but the program's runtime
//! has the zebin that it comes from in this process's memory: compiled a moment ago, or read from a file.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use kmd_iface::{CodeReader, FoundKernel};
use umd::Binary;

/// What a 64-bit little-endian ELF file begins with.
const MAGIC: &[u8; 7] = b"\x7fELF\x02\x01\x01";
/// Allocators align files to this, and `ocloc` does in its archives.
const ALIGNMENT: usize = 4;
/// Bytes that are looked through at once, and in all.
const STEP: u64 = 4 << 20;
const MOST: u64 = 8 << 30;
/// Bytes of the header that says how long a file is.
const HEADER: usize = 64;
/// The longest zebin.
const LONGEST: u64 = 256 << 20;

/// The kernel of a zebin in this process's memory that has this code; of several, one with source lines.
pub fn find(read: CodeReader<'_>) -> Option<FoundKernel> {
    let memory = File::open("/proc/self/mem").ok()?;
    let mut left = MOST;
    let mut best = None;
    let ranges = fs::read_to_string("/proc/self/maps").ok()?;
    for range in ranges.lines().filter_map(own) {
        let end = range.end.min(range.start.saturating_add(left));
        left -= end.saturating_sub(range.start);
        search(&memory, range.start..end, read, &mut best);
        if best.as_ref().is_some_and(|found| found.source.is_some()) {
            break;
        }
    }
    best
}

/// The addresses of a line of `/proc/self/maps` if that memory is this process's alone and can be read.
fn own(line: &str) -> Option<Range<u64>> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let access = words.next()?;
    let name = words.nth(3).unwrap_or_default();
    let own = access.starts_with('r')
        && (name.is_empty()
            || ["[heap", "[anon:"]
                .iter()
                .any(|kind| name.starts_with(kind)));
    let number = |text| u64::from_str_radix(text, 16).ok();
    own.then_some(number(start)?..number(end)?)
}

/// Searches a range until it has found a kernel with source lines.
fn search(memory: &File, range: Range<u64>, read: CodeReader<'_>, best: &mut Option<FoundKernel>) {
    let mut part = vec![0; STEP.min(range.end.saturating_sub(range.start)) as usize];
    let mut at = range.start;
    while at < range.end {
        let wanted = (range.end - at).min(part.len() as u64) as usize;
        // Memory can go while it is read.
        let got = match memory.read_at(&mut part[..wanted], at) {
            Ok(got) if got > 0 => got,
            _ => return,
        };
        let words = part[..got].as_chunks::<ALIGNMENT>().0.iter();
        let starts = words
            .enumerate()
            .filter(|(_, word)| word[..] == MAGIC[..ALIGNMENT]);
        for (index, _) in starts {
            let file = file_at(memory, at + (index * ALIGNMENT) as u64);
            let found = file.and_then(|file| Binary::parse(&file).ok()?.kernel_at(read));
            let lines = |kernel: &FoundKernel| kernel.source.is_some();
            if found.as_ref().is_some_and(lines) || best.is_none() && found.is_some() {
                *best = found;
            }
            if best.as_ref().is_some_and(lines) {
                return;
            }
        }
        at += got as u64;
    }
}

/// The file that begins at an address: compilers put the table of sections last.
fn file_at(memory: &File, at: u64) -> Option<Vec<u8>> {
    let mut header = [0; HEADER];
    memory.read_exact_at(&mut header, at).ok()?;
    if !header.starts_with(MAGIC) {
        return None;
    }
    let table = u64::from_le_bytes(*header[40..].first_chunk()?);
    let half = |at: usize| Some(u16::from_le_bytes(*header[at..].first_chunk()?));
    let sections = u64::from(half(58)?) * u64::from(half(60)?);
    let size = table
        .checked_add(sections)
        .filter(|size| *size <= LONGEST)?;
    let mut file = vec![0; size as usize];
    memory.read_exact_at(&mut file, at).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_memory_of_the_process_alone_is_read() {
        let heap =
            "55d0c0a00000-55d0c0a21000 rw-p 00000000 00:00 0                          [heap]";
        assert_eq!(own(heap), Some(0x55d0_c0a0_0000..0x55d0_c0a2_1000));
        let anonymous = "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 ";
        assert!(own(anonymous).is_some());
        assert!(own(&format!("{anonymous} [anon:pool]")).is_some());
        for other in [
            "7f0000000000-7f0000021000 ---p 00000000 00:00 0 ",
            "7f0000000000-7f0000021000 rw-s 00000000 00:01 7 /memfd:drm (deleted)",
            "7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0 [stack]",
            "nothing",
        ] {
            assert_eq!(own(other), None, "{other}");
        }
    }

    #[test]
    fn a_zebin_in_memory_is_found_by_its_code() {
        let file = include_bytes!("../../examples/mandelbrot.zebin");
        let mut copy = vec![0u8; ALIGNMENT];
        copy.extend_from_slice(file);
        let code = Binary::parse(file)
            .unwrap()
            .code("mandelbrot")
            .unwrap()
            .to_vec();
        let at = |change: u8| {
            find(&|offset, out| {
                let from = usize::try_from(offset).ok();
                let bytes = from.and_then(|from| code.get(from..from + out.len()));
                let Some(bytes) = bytes else { return false };
                out.copy_from_slice(bytes);
                out[0] ^= change;
                true
            })
        };
        assert_eq!(at(0).map(|found| found.name).as_deref(), Some("mandelbrot"));
        assert!(at(1).is_none(), "other code");
        assert!(copy.ends_with(file));
    }
}
