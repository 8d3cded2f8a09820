//! Cells on the software GPU.

use std::time::Duration;

use eu_compiler::{Options, compile};
use umd::{
    Arg, Buffer, Device, DeviceSpec, ImageDesc, ImageFormat, NdRange, OpenOptions, Program, Queue,
    QueueOptions, channel_order, channel_type,
};

use super::assembler::Assembler;
use super::cell::Cell;
use super::element::Element;
use super::function::Function;

/// What became of a cell.
#[derive(Clone, Debug)]
pub struct Found {
    pub cell: Cell,
    pub simd: u32,
    pub wrong: Option<String>,
}

/// More kernels than a module has.
const KERNELS: usize = 128;

/// The cells that a platform has at a width.
pub fn allowed(platform: &devinfo::Platform, cell: &Cell, simd: u32) -> bool {
    let has_type = cell.of != Element::F64 || platform.fp64;
    let has_image = !cell.function.has_image() || platform.images;
    has_type && has_image && cell.function.fits(simd)
}

/// A module of cells, with a second kernel for those that may be called in divergent flow.
pub fn module(cells: &[Cell], simd: u32) -> Vec<u8> {
    let mut a = Assembler::new();
    for cell in cells {
        cell.build(&mut a, simd, false);
        if cell.function.may_diverge() {
            cell.build(&mut a, simd, true);
        }
    }
    a.finish()
}

/// A software GPU that checks.
pub fn open((platform, revision): (&str, Option<u8>)) -> Device {
    let spec = DeviceSpec::Soft {
        platform: platform.to_owned(),
        revision,
        driver: None,
    };
    let open = OpenOptions {
        hang_timeout: Some(Duration::from_secs(60)),
        check: true,
        ..OpenOptions::default()
    };
    Device::open_with(&spec, &open).unwrap()
}

/// Runs cells on a device at all its widths.
pub fn run((platform, revision): (&str, Option<u8>), cells: &[Cell]) -> Vec<Found> {
    let target = devinfo::by_name(platform).unwrap();
    let device = open((platform, revision));
    let mut out = Vec::new();
    for simd in target.simd_widths.iter().map(|width| u32::from(*width)) {
        let have = cells.iter().filter(|cell| allowed(target, cell, simd));
        let have: Vec<Cell> = have.copied().collect();
        for part in have.chunks(KERNELS) {
            let mut how = Options::new(target);
            how.revision = revision;
            let zebin = match compile(&module(part, simd), &how) {
                Ok(zebin) => zebin.bytes,
                Err(_) if part.len() > 1 => {
                    // Which one it is.
                    for cell in part {
                        let module = module(&[*cell], simd);
                        match compile(&module, &how) {
                            Ok(zebin) => launch(&device, &[*cell], simd, &zebin.bytes, &mut out),
                            Err(why) => out.push(Found {
                                cell: *cell,
                                simd,
                                wrong: Some(why.to_string()),
                            }),
                        }
                    }
                    continue;
                }
                Err(why) => {
                    out.push(Found {
                        cell: part[0],
                        simd,
                        wrong: Some(why.to_string()),
                    });
                    continue;
                }
            };
            launch(&device, part, simd, &zebin, &mut out);
        }
    }
    out
}

/// Launches the kernels of a module and compares.
pub fn launch(device: &Device, cells: &[Cell], simd: u32, zebin: &[u8], found: &mut Vec<Found>) {
    let program = match Program::load(device, zebin) {
        Ok(program) => program,
        Err(why) => {
            let wrong = Some(why.to_string());
            found.extend(cells.iter().map(|&cell| Found {
                cell,
                simd,
                wrong: wrong.clone(),
            }));
            return;
        }
    };
    let queue = device.queue(QueueOptions::default()).unwrap();
    for &cell in cells {
        let flows = if cell.function.may_diverge() { 2 } else { 1 };
        let mut wrong = None;
        for diverges in [false, true].into_iter().take(flows) {
            if let Err(why) = one(device, &queue, &program, cell, simd, diverges) {
                let flow = if diverges { "divergent, " } else { "" };
                wrong.get_or_insert(format!("{flow}{why}"));
            }
        }
        found.push(Found { cell, simd, wrong });
    }
}

fn one(
    device: &Device,
    queue: &Queue,
    program: &Program,
    cell: Cell,
    simd: u32,
    diverges: bool,
) -> Result<(), String> {
    let error = |e: umd::Error| e.to_string();
    let shape = cell.shape(simd as usize);
    let items = cell.items(shape, diverges);
    let mut kernel = program.kernel(&cell.kernel_name(diverges)).map_err(error)?;
    let out = vec![0; cell.result_bytes() * items.len()];
    let [x, y, lanes] = cell.buffers(&items);
    let reads = cell.function == Function::ImageRead;
    let image_argument = usize::from(reads);
    let buffers = [out, x, y, lanes].map(|bytes| {
        let buffer = device.buffer(bytes.len() as u64)?;
        buffer.write(0, &bytes)?;
        Ok(buffer)
    });
    let buffers: Vec<Buffer> = buffers
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(error)?;
    for (index, buffer) in buffers.iter().enumerate() {
        if cell.function.has_image() && index == image_argument {
            continue;
        }
        kernel.set_arg(index, Arg::Buffer(buffer)).map_err(error)?;
    }
    let (pitch, rows, texels) = cell.image(&items);
    let format = ImageFormat::new(channel_order::R, channel_type::UINT32);
    let image = match cell.function.has_image() {
        true => {
            let desc = ImageDesc::d2(format, pitch as u32 / 4, rows as u32);
            let image = device.image(&desc).map_err(error)?;
            let before = match reads {
                true => texels.clone(),
                false => vec![0x5a; texels.len()],
            };
            image.write(&image.whole(), &before).map_err(error)?;
            kernel
                .set_arg(image_argument, Arg::Image(&image))
                .map_err(error)?;
            Some(image)
        }
        false => None,
    };
    let range =
        NdRange::new(&[shape.global as u64]).and_then(|r| r.with_local(&[shape.local as u32]));
    let range = range.map_err(|e| e.to_string())?;
    let event = queue.enqueue(&kernel, &range, &[]).map_err(error)?;
    event.wait(Duration::from_secs(60)).map_err(error)?;
    let mut bytes = vec![0; buffers[0].size() as usize];
    buffers[0].read(0, &mut bytes).map_err(error)?;
    // A lane that asks one that is not there, or does not call, for its value may store what nothing
    // has written; the values of all others are compared.
    let undefined = ["uninitialised value", "read of an inactive channel"];
    let excused = |rule: &str| cell.function.asks_absent() && undefined.contains(&rule);
    let broken = device.violations();
    if let Some(first) = broken.iter().find(|v| !excused(&v.rule)) {
        return Err(format!("{first:?}"));
    }
    match image.filter(|_| !reads) {
        Some(image) => {
            let mut after = vec![0; texels.len()];
            image.read(&image.whole(), &mut after).map_err(error)?;
            match after == texels {
                true => Ok(()),
                false => Err(format!("the image is {after:x?}, not {texels:x?}")),
            }
        }
        None => cell.check(shape, &items, &bytes),
    }
}
