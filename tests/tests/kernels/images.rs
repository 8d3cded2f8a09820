//! Images and samplers.

use stack_tests::{Launch, Random, compare};
use umd::{AddressingMode, FilterMode, ImageDesc, ImageFormat, ImageKind, Sampler};

use crate::has_images;

pub use umd::channel_order::{BGRA, R, RG, RGBA};
pub use umd::channel_type::{
    FLOAT, HALF, SINT8, SINT16, SINT32, SNORM8, SNORM16, UINT8, UINT16, UINT32, UNORM8, UNORM16,
};

fn desc(kind: ImageKind, order: u32, data_type: u32, extent: [u32; 3]) -> ImageDesc {
    ImageDesc::new(kind, ImageFormat { order, data_type }, extent)
}

fn flat(order: u32, data_type: u32) -> ImageDesc {
    desc(ImageKind::D2, order, data_type, [SIDES[0], SIDES[1], 1])
}

/// Not a multiple of a tile, and not square.
const SIDES: [u32; 2] = [37, 21];
const TEXELS: usize = (SIDES[0] * SIDES[1]) as usize;

fn channels(order: u32) -> usize {
    match order {
        R => 1,
        RG => 2,
        _ => 4,
    }
}

fn bytes_of(data_type: u32) -> usize {
    match data_type {
        SNORM8 | UNORM8 | SINT8 | UINT8 => 1,
        SNORM16 | UNORM16 | SINT16 | UINT16 | HALF => 2,
        _ => 4,
    }
}

#[test]
fn copies_of_every_format() {
    let cases: [(&str, &[u32]); 3] = [
        ("copy_ui", &[UINT8, UINT16, UINT32]),
        ("copy_i", &[SINT8, SINT16, SINT32]),
        ("copy_f", &[UNORM8, UNORM16, SNORM8, SNORM16, HALF, FLOAT]),
    ];
    for (kernel, types) in cases {
        for &data_type in types {
            for order in [R, RG, RGBA] {
                // The signed kernel swaps channels.
                if kernel == "copy_i" && order != RGBA {
                    continue;
                }
                check_copy(kernel, order, data_type);
            }
        }
    }
    check_copy("copy_f", BGRA, UNORM8);
}

fn check_copy(kernel: &str, order: u32, data_type: u32) {
    let texel = channels(order) * bytes_of(data_type);
    let mut input = Random::new(120).many(TEXELS * texel, |bits| bits as u8);
    for channel in input.chunks_mut(bytes_of(data_type)) {
        match data_type {
            // No NaN, and no denormal.
            HALF => channel[1] = channel[1] & 0x8f | 0x30,
            FLOAT => channel[3] = channel[3] & 0x8f | 0x30,
            // -128 and -127 are the same number.
            SNORM8 if channel[0] == 0x80 => channel[0] = 0x81,
            SNORM16 if channel == [0, 0x80] => channel[0] = 1,
            _ => {}
        }
    }
    let mut expected = input.clone();
    if kernel == "copy_i" {
        let size = bytes_of(data_type);
        for (to, from) in expected.chunks_mut(texel).zip(input.chunks(texel)) {
            for (k, source) in [1, 0, 3, 2].into_iter().enumerate() {
                to[k * size..(k + 1) * size]
                    .copy_from_slice(&from[source * size..(source + 1) * size]);
            }
        }
    }
    all_texels(kernel)
        .image(flat(order, data_type), &input)
        .image(flat(order, data_type), &vec![0u8; input.len()])
        .satisfies(|what, results| {
            let what = format!("{what} {order:#x} {data_type:#x}");
            compare::equal(&what, &results.read::<u8>(1), &expected);
        })
        .everywhere_with(has_images);
}

/// A launch of an item a texel.
fn all_texels(kernel: &str) -> Launch<'_> {
    Launch::new("images", kernel, &SIDES.map(u64::from))
}

#[test]
fn reads_give_numbers() {
    let bytes = Random::new(121).many(TEXELS * 4, |bits| bits as u8);
    let read = |kernel: &'static str, order, data_type| {
        all_texels(kernel).image(flat(order, data_type), &bytes)
    };
    let unorm: Vec<f32> = bytes.iter().map(|b| f32::from(*b) / 255.0).collect();
    let swapped = unorm.chunks(4).flat_map(|t| [t[2], t[1], t[0], t[3]]);
    let swapped: Vec<f32> = swapped.collect();
    let snorm = bytes
        .iter()
        .map(|b| (f32::from(*b as i8) / 127.0).max(-1.0));
    let snorm: Vec<f32> = snorm.collect();
    let unsigned: Vec<u32> = bytes.iter().map(|b| u32::from(*b)).collect();
    let signed: Vec<i32> = bytes.iter().map(|b| i32::from(*b as i8)).collect();
    for launch in [
        read("read_f", RGBA, UNORM8).near(&unorm, 1e-6),
        read("read_f", BGRA, UNORM8).near(&swapped, 1e-6),
        read("read_f", RGBA, SNORM8).near(&snorm, 1e-6),
        read("read_ui", RGBA, UINT8).gives(&unsigned),
        read("read_i", RGBA, SINT8).gives(&signed),
    ] {
        launch.everywhere_with(has_images);
    }
}

#[test]
fn missing_channels_read_as_zero_and_one() {
    let shorts = Random::new(122).many(TEXELS, |bits| bits as u16);
    let expected: Vec<u32> = shorts
        .iter()
        .flat_map(|s| [u32::from(*s), 0, 0, 1])
        .collect();
    all_texels("read_ui")
        .image(flat(R, UINT16), &shorts)
        .gives(&expected)
        .everywhere_with(has_images);
}

/// Texels of floats, and how OpenCL samples them (OpenCL C 6.13.14 and 8.2).
struct Texture {
    sides: [i64; 2],
    texels: Vec<[f32; 4]>,
}

impl Texture {
    fn new(seed: u64, width: i64, height: i64) -> Self {
        let mut random = Random::new(seed);
        let texels = (0..width * height)
            .map(|_| std::array::from_fn(|_| random.below(256) as f32))
            .collect();
        Self {
            sides: [width, height],
            texels,
        }
    }

    fn desc(&self) -> ImageDesc {
        let [width, height] = self.sides.map(|side| side as u32);
        desc(ImageKind::D2, RGBA, FLOAT, [width, height, 1])
    }

    /// The texel; the border colour outside.
    fn texel(&self, x: i64, y: i64) -> [f32; 4] {
        if x < 0 || y < 0 || x >= self.sides[0] || y >= self.sides[1] {
            return [0.0; 4];
        }
        self.texels[(y * self.sides[0] + x) as usize]
    }

    /// The texel that an address mode picks for a coordinate in one dimension.
    fn wrap(mode: AddressingMode, at: i64, side: i64) -> i64 {
        match mode {
            AddressingMode::None | AddressingMode::ClampToEdge => at.clamp(0, side - 1),
            AddressingMode::ClampToBorder => at.clamp(-1, side),
            AddressingMode::Repeat => at.rem_euclid(side),
            AddressingMode::MirroredRepeat => {
                let at = at.rem_euclid(2 * side);
                if at < side { at } else { 2 * side - 1 - at }
            }
        }
    }

    fn sample(&self, sampler: Sampler, at: [f32; 2]) -> [f32; 4] {
        let scaled: [f64; 2] = std::array::from_fn(|d| {
            let scale = if sampler.normalized {
                self.sides[d] as f64
            } else {
                1.0
            };
            f64::from(at[d]) * scale
        });
        let wrapped = |x: i64, y: i64| {
            self.texel(
                Self::wrap(sampler.addressing, x, self.sides[0]),
                Self::wrap(sampler.addressing, y, self.sides[1]),
            )
        };
        match sampler.filter {
            FilterMode::Nearest => wrapped(scaled[0].floor() as i64, scaled[1].floor() as i64),
            FilterMode::Linear => {
                let [u, v] = scaled.map(|s| s - 0.5);
                let (x, y) = (u.floor() as i64, v.floor() as i64);
                let (a, b) = ((u - u.floor()) as f32, (v - v.floor()) as f32);
                let corners = [
                    wrapped(x, y),
                    wrapped(x + 1, y),
                    wrapped(x, y + 1),
                    wrapped(x + 1, y + 1),
                ];
                std::array::from_fn(|k| {
                    let row = |left: usize| corners[left][k] * (1.0 - a) + corners[left + 1][k] * a;
                    row(0) * (1.0 - b) + row(2) * b
                })
            }
        }
    }
}

/// Coordinates in and around the image, away from the edges of texels.
fn coordinates(texture: &Texture, normalized: bool, count: usize) -> Vec<[f32; 2]> {
    let mut random = Random::new(123);
    (0..count)
        .map(|_| {
            std::array::from_fn(|d| {
                let side = texture.sides[d];
                let texel = random.below(3 * side as u64) as i64 - side;
                let at = texel as f64 + random.between(0.1, 0.9);
                let at = if normalized { at / side as f64 } else { at };
                at as f32
            })
        })
        .collect()
}

fn check_sampler(texture: &Texture, sampler: Sampler) {
    const COUNT: usize = 256;
    let at = coordinates(texture, sampler.normalized, COUNT);
    let expected: Vec<f32> = at
        .iter()
        .flat_map(|at| texture.sample(sampler, *at))
        .collect();
    // The device mixes texels with weights of 8 bits.
    let limit = match sampler.filter {
        FilterMode::Nearest => 0.0,
        FilterMode::Linear => 2.0 * 255.0 / 256.0,
    };
    Launch::new("images", "sample", &[COUNT as u64])
        .image(texture.desc(), &texture.texels)
        .sampler(sampler)
        .buffer(&at)
        .fits(
            &expected,
            |_, got: &f32, expected: &f32| (got - expected).abs() <= limit,
            |at| format!("{sampler:?} {at}"),
        )
        .everywhere_with(has_images);
}

#[test]
fn samplers() {
    let texture = Texture::new(124, 19, 11);
    for filter in [FilterMode::Nearest, FilterMode::Linear] {
        for (addressing, normalized) in [
            (AddressingMode::ClampToEdge, true),
            (AddressingMode::ClampToBorder, true),
            (AddressingMode::Repeat, true),
            (AddressingMode::MirroredRepeat, true),
            (AddressingMode::ClampToEdge, false),
            (AddressingMode::ClampToBorder, false),
        ] {
            check_sampler(&texture, Sampler::new(addressing, filter, normalized));
        }
    }
}

#[test]
fn inline_samplers() {
    const COUNT: usize = 128;
    let texture = Texture::new(125, 16, 16);
    let at = coordinates(&texture, true, COUNT);
    let sampler = Sampler::new(AddressingMode::ClampToBorder, FilterMode::Linear, true);
    let expected: Vec<f32> = at
        .iter()
        .flat_map(|at| texture.sample(sampler, *at))
        .collect();
    Launch::new("images", "inline_sampler", &[COUNT as u64])
        .image(texture.desc(), &texture.texels)
        .buffer(&at)
        .near(&expected, 2.0)
        .everywhere_with(has_images);
}

#[test]
fn whole_coordinates() {
    let (width, height) = (13i32, 9i32);
    let texels = Random::new(126).many((width * height * 4) as usize, |bits| bits as u32);
    let mut random = Random::new(127);
    let at: Vec<[i32; 2]> = (0..200)
        .map(|_| [random.below(40) as i32 - 13, random.below(30) as i32 - 10])
        .collect();
    let expected: Vec<u32> = at
        .iter()
        .flat_map(|[x, y]| {
            let at = (y.clamp(&0, &(height - 1)) * width + x.clamp(&0, &(width - 1))) as usize;
            texels[at * 4..at * 4 + 4].to_vec()
        })
        .collect();
    let sampler = Sampler::new(AddressingMode::ClampToEdge, FilterMode::Nearest, false);
    Launch::new("images", "sample_int", &[200])
        .image(
            desc(
                ImageKind::D2,
                RGBA,
                UINT32,
                [width as u32, height as u32, 1],
            ),
            &texels,
        )
        .sampler(sampler)
        .buffer(&at)
        .gives(&expected)
        .everywhere_with(has_images);
}

#[test]
fn volumes() {
    let (w, h, d) = (7usize, 5usize, 4usize);
    let texels: Vec<[f32; 4]> = (0..w * h * d)
        .map(|i| [i as f32, (i * 2) as f32, (i % 5) as f32, 1.0])
        .collect();
    let count = w * h * d;
    let at: Vec<[f32; 4]> = (0..count)
        .map(|i| {
            let j = i * 37 % count;
            [
                (j % w) as f32 + 0.5,
                (j / w % h) as f32 + 0.25,
                (j / w / h) as f32 + 0.75,
                0.0,
            ]
        })
        .collect();
    let expected: Vec<f32> = (0..count).flat_map(|i| texels[i * 37 % count]).collect();
    let all: Vec<u32> = texels.iter().flat_map(|t| t.map(f32::to_bits)).collect();
    let sampler = Sampler::new(AddressingMode::ClampToEdge, FilterMode::Nearest, false);
    Launch::new("images", "volume", &[count as u64])
        .image(
            desc(ImageKind::D3, RGBA, FLOAT, [w as u32, h as u32, d as u32]),
            &texels,
        )
        .sampler(sampler)
        .buffer(&at)
        .gives(&expected)
        .gives(&all)
        .everywhere_with(has_images);
}

#[test]
fn layers_of_two_dimensions() {
    let (w, h, layers) = (11u32, 6u32, 5u32);
    let input = Random::new(128).many((w * h * layers * 4) as usize, |bits| bits as u32);
    let expected: Vec<u32> = input.iter().map(|v| v.wrapping_add(77)).collect();
    let desc = desc(ImageKind::D2Array, RGBA, UINT32, [w, h, layers]);
    Launch::new("images", "layers", &[w.into(), h.into(), layers.into()])
        .image(desc, &input)
        .image(desc, &vec![0u32; input.len()])
        .value(77i32)
        .becomes(1, &expected)
        .everywhere_with(has_images);
}

#[test]
fn one_dimension() {
    let w = 100u32;
    let input = Random::new(129).many(w as usize * 4, |bits| bits as u8);
    let expected: Vec<u8> = input.chunks(4).rev().flatten().copied().collect();
    let desc = desc(ImageKind::D1, RGBA, UINT8, [w, 1, 1]);
    Launch::new("images", "line", &[w.into()])
        .image(desc, &input)
        .image(desc, &vec![0u8; input.len()])
        .becomes(1, &expected)
        .everywhere_with(has_images);
}

#[test]
fn layers_of_one_dimension() {
    let (w, layers) = (33u32, 7u32);
    let input = Random::new(130).many((w * layers) as usize, |bits| bits as u32);
    let expected: Vec<u32> = input.iter().map(|v| v.wrapping_mul(3)).collect();
    let desc = desc(ImageKind::D1Array, R, UINT32, [w, layers, 1]);
    Launch::new("images", "lines", &[w.into(), layers.into()])
        .image(desc, &input)
        .image(desc, &vec![0u32; input.len()])
        .becomes(1, &expected)
        .everywhere_with(has_images);
}

#[test]
fn buffers_as_images() {
    let w = 300u32;
    let input: Vec<f32> = (0..w * 4).map(|i| i as f32).collect();
    let expected: Vec<f32> = input.iter().map(|v| v * 0.5).collect();
    let desc = desc(ImageKind::D1Buffer, RGBA, FLOAT, [w, 1, 1]);
    Launch::new("images", "texel_buffer", &[w.into()])
        .image(desc, &input)
        .image(desc, &vec![0f32; input.len()])
        .becomes(1, &expected)
        .everywhere_with(has_images);
}

#[test]
fn reads_and_writes_of_one_image() {
    let input = Random::new(131).many(TEXELS * 4, |bits| bits as u32);
    let expected: Vec<u32> = (0..TEXELS * 4)
        .map(|at| {
            let (texel, k) = ((at / 4) as u32, at % 4);
            let add = [texel % SIDES[0], texel / SIDES[0], 1, 2][k];
            input[at].wrapping_mul(2).wrapping_add(add)
        })
        .collect();
    all_texels("in_place")
        .image(flat(RGBA, UINT32), &input)
        .becomes(0, &expected)
        .everywhere_with(has_images);
}

#[test]
fn queries() {
    let a = desc(ImageKind::D2, RGBA, UNORM8, [12, 34, 1]);
    let b = desc(ImageKind::D3, R, FLOAT, [5, 6, 7]);
    let c = desc(ImageKind::D2Array, RGBA, UINT8, [8, 9, 10]);
    let d = desc(ImageKind::D1, R, UINT16, [77, 1, 1]);
    let expected = [
        12,
        34,
        RGBA as i32,
        UNORM8 as i32,
        12034,
        5,
        6,
        7,
        8,
        10,
        77,
        R as i32,
    ];
    Launch::new("images", "queries", &[1])
        .image(a, &[0u8; 12 * 34 * 4])
        .image(b, &[0u8; 5 * 6 * 7 * 4])
        .image(c, &[0u8; 8 * 9 * 10 * 4])
        .image(d, &[0u8; 77 * 2])
        .gives(&expected)
        .everywhere_with(has_images);
}

#[test]
fn blur() {
    let (w, h, radius) = (24i32, 18i32, 2i32);
    let mut random = Random::new(132);
    let texels: Vec<[f32; 4]> = (0..w * h)
        .map(|_| std::array::from_fn(|_| random.below(100) as f32))
        .collect();
    let taps = ((2 * radius + 1) * (2 * radius + 1)) as f32;
    let expected: Vec<f32> = (0..w * h)
        .flat_map(|at| {
            let mut sum = [0.0f32; 4];
            for y in -radius..=radius {
                for x in -radius..=radius {
                    let from = (at / w + y).clamp(0, h - 1) * w + (at % w + x).clamp(0, w - 1);
                    sum = std::array::from_fn(|k| sum[k] + texels[from as usize][k]);
                }
            }
            sum.map(|v| v / taps)
        })
        .collect();
    let desc = desc(ImageKind::D2, RGBA, FLOAT, [w as u32, h as u32, 1]);
    let is_near = |_, got: &f32, expected: &f32| (got - expected).abs() <= 1e-4;
    Launch::new("images", "blur", &[w as u64, h as u64])
        .image(desc, &texels)
        .image(desc, &vec![[0f32; 4]; texels.len()])
        .value(radius)
        .satisfies(|what, results| {
            compare::fit(what, &results.read::<f32>(1), &expected, is_near, |_| "");
        })
        .everywhere_with(has_images);
}
