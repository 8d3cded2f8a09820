//! Programs in the style of real ones: what Intel's compiler makes of a module leaves the same in
//! memory as what this one makes of it.
//!
//! Each kernel of `tests/programs` reads its first argument, numbers or an image, and writes its
//! second. `PROGRAM` in the environment chooses one kernel.

use std::time::Duration;

use umd::{
    Arg, ArgKind, Binary, Device, ImageDesc, ImageFormat, NdRange, Program, QueueOptions,
    channel_order, channel_type,
};

use crate::common::numbers;
use crate::matrix::igc::JUDGES;
use crate::matrix::{DEVICES, run::open};

/// The modules, and whether they compute floats: those are the same within [`TOLERANCE`].
const MODULES: &[(&str, &[u8], bool)] = &[
    ("arrays", include_bytes!("../programs/arrays.spv"), false),
    ("filters", include_bytes!("../programs/filters.spv"), false),
    ("flow", include_bytes!("../programs/flow.spv"), false),
    ("hashes", include_bytes!("../programs/hashes.spv"), false),
    ("known", include_bytes!("../programs/known.spv"), false),
    (
        "memories",
        include_bytes!("../programs/memories.spv"),
        false,
    ),
    ("numbers", include_bytes!("../programs/numbers.spv"), true),
    (
        "quotients",
        include_bytes!("../programs/quotients.spv"),
        false,
    ),
    ("records", include_bytes!("../programs/records.spv"), false),
    (
        "searches",
        include_bytes!("../programs/searches.spv"),
        false,
    ),
    ("sorts", include_bytes!("../programs/sorts.spv"), false),
    ("values", include_bytes!("../programs/values.spv"), false),
];

/// What the functions of both compilers may differ by.
const TOLERANCE: f32 = 2e-5;

const ITEMS: u64 = 256;
const GROUP: u32 = 64;
const DWORDS: usize = 8192;
/// The width and height of images.
const WIDTH: u32 = 32;

/// Runs a kernel on numbers, and gives what it leaves.
fn execute(device: &Device, zebin: &[u8], name: &str, checks: bool) -> Result<Vec<u32>, String> {
    let error = |e: umd::Error| e.to_string();
    let queue = device.queue(QueueOptions::default()).map_err(error)?;
    let program = Program::load(device, zebin).map_err(error)?;
    let mut kernel = program.kernel(name).map_err(error)?;
    let input: Vec<u8> = numbers(DWORDS, 7)
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let [from, to] = [(); 2].map(|()| device.buffer(4 * DWORDS as u64));
    let (from, to) = (from.map_err(error)?, to.map_err(error)?);
    from.write(0, &input).map_err(error)?;
    to.write(0, &vec![0; 4 * DWORDS]).map_err(error)?;
    let format = ImageFormat::new(channel_order::RGBA, channel_type::UINT8);
    let is_image = matches!(kernel.info().args[0].kind, ArgKind::Image(_));
    let image = match is_image {
        true => {
            let desc = ImageDesc::d2(format, WIDTH, WIDTH);
            let image = device.image(&desc).map_err(error)?;
            let texels = &input[..(4 * WIDTH * WIDTH) as usize];
            image.write(&image.whole(), texels).map_err(error)?;
            Some(image)
        }
        false => None,
    };
    let first = match &image {
        Some(image) => Arg::Image(image),
        None => Arg::Buffer(&from),
    };
    kernel.set_arg(0, first).map_err(error)?;
    kernel.set_arg(1, Arg::Buffer(&to)).map_err(error)?;
    let range = NdRange::new(&[ITEMS]).and_then(|range| range.with_local(&[GROUP]));
    let range = range.map_err(|e| e.to_string())?;
    let event = queue.enqueue(&kernel, &range, &[]).map_err(error)?;
    event.wait(Duration::from_secs(60)).map_err(error)?;
    // What Intel's compiler makes breaks rules: lanes that have left a loop go on with its flags.
    if let Some(first) = device.violations().first().filter(|_| checks) {
        return Err(format!("{first:?}"));
    }
    let mut bytes = vec![0; 4 * DWORDS];
    to.read(0, &mut bytes).map_err(error)?;
    let dwords = bytes.chunks_exact(4);
    Ok(dwords
        .map(|d| u32::from_le_bytes([d[0], d[1], d[2], d[3]]))
        .collect())
}

/// Whether two results agree. Small integers are no normal floats, so that they must be the same.
fn agree(a: u32, b: u32, floats: bool) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let number = |x: f32| x == 0.0 || x.is_normal();
    let near = number(x) && number(y) && (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0);
    a == b || floats && (near || x.is_nan() && y.is_nan())
}

#[test]
fn only_floats_may_be_near() {
    let bits = f32::to_bits;
    assert!(agree(bits(1.0), bits(1.00001), true));
    assert!(agree(bits(0.0), bits(-0.0), true));
    assert!(agree(bits(f32::NAN), bits(-f32::NAN), true));
    assert!(!agree(bits(1.0), bits(1.00001), false));
    assert!(!agree(bits(1.0), bits(1.001), true));
    assert!(!agree(bits(f32::MAX), bits(f32::INFINITY), true));
    assert!(!agree(3, 4, true));
    assert!(!agree(0, 1, true));
}

/// A test for each platform: they run beside each other.
macro_rules! intels_compiler_makes_the_same {
    ($($platform:ident: $kernels:literal),*) => {
        mod intels_compiler_makes_the_same {
            $(
                #[test]
                fn $platform() {
                    super::beside_intels(stringify!($platform), $kernels);
                }
            )*
        }
    };
}

// Ponte Vecchio has no images.
intels_compiler_makes_the_same!(skl: 122, tgl: 122, dg2: 122, pvc: 118, bmg: 122, ptl: 122);

fn beside_intels(platform: &str, kernels: usize) {
    let judge = JUDGES.iter().find(|judge| {
        let (name, revision) = DEVICES[judge.device];
        name == platform && revision != Some(0)
    });
    let judge = judge.unwrap();
    let device = DEVICES[judge.device];
    let Some(command) = judge.command() else {
        return;
    };
    let only = std::env::var("PROGRAM").ok();
    let mut wrong = Vec::new();
    let mut count = 0;
    let target = devinfo::by_name(platform).unwrap();
    let opened = open(device);
    for (module, spirv, floats) in MODULES {
        if *module == "filters" && !target.images {
            continue;
        }
        let mut how = eu_compiler::Options::new(target);
        how.revision = device.1;
        let ours = eu_compiler::compile(spirv, &how).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let theirs = judge.compile(&command, spirv, folder.path()).unwrap();
        for info in Binary::parse(&ours.bytes).unwrap().kernels() {
            let name = info.name.as_str();
            if only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let at = format!("{platform} {module} {name}");
            let (own, other) = (
                execute(&opened, &ours.bytes, name, true),
                execute(&opened, &theirs, name, false),
            );
            match (own, other) {
                (Ok(own), Ok(other)) => {
                    count += 1;
                    let mut pairs = own.iter().zip(&other);
                    if let Some(index) = pairs.position(|(a, b)| !agree(*a, *b, *floats)) {
                        wrong.push(format!(
                            "{at}: dword {index} is {:#x} ({}), theirs {:#x} ({})",
                            own[index],
                            f32::from_bits(own[index]),
                            other[index],
                            f32::from_bits(other[index])
                        ));
                    }
                    assert!(own.iter().any(|dword| *dword != 0), "{at}: only zeroes");
                }
                (own, other) => {
                    wrong.push(format!(
                        "{at}: ours {:?}, theirs {:?}",
                        own.err(),
                        other.err()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    if only.is_none() {
        assert_eq!(count, kernels);
    }
}
