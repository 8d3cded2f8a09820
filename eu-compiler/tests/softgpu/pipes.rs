//! Pipes on the layout of Intel's compiler: packets that one kernel writes, another reads.

use crate::buffer;
use crate::common::{PLATFORMS, Run, Value, run};

const PIPES: &[u8] = include_bytes!("../kernels/pipes.spv");
/// Bytes of a packet.
const PACKET: usize = 16;
const ROOM: u32 = 100;
const GROUP: usize = 64;
/// The result of a read that found nothing.
const NOTHING: u32 = u32::MAX;

/// A pipe on a platform.
struct Pipe {
    platform: &'static str,
    simd: Option<u32>,
    memory: Vec<u8>,
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

impl Pipe {
    fn new(platform: &'static str, simd: Option<u32>) -> Self {
        let places = ROOM + 1;
        let mut memory = vec![0; 128 + PACKET * places as usize];
        memory[..4].copy_from_slice(&places.to_le_bytes());
        Self {
            platform,
            simd,
            memory,
        }
    }

    /// Runs a kernel of so many work-items, and gives a dword of each.
    fn run(&mut self, kernel: &str, items: usize, more: &[Value]) -> Vec<u32> {
        let mut args = vec![
            Value::Buffer(self.memory.clone()),
            Value::Buffer(vec![0; 8 * items]),
        ];
        args.extend_from_slice(more);
        let what = Run {
            spirv: PIPES,
            kernel,
            simd: self.simd,
            global: &[items as u64],
            local: Some(&[items.min(GROUP) as u32]),
            args,
        };
        let out = run(self.platform, &what).unwrap();
        self.memory.clone_from(&out[0]);
        let lock = dwords(&self.memory)[16];
        assert_eq!(lock, 0, "{kernel} on {}: the lock stays", self.platform);
        dwords(&out[1])[..items].to_vec()
    }

    /// Writes numbers from `first` on, and gives which succeeded.
    fn put(&mut self, kernel: &str, items: usize, first: u32) -> Vec<usize> {
        let more = [Value::Bytes(first.to_le_bytes().to_vec())];
        let done = self.run(kernel, items, &more);
        let good = (0..items).filter(|item| done[*item] == 0);
        good.collect()
    }

    /// Reads, and gives the numbers that were found in order.
    fn take(&mut self, kernel: &str, items: usize) -> Vec<u32> {
        let mut found = self.run(kernel, items, &[]);
        found.retain(|number| *number != NOTHING);
        found.sort_unstable();
        found
    }

    fn held(&mut self) -> u32 {
        let counts = self.run("counts", 2, &[]);
        assert_eq!(counts[1], ROOM);
        counts[0]
    }
}

fn everywhere(check: impl Fn(Pipe)) {
    let mut ran = 0;
    for platform in PLATFORMS {
        for simd in [None, Some(16)] {
            check(Pipe::new(platform, simd));
            ran += 1;
        }
    }
    assert_eq!(ran, 2 * PLATFORMS.len());
}

#[test]
fn packets_one_by_one() {
    everywhere(|mut pipe| {
        // The second round and the third go around the end.
        for first in [1000, 2000, 3000] {
            let good = pipe.put("put", 192, first);
            assert_eq!(good.len(), ROOM as usize);
            assert_eq!(pipe.held(), ROOM);
            let want: Vec<u32> = good.iter().map(|item| first + *item as u32).collect();
            let mut found = pipe.take("take", 64);
            assert_eq!(found.len(), 64);
            assert_eq!(pipe.held(), ROOM - 64);
            found.extend(pipe.take("take", 64));
            found.sort_unstable();
            assert_eq!(found, want);
            assert_eq!(pipe.take("take", 64), []);
        }
    });
}

#[test]
fn packets_of_some_items_from_any_memory() {
    everywhere(|mut pipe| {
        let more = [
            Value::Bytes(500u32.to_le_bytes().to_vec()),
            buffer!([0u32; 64 * 4]),
        ];
        let done = pipe.run("put_some", 64, &more);
        let writes = |item: &u32| !item.is_multiple_of(3);
        let want: Vec<u32> = (0..64).map(|item| u32::from(!writes(&item))).collect();
        assert_eq!(done, want);
        let want: Vec<u32> = (0..64).filter(writes).map(|item| 500 + item).collect();
        assert_eq!(pipe.take("take", 64), want);
    });
}

#[test]
fn reservations_of_items() {
    everywhere(|mut pipe| {
        // Three of each: the last ones find no room.
        let good = pipe.put("put_reserved", 64, 0);
        assert_eq!(good.len(), ROOM as usize / 3);
        let three = |item: &usize| [0, 1, 2].map(|k| 3 * *item as u32 + k);
        let want: Vec<u32> = good.iter().flat_map(three).collect();
        // A work-group takes 64 at once, another finds fewer.
        let mut found = pipe.take("take_group", 128);
        assert_eq!(found.len(), GROUP);
        found.extend(pipe.take("take", 64));
        found.sort_unstable();
        assert_eq!(found, want);
    });
}

#[test]
fn reservations_of_groups() {
    everywhere(|mut pipe| {
        let good = pipe.put("put_group", 192, 7);
        assert_eq!(good.len(), GROUP);
        let want: Vec<u32> = good.iter().map(|item| 7 + *item as u32).collect();
        assert_eq!(pipe.take("take_sub_group", 64), want);
        assert_eq!(pipe.held(), 0);
        let good = pipe.put("put_sub_group", 128, 9);
        // As many whole sub-groups as have room.
        assert!(good.len() > ROOM as usize - 32 && good.len() % 8 == 0);
        let want: Vec<u32> = good.iter().map(|item| 9 + *item as u32).collect();
        assert_eq!(pipe.take("take_sub_group", 128), want);
        // A sub-group of fewer work-items.
        assert_eq!(pipe.put("put_sub_group", 5, 40).len(), 5);
        assert_eq!(pipe.take("take_sub_group", 5), [40, 41, 42, 43, 44]);
        assert_eq!(pipe.take("take_sub_group", 5), []);
        assert_eq!(pipe.held(), 0);
    });
}
