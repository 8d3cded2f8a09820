//! Gather, scatter and atomics.

use devinfo::Family;
use eu_native::HostIsa;
use isa_encoder::message::{
    AtomicOp, BlockPort, Direction, Hdc, HdcAddress, HdcSurface, Message as Meaning,
};
use oracles::Random;

use super::bench::{Bench, GENERAL, MEMORY, MEMORY_BYTES, SLM_BYTES};

/// The memory that an address model reaches, for the reference.
#[derive(Clone, Copy, Debug)]
enum Model {
    Stateless,
    A64,
    Slm,
    /// A buffer of this many bytes at this offset of test memory.
    Buffer(u64, u64),
}

const MODELS: [Model; 6] = [
    Model::Stateless,
    Model::A64,
    Model::Slm,
    Model::Buffer(0x3000, 1000),
    Model::Buffer(0x5004, 1023),
    Model::Buffer(0x7002, 515),
];

struct Reference {
    memory: Vec<u8>,
    slm: Vec<u8>,
    model: Model,
}

impl Reference {
    /// The place of an address's byte in the model's memory.
    fn element(&mut self, address: u64, width: u64) -> Option<&mut [u8]> {
        let (memory, at) = match self.model {
            Model::Stateless => (&mut self.memory, address + (GENERAL - MEMORY)),
            Model::A64 => (&mut self.memory, address - MEMORY),
            Model::Slm => (&mut self.slm, address),
            Model::Buffer(base, bytes) => {
                if address + width > bytes {
                    return None;
                }
                (&mut self.memory, base + address)
            }
        };
        memory.get_mut(at as usize..(at + width) as usize)
    }

    fn load(&mut self, address: u64, width: u64) -> u64 {
        let mut value = [0; 8];
        if let Some(bytes) = self.element(address, width) {
            value[..bytes.len()].copy_from_slice(bytes);
        }
        u64::from_le_bytes(value)
    }

    fn store(&mut self, address: u64, width: u64, value: u64) {
        if let Some(bytes) = self.element(address, width) {
            bytes.copy_from_slice(&value.to_le_bytes()[..width as usize]);
        }
    }
}

struct Case {
    bench: Bench,
    reference: Reference,
    address: HdcAddress,
}

fn case(family: Family, model: Model, random: &mut Random) -> Case {
    let bench = Bench::new(family);
    let memory = bench.scramble(random);
    let slm = random.bytes(SLM_BYTES);
    for (word, bytes) in bench.slm.words().iter().zip(slm.chunks(4)) {
        let value = u32::from_le_bytes(bytes.try_into().expect("a dword"));
        word.store(value, std::sync::atomic::Ordering::Relaxed);
    }
    if let Model::Buffer(base, bytes) = model {
        bench.bind_buffer(7, MEMORY + base, bytes);
    }
    let address = match model {
        Model::Stateless => HdcAddress::A32(HdcSurface::Stateless { coherent: true }),
        Model::A64 => HdcAddress::A64 { coherent: false },
        Model::Slm => HdcAddress::A32(HdcSurface::Slm),
        Model::Buffer(..) => HdcAddress::A32(HdcSurface::Bti(7)),
    };
    Case {
        bench,
        reference: Reference { memory, slm, model },
        address,
    }
}

impl Case {
    fn finish(&self) {
        assert!(self.bench.read(MEMORY, MEMORY_BYTES as usize) == self.reference.memory);
        let slm: Vec<u8> = self
            .bench
            .slm
            .words()
            .iter()
            .flat_map(|word| {
                word.load(std::sync::atomic::Ordering::Relaxed)
                    .to_le_bytes()
            })
            .collect();
        assert!(slm == self.reference.slm);
    }

    fn addresses(&self, random: &mut Random, simd: usize, align: u64) -> Vec<u64> {
        let (base, range) = match self.reference.model {
            Model::Stateless => (0, 0x1000),
            Model::A64 => (MEMORY + 0x100, 0x1000),
            Model::Slm => (0, SLM_BYTES as u64 + 64),
            Model::Buffer(_, bytes) => (0, bytes + 32),
        };
        // Some elements further on for each channel, one address for all channels, or anywhere.
        let pattern = random.below(8);
        if pattern < 6 {
            let step = pattern.min(4) * align;
            let room = range.saturating_sub(16 * step).max(align);
            let first = base + random.below(room) / align * align;
            return (0..simd as u64).map(|lane| first + lane * step).collect();
        }
        (0..simd)
            .map(|_| base + random.below(range) / align * align)
            .collect()
    }

    fn payload(&self, addresses: &[u64]) -> Vec<u8> {
        let wide = matches!(self.address, HdcAddress::A64 { .. });
        let mut bytes = Vec::new();
        for address in addresses {
            if wide {
                bytes.extend(address.to_le_bytes());
            } else {
                bytes.extend((*address as u32).to_le_bytes());
            }
        }
        bytes
    }
}

fn masks(random: &mut Random, simd: usize) -> u32 {
    let all = (1u64 << simd) as u32 - 1;
    match random.below(3) {
        0 => all,
        _ => random.bits() as u32 & all,
    }
}

/// How a message spreads elements over memory and registers.
struct Spread {
    simd: usize,
    /// Addresses are multiples of it.
    align: u64,
    /// Where each plane's element is, from a lane's address on.
    elements: Vec<u64>,
    /// Bytes of an element in memory, and in registers.
    width: usize,
    slot: usize,
}

impl Spread {
    /// Reads, then writes, both as the reference does.
    fn check(&self, case: &mut Case, random: &mut Random, message: impl Fn(Direction) -> Meaning) {
        let Self { simd, slot, .. } = *self;
        let width = self.width as u64;
        let addresses = case.addresses(random, simd, self.align);
        let mask = masks(random, simd);
        let data = random.bytes(simd * slot * self.elements.len());
        let mut payload = case.payload(&addresses);
        let (lanes, split) = ((simd as u8, mask), payload.len() / 32);
        let read = message(Direction::Read);
        let response = case
            .bench
            .send(read, lanes, &payload, split, data.len() / 32);
        let places: Vec<(usize, u64, bool)> = (0..self.elements.len() * simd)
            .map(|index| {
                let (element, lane) = (self.elements[index / simd], index % simd);
                (
                    index * slot,
                    addresses[lane] + element,
                    mask >> lane & 1 != 0,
                )
            })
            .collect();
        for &(at, address, enabled) in &places {
            let want = match enabled {
                true => case.reference.load(address, width).to_le_bytes(),
                false => [0xcc; 8],
            };
            let got = &response[at..at + slot];
            assert_eq!(
                got,
                &want[..slot],
                "{:?} {width} bytes",
                case.reference.model
            );
        }
        payload.extend(&data);
        let write = message(Direction::Write);
        case.bench.send(write, lanes, &payload, split, 0);
        for (at, address, _) in places.into_iter().filter(|(.., enabled)| *enabled) {
            let mut value = [0; 8];
            value[..slot].copy_from_slice(&data[at..at + slot]);
            case.reference
                .store(address, width, u64::from_le_bytes(value));
        }
    }
}

#[test]
fn untyped_reads_and_writes_match_byte_by_byte_copies() {
    let mut random = Random::new(11);
    for model in MODELS {
        let mut case = case(Family::Gen12Lp, model, &mut random);
        let address = case.address;
        for round in 0..60 {
            let components = (1 + random.below(15)) as u8;
            let planes = (0..4).filter(|bit| components >> bit & 1 != 0);
            let spread = Spread {
                simd: if round % 2 == 0 { 8 } else { 16 },
                align: 4,
                elements: planes.map(|plane| 4 * plane).collect(),
                width: 4,
                slot: 4,
            };
            spread.check(&mut case, &mut random, |direction| {
                Meaning::Hdc(Hdc::Untyped {
                    direction,
                    address,
                    components,
                    simd: spread.simd as u8,
                })
            });
        }
        // Stateless messages, and buffers that begin inside a dword, have no short way.
        let has = !matches!(model, Model::Stateless | Model::Buffer(0x7002, _));
        assert_eq!(case.bench.short.get() > 10, has, "{model:?}");
        if !matches!(model, Model::Stateless) {
            // Host code leaves misaligned ones, of which some are faults.
            if !matches!(model, Model::Buffer(base, _) if base % 4 != 0) {
                case.bench.assert_hosted(&format!("{model:?}"));
            }
        }
        case.finish();
    }
}

#[test]
fn bytes_words_and_dwords_use_the_low_part_of_each_dword() {
    let mut random = Random::new(12);
    for model in MODELS {
        let mut case = case(Family::Gen12Lp, model, &mut random);
        let address = case.address;
        for round in 0..60usize {
            // Qwords are for 64-bit addresses.
            let sizes = if matches!(model, Model::A64) { 4 } else { 3 };
            let width = 1 << (round % sizes);
            let spread = Spread {
                simd: if round % 2 == 0 { 8 } else { 16 },
                align: 1,
                elements: vec![0],
                width,
                slot: width.max(4),
            };
            spread.check(&mut case, &mut random, |direction| {
                Meaning::Hdc(Hdc::Byte {
                    direction,
                    address,
                    bytes: spread.width as u8,
                    simd: spread.simd as u8,
                })
            });
        }
        if !matches!(model, Model::Stateless) {
            // Host code leaves misaligned ones, of which some are faults.
            if !matches!(model, Model::Buffer(base, _) if base % 4 != 0) {
                case.bench.assert_hosted(&format!("{model:?}"));
            }
        }
        case.finish();
    }
}

/// A table of bytes is read to its end: host code loads dwords, of which the rest is not used.
#[test]
fn host_code_loads_the_last_bytes_of_a_buffer() {
    let mut random = Random::new(18);
    for (bytes, simd) in [(1u8, 1u8), (2, 1), (1, 8), (2, 8), (1, 16), (2, 16)] {
        let mut case = case(Family::Gen12Lp, Model::Buffer(0x3000, 1000), &mut random);
        let lanes = simd.max(8);
        // Backwards, which is neither one run nor one place.
        let last = 1000 - u64::from(bytes);
        let addresses: Vec<_> = (0..lanes.into())
            .map(|lane: u64| last - lane * u64::from(bytes))
            .collect();
        let payload = case.payload(&addresses);
        let message = Meaning::Hdc(Hdc::Byte {
            direction: Direction::Read,
            address: case.address,
            bytes,
            simd: lanes,
        });
        let (split, all) = (payload.len() / 32, u32::MAX >> (32 - simd));
        let response = case
            .bench
            .send(message, (simd, all), &payload, split, split);
        for (lane, &address) in addresses.iter().enumerate().take(simd.into()) {
            let want = case.reference.load(address, bytes.into()) as u32;
            let got = response[4 * lane..][..4].try_into().expect("a dword");
            assert_eq!(u32::from_le_bytes(got), want, "lane {lane} of {simd}");
        }
        let hosted = case.bench.hosted.get();
        let supported = HostIsa::of_host().is_some();
        assert!(!supported || hosted.iter().all(|&messages| messages > 0));
    }
}

#[test]
fn scattered_elements_are_planar() {
    let mut random = Random::new(13);
    for model in MODELS {
        let mut case = case(Family::Gen12Lp, model, &mut random);
        let address = case.address;
        for (bytes, elements, simd) in [
            (4u8, 1u8, 8usize),
            (4, 2, 16),
            (4, 4, 8),
            (4, 8, 8),
            (8, 1, 8),
            (8, 1, 16),
            (8, 2, 8),
            (8, 4, 8),
        ] {
            let spread = Spread {
                simd,
                align: 4,
                elements: (0..elements).map(|e| u64::from(e * bytes)).collect(),
                width: bytes.into(),
                slot: bytes.into(),
            };
            spread.check(&mut case, &mut random, |direction| {
                Meaning::Hdc(Hdc::Scattered {
                    direction,
                    address,
                    bytes,
                    elements,
                    simd: simd as u8,
                    port: BlockPort::Data,
                })
            });
        }
        if !matches!(model, Model::Stateless) {
            // Host code leaves misaligned ones, of which some are faults.
            if !matches!(model, Model::Buffer(base, _) if base % 4 != 0) {
                case.bench.assert_hosted(&format!("{model:?}"));
            }
        }
        case.finish();
    }
}

/// OpenCL's atomic functions, in 128-bit arithmetic.
fn expected(op: AtomicOp, bits: u32, old: u64, a: u64, b: u64) -> (u64, u64) {
    let modulus = 1i128 << bits;
    let signed = |value: u64| {
        let value = i128::from(value);
        if value >= modulus / 2 {
            value - modulus
        } else {
            value
        }
    };
    let wrap = |value: i128| value.rem_euclid(modulus) as u64;
    let (o, x) = (i128::from(old), i128::from(a));
    let new = match op {
        AtomicOp::Store => a,
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::Inc => wrap(o + 1),
        AtomicOp::Dec => wrap(o - 1),
        AtomicOp::PreDec => return (wrap(o - 1), wrap(o - 1)),
        AtomicOp::Add => wrap(o + x),
        AtomicOp::Sub => wrap(o - x),
        AtomicOp::ReverseSub => wrap(x - o),
        AtomicOp::SignedMax => wrap(signed(old).max(signed(a))),
        AtomicOp::SignedMin => wrap(signed(old).min(signed(a))),
        AtomicOp::UnsignedMax => old.max(a),
        AtomicOp::UnsignedMin => old.min(a),
        AtomicOp::CompareSwap if old == a => b,
        _ => old,
    };
    (new, old)
}

#[test]
fn integer_atomics_update_lane_by_lane() {
    let mut random = Random::new(14);
    for model in MODELS {
        let mut case = case(Family::Gen12Lp, model, &mut random);
        let a64 = matches!(model, Model::A64);
        let mut ops: Vec<AtomicOp> = AtomicOp::ALL.to_vec();
        ops.retain(|op| !op.is_float() && *op != AtomicOp::Load);
        for round in 0..270usize {
            let op = ops[round % ops.len()];
            let bytes: u8 = match round % 3 {
                0 => 2,
                1 if a64 => 8,
                _ => 4,
            };
            let simd: usize = if a64 || round % 2 == 0 { 8 } else { 16 };
            let width = u64::from(bytes);
            let slot = usize::from(bytes.max(4));
            // Few places, so that lanes collide.
            let base = if a64 { MEMORY } else { 0 };
            // Buffers may begin only at multiples of four.
            let step = width.max(4);
            let shift = match model {
                Model::Buffer(base, _) => (step - base % step) % step,
                _ => 0,
            };
            let addresses: Vec<u64> = (0..simd)
                .map(|_| base + shift + 64 + step * random.below(4))
                .collect();
            let mask = masks(&mut random, simd);
            let mut data = random.bytes(simd * slot * 2);
            if round % 5 == 0 {
                // Let comparisons succeed.
                for (lane, address) in addresses.iter().enumerate() {
                    let value = case.reference.load(*address, width).to_le_bytes();
                    data[lane * slot..lane * slot + usize::from(bytes)]
                        .copy_from_slice(&value[..usize::from(bytes)]);
                }
            }
            let plane = simd * slot;
            data.truncate(op.operands() * plane);
            let mut payload = case.payload(&addresses);
            let split = payload.len() / 32;
            payload.extend(&data);
            let returns = random.below(4) != 0;
            let response = case.bench.send(
                Meaning::Hdc(Hdc::Atomic {
                    address: case.address,
                    op,
                    bytes,
                    returns,
                    simd: simd as u8,
                }),
                (simd as u8, mask),
                &payload,
                split,
                if returns { plane / 32 } else { 0 },
            );
            let operand = |index: usize, lane: usize| {
                let mut value = [0; 8];
                let at = index * plane + lane * slot;
                if let Some(bytes) = data.get(at..at + usize::from(bytes)) {
                    value[..bytes.len()].copy_from_slice(bytes);
                }
                u64::from_le_bytes(value)
            };
            for (lane, address) in addresses.iter().enumerate() {
                if mask >> lane & 1 == 0 {
                    continue;
                }
                let old = case.reference.load(*address, width);
                let (new, result) = expected(
                    op,
                    u32::from(bytes) * 8,
                    old,
                    operand(0, lane),
                    operand(1, lane),
                );
                case.reference.store(*address, width, new);
                if returns {
                    assert_eq!(
                        &response[lane * slot..lane * slot + slot],
                        &result.to_le_bytes()[..slot],
                        "{model:?} {op:?} {bytes} lane {lane}"
                    );
                }
            }
        }
        // Host code leaves misaligned ones, of which some are faults.
        if !matches!(model, Model::Buffer(base, _) if base % 4 != 0) {
            case.bench.assert_hosted(&format!("{model:?}"));
        }
        case.finish();
    }
}

#[test]
fn float_atomics_compare_as_numbers() {
    let mut random = Random::new(15);
    let values = [
        0.0f32,
        -0.0,
        1.5,
        -2.25,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        3.0e38,
    ];
    for _ in 0..200 {
        let case = case(Family::Gen12Lp, Model::Stateless, &mut random);
        let old = values[random.below(8) as usize];
        let a = values[random.below(8) as usize];
        case.bench.write(GENERAL + 64, &old.to_le_bytes());
        for (op, want) in [
            (AtomicOp::FloatMax, old.max(a)),
            (AtomicOp::FloatMin, old.min(a)),
        ] {
            case.bench.write(GENERAL + 64, &old.to_le_bytes());
            let mut payload = vec![0; 64];
            payload[..4].copy_from_slice(&64u32.to_le_bytes());
            payload[32..36].copy_from_slice(&a.to_le_bytes());
            let response = case.bench.send(
                Meaning::Hdc(Hdc::Atomic {
                    address: case.address,
                    op,
                    bytes: 4,
                    returns: true,
                    simd: 8,
                }),
                (8, 1),
                &payload,
                1,
                1,
            );
            assert_eq!(response[..4], old.to_le_bytes());
            let got = f32::from_le_bytes(case.bench.read(GENERAL + 64, 4).try_into().expect("4"));
            assert!(
                got == want || (got.is_nan() && want.is_nan()),
                "{op:?} {old} {a}: {got}, not {want}"
            );
        }
        if random.below(40) == 0 {
            break;
        }
    }
}

#[test]
fn one_channel_of_a_wide_message_needs_no_registers_for_the_others() {
    // As IGC 22.43 sends it for XeHPC: SIMD32, with one register of addresses and one of data.
    let bench = Bench::new(Family::XeHpc);
    let mut payload = vec![0; 128];
    payload[..4].copy_from_slice(&12u32.to_le_bytes());
    payload[64..68].copy_from_slice(&7u32.to_le_bytes());
    let add = |exec_size, mask| {
        bench.try_send(
            (
                Meaning::Hdc(Hdc::Atomic {
                    address: HdcAddress::A32(HdcSurface::Slm),
                    op: AtomicOp::Add,
                    bytes: 4,
                    returns: false,
                    simd: 32,
                }),
                false,
            ),
            (exec_size, mask),
            &payload,
            1,
            0,
        )
    };
    add(1, 1).expect("an atomic of one channel");
    add(16, 1).expect("an atomic of sixteen channels");
    assert!(add(32, u32::MAX).is_err(), "registers are missing");
    let words = bench.slm.words();
    assert_eq!(words[3].load(std::sync::atomic::Ordering::Relaxed), 14);
}

#[test]
fn header_mask_takes_channels_away() {
    let mut random = Random::new(16);
    let case = case(Family::Gen12Lp, Model::Stateless, &mut random);
    let mut payload = vec![0; 96];
    payload[28..32].copy_from_slice(&0b101u32.to_le_bytes());
    for lane in 0..8u32 {
        let at = 32 + lane as usize * 4;
        payload[at..at + 4].copy_from_slice(&(lane * 4).to_le_bytes());
    }
    payload[64..96].fill(0x5a);
    case.bench
        .try_send(
            (
                Meaning::Hdc(Hdc::Untyped {
                    direction: Direction::Write,
                    address: case.address,
                    components: 1,
                    simd: 8,
                }),
                true,
            ),
            (8, 0xff),
            &payload,
            2,
            0,
        )
        .expect("performed");
    let memory = case.bench.read(GENERAL, 32);
    for lane in 0..8 {
        let written = memory[lane * 4..lane * 4 + 4] == [0x5a; 4];
        assert_eq!(written, lane == 0 || lane == 2, "lane {lane}");
    }
}
