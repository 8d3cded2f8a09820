//! Compiles a committed module for a platform and runs a kernel of it on the software GPU.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use eu_compiler::{Options, Zebin, compile};
use umd::{
    Arg, Buffer, Device, DeviceSpec, Image, ImageDesc, ImageKind, NdRange, OpenOptions, Program,
    QueueOptions, Sampler,
};

/// One platform of each family, and those that differ in what code depends on.
pub const PLATFORMS: &[&str] = &[
    "bdw", "skl", "apl", "icl", "tgl", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
];

/// An argument.
#[derive(Clone, Debug)]
pub enum Value {
    /// A buffer with these bytes.
    Buffer(Vec<u8>),
    /// A value.
    Bytes(Vec<u8>),
    /// Local memory.
    Local(u32),
    /// An image with these texels.
    Image(ImageDesc, Vec<u8>),
    /// A sampler.
    Sampler(Sampler),
}

/// A buffer or an image.
enum Memory {
    Buffer(Buffer),
    Image(Image, Buffer),
}

/// A buffer of numbers.
#[macro_export]
macro_rules! buffer {
    ($list:expr) => {
        $crate::common::Value::Buffer($list.iter().flat_map(|x| x.to_le_bytes()).collect())
    };
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    pub spirv: &'a [u8],
    pub kernel: &'a str,
    pub simd: Option<u32>,
    pub global: &'a [u64],
    pub local: Option<&'a [u32]>,
    pub args: Vec<Value>,
}

/// A module for a platform, a width and a number of registers.
type Key = (usize, String, Option<u32>, Option<u32>);

/// The module, compiled once for each platform, width and number of registers.
pub fn compiled(
    platform: &str,
    run: &Run<'_>,
    registers: Option<u32>,
) -> Result<Arc<Zebin>, String> {
    static ALL: Mutex<BTreeMap<Key, Arc<Zebin>>> = Mutex::new(BTreeMap::new());
    let module = run.spirv.as_ptr() as usize;
    let key = (module, platform.to_owned(), run.simd, registers);
    if let Some(zebin) = ALL.lock().unwrap().get(&key) {
        return Ok(Arc::clone(zebin));
    }
    let target = devinfo::by_name(platform).ok_or("no such platform")?;
    let mut how = Options::new(target);
    how.simd = run.simd;
    how.registers = registers;
    let zebin = compile(run.spirv, &how).map_err(|e| format!("{platform}: {e}"))?;
    let zebin = Arc::new(zebin);
    ALL.lock().unwrap().insert(key, Arc::clone(&zebin));
    Ok(zebin)
}

/// Runs it, and gives the buffers and images in order.
pub fn run(platform: &str, run: &Run<'_>) -> Result<Vec<Vec<u8>>, String> {
    execute(platform, run, None)
}

/// The same with this many registers.
pub fn execute(
    platform: &str,
    run: &Run<'_>,
    registers: Option<u32>,
) -> Result<Vec<Vec<u8>>, String> {
    outcome(platform, run, registers).map(|(memory, _)| memory)
}

/// The buffers and images, and what was printed.
pub fn outcome(
    platform: &str,
    run: &Run<'_>,
    registers: Option<u32>,
) -> Result<(Vec<Vec<u8>>, String), String> {
    let error = |e: umd::Error| format!("{platform}: {e}");
    let spec = DeviceSpec::soft(platform);
    let options = OpenOptions {
        hang_timeout: Some(Duration::from_secs(60)),
        check: true,
        ..OpenOptions::default()
    };
    let device = Device::open_with(&spec, &options).map_err(error)?;
    let zebin = compiled(platform, run, registers)?;
    if let Ok(folder) = std::env::var("ZEBINS") {
        std::fs::write(format!("{folder}/{platform}.zebin"), &zebin.bytes).ok();
        for kernel in &zebin.kernels {
            std::fs::write(
                format!("{folder}/{platform}.{}.asm", kernel.name),
                kernel.text(),
            )
            .ok();
        }
    }
    let queue = device.queue(QueueOptions::default()).map_err(error)?;
    let program = Program::load(&device, &zebin.bytes).map_err(error)?;
    let mut kernel = program.kernel(run.kernel).map_err(error)?;
    let mut memory = Vec::new();
    for value in &run.args {
        match value {
            Value::Buffer(bytes) => {
                let buffer = device.buffer(bytes.len() as u64).map_err(error)?;
                buffer.write(0, bytes).map_err(error)?;
                memory.push(Memory::Buffer(buffer));
            }
            Value::Image(desc, texels) => {
                let linear = device.buffer(texels.len() as u64).map_err(error)?;
                let image = match desc.kind {
                    ImageKind::D1Buffer => device.image_from_buffer(&linear, desc),
                    _ => device.image(desc),
                };
                let image = image.map_err(error)?;
                image.write(&image.whole(), texels).map_err(error)?;
                memory.push(Memory::Image(image, linear));
            }
            _ => {}
        }
    }
    let mut next = memory.iter();
    for (index, value) in run.args.iter().enumerate() {
        let arg = match value {
            Value::Buffer(_) | Value::Image(..) => match next.next().ok_or("memory is missing")? {
                Memory::Buffer(buffer) => Arg::Buffer(buffer),
                Memory::Image(image, _) => Arg::Image(image),
            },
            Value::Bytes(bytes) => Arg::Value(bytes),
            Value::Local(size) => Arg::Local(*size),
            Value::Sampler(sampler) => Arg::Sampler(*sampler),
        };
        kernel.set_arg(index, arg).map_err(error)?;
    }
    let mut range = NdRange::new(run.global).map_err(|e| e.to_string())?;
    if let Some(local) = run.local {
        range = range.with_local(local).map_err(|e| e.to_string())?;
    }
    let event = queue.enqueue(&kernel, &range, &[]).map_err(error)?;
    event.wait(Duration::from_secs(120)).map_err(error)?;
    // Its lanes ask lanes of a sub-group that is not full.
    let excused = |rule: &str| run.kernel == "sub_groups" && rule == "uninitialised value";
    let mut violations = device.violations().into_iter();
    if let Some(violation) = violations.find(|found| !excused(&found.rule)) {
        return Err(format!("{platform}: {violation}"));
    }
    let mut out = Vec::new();
    for memory in &memory {
        out.push(match memory {
            Memory::Buffer(buffer) => {
                let mut bytes = vec![0; buffer.size() as usize];
                buffer.read(0, &mut bytes).map_err(error)?;
                bytes
            }
            Memory::Image(image, linear) => {
                let mut texels = vec![0; linear.size() as usize];
                image.read(&image.whole(), &mut texels).map_err(error)?;
                texels
            }
        });
    }
    Ok((out, String::from_utf8_lossy(&event.printed()).into_owned()))
}

/// Runs it on every platform and compares the first buffers.
pub fn check(what: &Run<'_>, expected: &[Vec<u8>]) {
    check_on(PLATFORMS, what, expected);
}

/// The same on some platforms.
pub fn check_on(platforms: &[&str], what: &Run<'_>, expected: &[Vec<u8>]) {
    let mut wrong = Vec::new();
    let only = std::env::var("PLATFORM").ok();
    for platform in platforms {
        if only.as_deref().is_some_and(|only| only != *platform) {
            continue;
        }
        match run(platform, what) {
            Err(why) => wrong.push(why),
            Ok(out) => {
                for (index, (have, want)) in out.iter().zip(expected).enumerate() {
                    let differ = have.chunks(4).zip(want.chunks(4)).enumerate();
                    let differ: Vec<_> = differ.filter(|(_, (a, b))| a != b).take(6).collect();
                    if !differ.is_empty() {
                        wrong.push(format!("{platform}: buffer {index}: {differ:x?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", what.kernel, wrong);
}

/// Numbers that look random, edges first.
pub fn numbers(count: usize, seed: u32) -> Vec<i32> {
    let edges = [
        0,
        1,
        -1,
        i32::MIN,
        i32::MAX,
        2,
        -2,
        255,
        256,
        65535,
        -65536,
        3,
    ];
    let mut state = seed | 1;
    (0..count)
        .map(
            |index| match edges.get((index + seed as usize) % (3 * edges.len())) {
                Some(edge) if index < 2 * edges.len() => *edge,
                _ => {
                    state ^= state << 13;
                    state ^= state >> 17;
                    state ^= state << 5;
                    state as i32
                }
            },
        )
        .collect()
}

/// The bytes of numbers.
#[macro_export]
macro_rules! bytes {
    ($list:expr) => {
        $list
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<u8>>()
    };
}
