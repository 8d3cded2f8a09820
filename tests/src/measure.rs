//! The measure of the checks: single faults in the corpus, and how many of them are found.
//!
//! A fault is found if a check before the run or during it reports something, or if the run faults or
//! hangs. Left out, and counted, are faults that change nothing: the results are the same, and no rule
//! of hardware is broken by their kind.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use umd::{Binary, Device, DeviceSpec, OpenOptions};

use crate::corpus::{self, Set};
use crate::mutation::{Kind, Mutant, mutants};
use crate::{Launch, Random};

/// The seed of the faults that the figures of `docs/check.md` are of.
pub const SEED: u64 = 16;
/// How many they are.
pub const FAULTS: usize = 200;
/// How long a kernel may run: the longest takes a fraction of it.
const HANG: Duration = Duration::from_secs(2);

/// One of the most recent set of each front end.
const SETS: [&str; 8] = [
    "skl",
    "icl",
    "tgl",
    "dg2-8",
    "mtl-newer",
    "pvc-newer",
    "lnl-newer",
    "ptl-newer",
];

fn launches() -> Vec<Launch<'static>> {
    let ints = Random::new(3).many(1024, |bits| (bits % 1000) as i32);
    let floats: Vec<f32> = (0..3072).map(|value| value as f32).collect();
    let bytes = Random::new(4).many(192, |bits| bits as u8);
    vec![
        Launch::new("slm", "reduce", &[256])
            .local(&[128])
            .buffer(&ints)
            .out::<i32>(2)
            .local_memory(512)
            .local_memory(512),
        Launch::new("slm", "mirror_sizes", &[8, 8])
            .out::<u8>(64)
            .buffer(&bytes),
        Launch::new("slm", "transpose", &[64, 48])
            .buffer(&floats)
            .out::<f32>(3072)
            .value(64i32)
            .value(48i32),
        Launch::new("slm", "vectors", &[96])
            .local(&[48])
            .buffer(&floats[..384])
            .local_memory(48 * 16),
        Launch::new("vadd", "scale_add", &[1024])
            .buffer(&floats[..1000])
            .buffer(&floats[..1000])
            .out::<f32>(1000)
            .value(2.5f32)
            .value(1000i32)
            .value([7u32, 8, 9, 10])
            .value(-3i8),
        Launch::new("vadd", "increment", &[77])
            .local(&[77])
            .buffer(&floats[..77])
            .out::<f32>(77),
        Launch::new("control", "collatz", &[500])
            .out::<u32>(500)
            .buffer(&ints[..500])
            .value(100u32),
    ]
}

/// A kernel of the corpus.
struct Case<'a> {
    set: &'static Set,
    device: Device,
    zebin: Vec<u8>,
    /// Where its code begins in the zebin.
    at: usize,
    code: Vec<u8>,
    launch: &'a Launch<'static>,
    /// What it computes.
    right: Vec<Vec<u8>>,
}

fn cases<'a>(launches: &'a [Launch<'static>]) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for name in SETS {
        let set = corpus::set_named(name);
        let options = OpenOptions {
            check: true,
            hang_timeout: Some(HANG),
            ..OpenOptions::default()
        };
        let spec: DeviceSpec = set.device(name).parse().expect("a device's name");
        let device = Device::open_with(&spec, &options).expect("a software GPU");
        for launch in launches {
            let zebin = set.zebin(launch.file());
            let binary = Binary::parse(&zebin).expect("a zebin of the corpus");
            let code = binary
                .code(launch.kernel())
                .expect("the kernel's code")
                .to_vec();
            let at = zebin
                .windows(code.len())
                .position(|bytes| bytes == code)
                .expect("a zebin has its kernels' code");
            let observed = launch.observe(&device, &zebin);
            assert!(
                observed.violations.is_empty(),
                "{name}: {:?}",
                observed.violations
            );
            cases.push(Case {
                set,
                device: device.clone(),
                zebin,
                at,
                code,
                launch,
                right: observed.contents.expect("the kernel runs"),
            });
        }
    }
    cases
}

/// What becomes of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Found,
    Missed,
    /// It changes nothing.
    LeftOut,
}

/// Whether a fault of the kind breaks a rule whatever the results are. (Scoreboard waits may be
/// there twice, and a value may not matter.)
fn breaks_a_rule(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::TokenWait
            | Kind::DistanceWait
            | Kind::SyncWait
            | Kind::Source
            | Kind::Writer
            | Kind::Region
            | Kind::Offset
            | Kind::Alignment
            | Kind::Mask
    )
}

fn fate(case: &Case<'_>, kind: Kind, mutant: &Mutant) -> Fate {
    let mut zebin = case.zebin.clone();
    for (offset, bytes) in &mutant.edits {
        let at = case.at + offset;
        zebin[at..at + bytes.len()].copy_from_slice(bytes);
    }
    let Ok(binary) = Binary::parse(&zebin) else {
        return Fate::Found;
    };
    let family = case.set.platform().family;
    let code = binary
        .code(case.launch.kernel())
        .expect("the kernel's code");
    let proved = binary.audit(case.launch.kernel()).expect("the kernel");
    let hazards = isa_encoder::swsb::check(family, code).hazards;
    if !proved.is_empty() || !hazards.is_empty() {
        return Fate::Found;
    }
    let observed = case.launch.observe(&case.device, &zebin);
    match observed.contents {
        _ if !observed.violations.is_empty() => Fate::Found,
        Err(_) => Fate::Found,
        Ok(contents) if contents == case.right && !breaks_a_rule(kind) => Fate::LeftOut,
        Ok(_) => Fate::Missed,
    }
}

/// What became of the faults of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Those that were found.
    pub found: usize,
    /// Those that were not.
    pub missed: usize,
    /// Those that change nothing.
    pub left_out: usize,
}

impl Tally {
    /// Those that count.
    pub fn all(&self) -> usize {
        self.found + self.missed
    }
}

/// What became of faults.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    /// By kind.
    pub kinds: BTreeMap<Kind, Tally>,
    /// Where those that were missed are: kind, set, file, kernel and offset.
    pub missed: Vec<String>,
}

impl Measure {
    /// Seeds this many faults, as many of each kind, at random places.
    ///
    /// # Panics
    /// If a kernel of the corpus is not clean as it is.
    pub fn of(seed: u64, faults: usize) -> Self {
        let each = faults.div_ceil(Kind::ALL.len());
        let launches = launches();
        let cases = cases(&launches);
        let mut random = Random::new(seed);
        let mut measure = Self::default();
        for kind in Kind::ALL {
            let mut places: Vec<(usize, Mutant)> = Vec::new();
            for (number, case) in cases.iter().enumerate() {
                let found = mutants(case.set.platform().family, &case.code, kind);
                places.extend(found.into_iter().map(|mutant| (number, mutant)));
            }
            let mut tally = Tally::default();
            while tally.all() < each && !places.is_empty() {
                let index = random.below(places.len() as u64) as usize;
                let (number, mutant) = places.swap_remove(index);
                let Some(case) = cases.get(number) else {
                    continue;
                };
                match fate(case, kind, &mutant) {
                    Fate::Found => tally.found += 1,
                    Fate::LeftOut => tally.left_out += 1,
                    Fate::Missed => {
                        tally.missed += 1;
                        let (file, kernel) = (case.launch.file(), case.launch.kernel());
                        let offset = mutant.edits.first().map_or(0, |(offset, _)| *offset);
                        let place = format!("{} {file} {kernel} +{offset:#x}", case.set.name);
                        measure.missed.push(format!("{kind}: {place}"));
                    }
                }
            }
            measure.kinds.insert(kind, tally);
        }
        measure
    }

    /// All faults together.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        for tally in self.kinds.values() {
            total.found += tally.found;
            total.missed += tally.missed;
            total.left_out += tally.left_out;
        }
        total
    }

    /// Whether at least 95 of a hundred were found, and 80 of each kind.
    pub fn is_good(&self) -> bool {
        let share = |tally: &Tally, least: usize| {
            tally.all() > 0 && tally.found * 100 >= tally.all() * least
        };
        share(&self.total(), 95) && self.kinds.values().all(|tally| share(tally, 80))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in &self.missed {
            writeln!(f, "missed: {place}")?;
        }
        let line = |f: &mut fmt::Formatter<'_>, name: &str, tally: &Tally| {
            let (found, all, left_out) = (tally.found, tally.all(), tally.left_out);
            writeln!(
                f,
                "{name:<30} {found:>4} of {all:>4} found, {left_out:>3} left out"
            )
        };
        for (kind, tally) in &self.kinds {
            line(f, &kind.to_string(), tally)?;
        }
        line(f, "all", &self.total())
    }
}
