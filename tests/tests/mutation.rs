//! The measure of the checks: single faults in the corpus, and how many of them are found.
//!
//! `MUTATIONS=500 cargo test -p stack-tests --test mutation -- --nocapture` makes more faults, and
//! `MUTATIONS_SEED=7` others. A fault is found if a check before the run or during it reports
//! something, or if the run faults or hangs. Left out, and counted, are faults that change nothing:
//! the results are the same, and no rule of hardware is broken by their kind.

#![cfg(test)]

use std::collections::BTreeMap;
use std::time::Duration;

use stack_tests::corpus::{self, Set};
use stack_tests::mutation::{Kind, Mutant, mutants};
use stack_tests::{Launch, Random};
use umd::{Binary, Device, DeviceSpec, OpenOptions};

/// The seed of the faults that the figures of `docs/check.md` are of.
const SEED: u64 = 16;
/// Faults of each kind.
const EACH: usize = 10;
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
        let spec: DeviceSpec = set.device(name).parse().unwrap();
        let device = Device::open_with(&spec, &options).unwrap();
        for launch in launches {
            let zebin = set.zebin(launch.file());
            let binary = Binary::parse(&zebin).unwrap();
            let code = binary.code(launch.kernel()).unwrap().to_vec();
            let at = zebin
                .windows(code.len())
                .position(|bytes| bytes == code)
                .unwrap();
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
                right: observed.contents.unwrap(),
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
    let code = binary.code(case.launch.kernel()).unwrap();
    let proved = binary.audit(case.launch.kernel()).unwrap();
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

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    found: usize,
    missed: usize,
    left_out: usize,
}

#[test]
fn seeded_faults_are_found() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let seed = number("MUTATIONS_SEED").unwrap_or(SEED);
    let each =
        number("MUTATIONS").map_or(EACH, |all| all.div_ceil(Kind::ALL.len() as u64) as usize);
    let launches = launches();
    let cases = cases(&launches);
    let mut random = Random::new(seed);
    let mut tallies: BTreeMap<Kind, Tally> = BTreeMap::new();
    for kind in Kind::ALL {
        let mut places: Vec<(usize, Mutant)> = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            let found = mutants(case.set.platform().family, &case.code, kind);
            places.extend(found.into_iter().map(|mutant| (number, mutant)));
        }
        let tally = tallies.entry(kind).or_default();
        while tally.found + tally.missed < each && !places.is_empty() {
            let index = random.below(places.len() as u64) as usize;
            let (number, mutant) = places.swap_remove(index);
            let case = &cases[number];
            match fate(case, kind, &mutant) {
                Fate::Found => tally.found += 1,
                Fate::LeftOut => tally.left_out += 1,
                Fate::Missed => {
                    tally.missed += 1;
                    let (file, kernel) = (case.launch.file(), case.launch.kernel());
                    let offset = mutant.edits[0].0;
                    eprintln!(
                        "missed: {kind}: {} {file} {kernel} +{offset:#x}",
                        case.set.name
                    );
                }
            }
        }
    }
    eprintln!("seed {seed}");
    let (mut found, mut all, mut without) = (0, 0, 0);
    let mut poor = Vec::new();
    for (kind, tally) in &tallies {
        let of = tally.found + tally.missed;
        let Tally {
            found: caught,
            left_out,
            ..
        } = tally;
        eprintln!("{kind:<30} {caught:>3} of {of:>3} found, {left_out:>3} left out");
        found += caught;
        all += of;
        without += left_out;
        if caught * 100 < of * 80 || of == 0 {
            poor.push(kind.to_string());
        }
    }
    eprintln!("{found} of {all} found, {without} left out");
    assert!(poor.is_empty(), "{}", poor.join(", "));
    assert!(found * 100 >= all * 95, "{found} of {all}");
}
