//! What is measured.

/// A kernel with its arguments and range.
pub struct Case {
    pub name: &'static str,
    pub zebin: &'static [u8],
    pub kernel: &'static str,
    pub global: Vec<u32>,
    pub local: Option<Vec<u32>>,
    pub args: Vec<Arg>,
    /// Oclgrind takes so little time that printing would count: it prints in a separate run.
    pub short: bool,
}

/// An argument.
pub enum Arg {
    In(Data),
    /// A zero-filled buffer of this many bytes.
    Out(usize),
    Int(i32),
    Floats(Vec<f32>),
    /// A square image of four bytes a pixel, with bytes that count.
    ImageIn(u32),
    /// The same without content.
    ImageOut(u32),
}

/// The elements of an input buffer: 0, 1, 2 and so on.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    /// This many dwords.
    Ints(u32),
    /// This many floats.
    Floats(u32),
    /// This many floats, modulo 16: sums of their products are exact.
    SmallFloats(u32),
}

impl Data {
    /// How many elements there are.
    pub fn len(self) -> u32 {
        match self {
            Self::Ints(len) | Self::Floats(len) | Self::SmallFloats(len) => len,
        }
    }

    pub fn bytes(self) -> Vec<u8> {
        let element = |index: u32| match self {
            Self::Ints(_) => index.to_le_bytes(),
            Self::Floats(_) => (index as f32).to_le_bytes(),
            Self::SmallFloats(_) => ((index % 16) as f32).to_le_bytes(),
        };
        (0..self.len()).flat_map(element).collect()
    }
}

impl Case {
    /// The bytes of its buffers.
    pub fn buffer_bytes(&self) -> u64 {
        let bytes = |arg: &Arg| match arg {
            Arg::In(data) => u64::from(data.len()) * 4,
            Arg::Out(bytes) => *bytes as u64,
            Arg::ImageIn(size) | Arg::ImageOut(size) => 4 * u64::from(*size) * u64::from(*size),
            Arg::Int(_) | Arg::Floats(_) => 0,
        };
        self.args.iter().map(bytes).sum()
    }
}

/// The name of [`picture`].
pub const PICTURE: &str = "picture";

/// The picture of the README, square.
pub fn picture(size: u32) -> Case {
    let side = size as i32;
    Case {
        name: PICTURE,
        zebin: include_bytes!("../../../../../examples/mandelbrot.zebin"),
        kernel: "mandelbrot",
        global: vec![size, size],
        local: None,
        args: vec![
            Arg::Out(4 * size as usize * size as usize),
            Arg::Int(side),
            Arg::Int(side),
            Arg::Int(500),
            Arg::Floats(vec![-0.7, 0.0]),
            Arg::Floats(vec![2.4]),
        ],
        short: false,
    }
}

/// The source of the kernels that also run under Oclgrind.
pub const SOURCE: &str = include_str!("../../../../bench/kernels.cl");

/// The same, compiled.
const KERNELS: &[u8] = include_bytes!("../../../../bench/kernels.zebin");

/// The names of the cases that also run under Oclgrind.
pub const NAMES: [&str; 4] = ["matmul", "mandelbrot", "reduce", "vadd"];

/// A case by its name.
pub fn case(name: &'static str) -> Case {
    const MATRIX: u32 = 512;
    const GRID: u32 = 1024;
    const ITEMS: u32 = 4 << 20;
    const VECTOR: u32 = 1 << 20;
    let (global, local, args, short) = match name {
        "matmul" => (
            vec![MATRIX, MATRIX],
            Some(vec![16, 16]),
            vec![
                Arg::In(Data::SmallFloats(MATRIX * MATRIX)),
                Arg::In(Data::SmallFloats(MATRIX * MATRIX)),
                Arg::Out(4 * (MATRIX * MATRIX) as usize),
                Arg::Int(MATRIX as i32),
            ],
            false,
        ),
        "mandelbrot" => (
            vec![GRID, GRID],
            None,
            vec![
                Arg::Out(4 * (GRID * GRID) as usize),
                Arg::Int(GRID as i32),
                Arg::Floats(vec![3.0 / GRID as f32]),
                Arg::Int(256),
            ],
            false,
        ),
        "reduce" => (
            vec![ITEMS],
            Some(vec![256]),
            vec![
                Arg::In(Data::Ints(ITEMS)),
                Arg::Out(ITEMS as usize / 256 * 4),
            ],
            false,
        ),
        _ => (
            vec![VECTOR],
            Some(vec![256]),
            vec![
                Arg::In(Data::Floats(VECTOR)),
                Arg::In(Data::Floats(VECTOR)),
                Arg::Out(4 * VECTOR as usize),
            ],
            true,
        ),
    };
    Case {
        name,
        zebin: KERNELS,
        kernel: name,
        global,
        local,
        args,
        short,
    }
}

/// The names of the cases that also run under PoCL.
pub const PEERS: [&str; 9] = [
    "matmul",
    "mandelbrot",
    "reduce",
    "sub_groups",
    "image_copy",
    "vadd",
    "collatz",
    "search",
    "sort",
];

/// A case by its name; a vector addition of so many items.
pub fn peer(name: &'static str, items: Option<u32>) -> Case {
    const IMAGE: u32 = 1024;
    let like = |other: &'static str| Case {
        name,
        kernel: name,
        ..case(other)
    };
    match name {
        "sub_groups" => like("reduce"),
        "collatz" | "sort" => {
            let items = if name == "collatz" { 1 << 16 } else { 1 << 13 };
            Case {
                global: vec![items],
                local: Some(vec![64]),
                args: vec![Arg::Out(4 * items as usize)],
                ..like("vadd")
            }
        }
        "search" => {
            const ITEMS: u32 = 1 << 16;
            Case {
                global: vec![ITEMS],
                local: Some(vec![64]),
                // The last places look beyond their item's part.
                args: vec![
                    Arg::In(Data::Ints(16 * ITEMS + 4)),
                    Arg::Out(4 * ITEMS as usize),
                ],
                ..like("vadd")
            }
        }
        "image_copy" => Case {
            global: vec![IMAGE, IMAGE],
            local: Some(vec![16, 16]),
            args: vec![Arg::ImageIn(IMAGE), Arg::ImageOut(IMAGE)],
            ..like("vadd")
        },
        // One size for both: each would choose another.
        "mandelbrot" => Case {
            local: Some(vec![16, 16]),
            ..case(name)
        },
        "vadd" => {
            let items = items.unwrap_or(1 << 20);
            Case {
                global: vec![items],
                args: vec![
                    Arg::In(Data::Floats(items)),
                    Arg::In(Data::Floats(items)),
                    Arg::Out(4 * items as usize),
                ],
                ..case(name)
            }
        }
        _ => case(name),
    }
}
