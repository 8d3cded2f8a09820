//! Images: blocks, texels of every kind, samplers, queries.

use umd::{
    AddressingMode, FilterMode, ImageDesc, ImageFormat, ImageKind, Sampler, channel_order,
    channel_type,
};

use crate::common::{PLATFORMS, Run, Value, check_on, numbers};
use crate::{buffer, bytes};

const BLOCKS: &[u8] = include_bytes!("../kernels/image_blocks.spv");
const LONG_BLOCKS: &[u8] = include_bytes!("../kernels/image_blocks_long.spv");
const IMAGES: &[u8] = include_bytes!("../kernels/images.spv");

/// The platforms that have images.
fn platforms() -> Vec<&'static str> {
    let has = |name: &&str| devinfo::by_name(name).unwrap().images;
    PLATFORMS.iter().copied().filter(has).collect()
}

fn images<'a>(kernel: &'a str, global: &'a [u64], local: &'a [u32], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: IMAGES,
        kernel,
        simd: None,
        global,
        local: Some(local),
        args,
    }
}

fn dword(value: u32) -> Value {
    Value::Bytes(value.to_le_bytes().to_vec())
}

/// Blocks of `count` rows of elements of `bytes` bytes, by `groups` sub-groups side by side.
fn blocks(ty: &str, bytes: usize, simd: u32, groups: usize) {
    let (width, height) = (1024usize, 40usize);
    let format = ImageFormat::new(channel_order::R, channel_type::UINT32);
    let desc = ImageDesc::d2(format, width as u32 / 4, height as u32);
    let texels: Vec<u8> = bytes!(numbers(width * height / 4, 3));
    let (x, y) = (16usize, 3usize);
    for count in [1usize, 2, 4, 8, 16] {
        if count == 16 && bytes > 1 {
            continue;
        }
        let mut want = vec![0u8; texels.len()];
        for row in y..y + count {
            for lane in 0..simd as usize * groups {
                let at = row * width + x + lane * bytes;
                let mut number = [0; 8];
                number[..bytes].copy_from_slice(&texels[at..at + bytes]);
                let more = (lane as u64 % u64::from(simd)) + 1;
                let sum = u64::from_le_bytes(number).wrapping_add(more);
                want[at..at + bytes].copy_from_slice(&sum.to_le_bytes()[..bytes]);
            }
        }
        let lanes = [simd * groups as u32];
        let kernel = format!("block_{ty}{count}");
        let global = [u64::from(lanes[0])];
        let run = Run {
            spirv: if bytes == 8 { LONG_BLOCKS } else { BLOCKS },
            kernel: &kernel,
            simd: Some(simd),
            global: &global,
            local: Some(&lanes),
            args: vec![
                Value::Image(desc, texels.clone()),
                Value::Image(desc, vec![0; texels.len()]),
                dword(x as u32),
                dword(y as u32),
            ],
        };
        let has = |name: &&str| devinfo::by_name(name).unwrap().has_simd_width(simd);
        let platforms: Vec<&str> = platforms().into_iter().filter(has).collect();
        check_on(&platforms, &run, &[texels.clone(), want]);
    }
}

#[test]
fn blocks_of_images_in_8_lanes() {
    for (ty, bytes) in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)] {
        blocks(ty, bytes, 8, 3);
    }
}

#[test]
fn blocks_of_images_in_16_lanes() {
    for (ty, bytes) in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)] {
        blocks(ty, bytes, 16, 2);
    }
}

#[test]
fn blocks_of_images_in_32_lanes() {
    for (ty, bytes) in [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)] {
        blocks(ty, bytes, 32, 2);
    }
}

#[test]
fn platforms_without_images_say_so() {
    let error = eu_compiler::compile(
        IMAGES,
        &eu_compiler::Options::new(devinfo::by_name("pvc").unwrap()),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("Ponte Vecchio"), "{error}");
    assert!(error.contains("has no images"), "{error}");
}

/// Every kind of image, `size` texels in its directions.
fn kinds([x, y, z]: [u32; 3]) -> [ImageDesc; 6] {
    let format = ImageFormat::new(channel_order::RGBA, channel_type::UINT32);
    let of = |kind, width, height, depth, layers| ImageDesc {
        kind,
        format,
        width,
        height,
        depth,
        layers,
        row_pitch: 0,
    };
    [
        of(ImageKind::D1, x, 1, 1, 1),
        of(ImageKind::D1Array, x, 1, 1, y),
        of(ImageKind::D1Buffer, x, 1, 1, 1),
        of(ImageKind::D2, x, y, 1, 1),
        of(ImageKind::D2Array, x, y, 1, z),
        of(ImageKind::D3, x, y, z, 1),
    ]
}

#[test]
fn texels_of_every_kind_are_read_and_written() {
    let all = kinds([24, 4, 3]);
    let texels = |desc: &ImageDesc, seed| {
        let count: u32 = desc.extent().iter().product();
        numbers(4 * count as usize, seed)
    };
    let mut args = Vec::new();
    let mut want = Vec::new();
    for (seed, desc) in all.iter().enumerate() {
        let texels = texels(desc, seed as u32);
        args.push(Value::Image(*desc, bytes!(texels)));
        want.push(bytes!(texels));
    }
    for (seed, desc) in all.iter().enumerate() {
        let texels = texels(desc, seed as u32);
        args.push(Value::Image(*desc, vec![0; 4 * texels.len()]));
        let doubled: Vec<i32> = texels
            .chunks_exact(4)
            .enumerate()
            .flat_map(|(index, texel)| {
                let written = index % 24 % 3 != 1;
                let by = if written { 2 } else { 0 };
                texel.iter().map(move |x| x.wrapping_mul(by))
            })
            .collect();
        want.push(bytes!(doubled));
    }
    let run = images("kinds", &[24, 4, 3], &[24, 1, 1], args);
    check_on(&platforms(), &run, &want);
}

#[test]
fn sizes_and_formats_are_known() {
    let all = kinds([24, 5, 3]);
    let mut plain = all[3];
    plain.format = ImageFormat::new(channel_order::RG, channel_type::SINT16);
    let args = [all[1], all[2], plain, all[4], all[5]].map(|desc| {
        let texels: u32 = desc.extent().iter().product();
        let bytes = texels * desc.format.texel_bytes().unwrap();
        Value::Image(desc, vec![0; bytes as usize])
    });
    let mut args = args.to_vec();
    args.push(buffer!([0u32; 14]));
    let (order, kind) = (channel_order::RG, channel_type::SINT16);
    let want = [24, 5, 24, 24, 5, order, kind, 24, 5, 3, 24, 5, 3, 5];
    let mut expected: Vec<Vec<u8>> = vec![Vec::new(); 5];
    expected.push(bytes!(want));
    let run = images("queries", &[16], &[16], args);
    check_on(&platforms(), &run, &expected);
}

/// The index of a texel on an axis of `size`, by the rules of OpenCL C 6.15.15.2; none is the
/// border.
fn axis(at: f32, size: i32, sampler: &Sampler) -> Option<i32> {
    let texel = if sampler.normalized {
        match sampler.addressing {
            AddressingMode::Repeat => {
                let i = ((at - at.floor()) * size as f32).floor() as i32;
                return Some(if i > size - 1 { i - size } else { i });
            }
            AddressingMode::MirroredRepeat => {
                let even = 2.0 * (0.5 * at).round_ties_even();
                let i = ((at - even).abs() * size as f32).floor() as i32;
                return Some(i.min(size - 1));
            }
            _ => (at * size as f32).floor() as i32,
        }
    } else {
        at.floor() as i32
    };
    match sampler.addressing {
        AddressingMode::ClampToBorder => (0..size).contains(&texel).then_some(texel),
        _ => Some(texel.clamp(0, size - 1)),
    }
}

#[test]
fn samplers_take_the_texels_that_opencl_says() {
    let format = ImageFormat::new(channel_order::RGBA, channel_type::FLOAT);
    let (width, height, depth) = (8, 8, 2);
    let texels = |seed: u32, count: i32| -> Vec<f32> {
        let numbers = numbers(4 * count as usize, seed);
        numbers.iter().map(|x| (*x % 1000) as f32 * 0.25).collect()
    };
    let flat = texels(5, width * height);
    let deep = texels(6, width * height * depth);
    let of = |kind, depth, layers| ImageDesc {
        kind,
        format,
        width: width as u32,
        height: height as u32,
        depth,
        layers,
        row_pitch: 0,
    };
    let modes = [
        AddressingMode::ClampToEdge,
        AddressingMode::ClampToBorder,
        AddressingMode::Repeat,
        AddressingMode::MirroredRepeat,
    ];
    let border = Sampler {
        addressing: AddressingMode::ClampToBorder,
        filter: FilterMode::Nearest,
        normalized: false,
    };
    for addressing in modes {
        let given = Sampler {
            addressing,
            filter: FilterMode::Nearest,
            normalized: true,
        };
        let (step, from) = ([0.0625f32, 0.125], [-0.3125f32, -0.4375]);
        let (columns, rows) = (24, 12);
        let mut want: Vec<f32> = Vec::new();
        for y in 0..rows {
            for x in 0..columns {
                let texel = |from: &[f32], x: Option<i32>, y: Option<i32>, z: i32| match (x, y) {
                    (Some(x), Some(y)) => {
                        let at = 4 * ((z * height + y) * width + x) as usize;
                        [from[at], from[at + 1], from[at + 2], from[at + 3]]
                    }
                    _ => [0.0; 4],
                };
                let (u, v) = (x as f32 * step[0] + from[0], y as f32 * step[1] + from[1]);
                let nearest = |at, size| axis(at, size, &border);
                let edge = |at: i32| Some(at.min(7));
                want.extend(texel(
                    &flat,
                    axis(u, width, &given),
                    axis(v, height, &given),
                    0,
                ));
                want.extend(texel(
                    &flat,
                    nearest(x as f32 - 1.0, width),
                    nearest(y as f32 - 2.0, height),
                    0,
                ));
                want.extend(texel(&flat, edge(x), edge(y), 0));
                want.extend(texel(&flat, Some(x & 7), Some(y & 7), 0));
                let (column, row) = (nearest(x as f32, width), nearest(y as f32, height));
                want.extend(texel(&deep, column, row, 1));
                let row = nearest(y as f32 - 0.25, height);
                want.extend(texel(&deep, column, row, 1));
            }
        }
        let args = vec![
            Value::Image(of(ImageKind::D2, 1, 1), bytes!(flat)),
            Value::Image(of(ImageKind::D3, depth as u32, 1), bytes!(deep)),
            Value::Image(of(ImageKind::D2Array, 1, depth as u32), bytes!(deep)),
            Value::Sampler(given),
            buffer!(vec![0f32; want.len()]),
            Value::Bytes(bytes!(step)),
            Value::Bytes(bytes!(from)),
        ];
        let (global, local) = ([columns as u64, rows as u64], [24, 1]);
        let run = images("samples", &global, &local, args);
        let expected = [bytes!(flat), bytes!(deep), bytes!(deep), bytes!(want)];
        check_on(&platforms(), &run, &expected);
    }
}

#[test]
fn a_kernel_reads_what_it_wrote_to_an_image() {
    let format = ImageFormat::new(channel_order::RGBA, channel_type::FLOAT);
    let desc = ImageDesc::d2(format, 64, 3);
    let old: Vec<f32> = numbers(4 * 64 * 3, 9)
        .iter()
        .map(|x| (*x % 512) as f32)
        .collect();
    let mut want = old.clone();
    for (index, value) in want.iter_mut().enumerate() {
        *value += 2.0 * old[index ^ 4];
    }
    let args = vec![Value::Image(desc, bytes!(old))];
    let run = images("both_ways", &[64, 3], &[32, 1], args);
    check_on(&platforms(), &run, &[bytes!(want)]);
}

#[test]
fn images_and_samplers_in_variables() {
    let format = ImageFormat::new(channel_order::RGBA, channel_type::UINT8);
    let desc = ImageDesc::d2(format, 32, 32);
    let texels: Vec<u8> = bytes!(numbers(32 * 32, 4));
    let at = |x: usize, y: usize| -> [u32; 4] {
        let first = 4 * (y.min(31) * 32 + x.min(31));
        [0, 1, 2, 3].map(|channel| u32::from(texels[first + channel]))
    };
    let mut want: Vec<u32> = Vec::new();
    let mut turned = Vec::new();
    for y in 0..32 {
        for x in 0..32 {
            let (a, b) = (at(x, y), at(x + 1, y + 1));
            want.extend([0, 1, 2, 3].map(|channel| a[channel] + b[channel] + 32));
            turned.extend(a.iter().rev().map(|channel| *channel as u8));
        }
    }
    let by = Sampler::new(AddressingMode::ClampToEdge, FilterMode::Nearest, false);
    let what = Run {
        spirv: include_bytes!("../kernels/variables.spv"),
        kernel: "copied",
        simd: None,
        global: &[1024],
        local: Some(&[64]),
        args: vec![
            Value::Image(desc, texels.clone()),
            Value::Buffer(vec![0; 16 * 1024]),
            Value::Image(desc, vec![0; texels.len()]),
            Value::Sampler(by),
        ],
    };
    check_on(&platforms(), &what, &[texels, bytes!(want), turned]);
}
