//! What a report runs: kernels of the corpus, as SPIR-V, which the built-in compiler compiles for the
//! device.

/// A kernel with its range and arguments.
#[derive(Debug)]
pub(super) struct Workload {
    /// Its name in the report.
    pub(super) name: &'static str,
    /// The module, packed by gzip.
    pub(super) module: &'static [u8],
    /// The kernel in it.
    pub(super) kernel: &'static str,
    /// The number of work-items.
    pub(super) global: &'static str,
    /// The work-group size.
    pub(super) local: &'static str,
    /// The arguments, as `run --arg` has them. `WORDS` and `FLOATS` are files of input, and `OUT`
    /// begins the name of a file of output.
    pub(super) args: &'static [&'static str],
    /// Whether it needs images.
    pub(super) images: bool,
}

macro_rules! module {
    ($folder:literal, $name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/kernels/",
            $folder,
            "-spirv/",
            $name,
            ".spv.gz"
        ))
    };
}

const VADD: &[u8] = module!("tgl", "vadd");
const SLM: &[u8] = module!("tgl", "slm");
const ATOMICS: &[u8] = module!("tgl", "atomics");
const PRIVATE: &[u8] = module!("tgl", "private");
const CONTROL: &[u8] = module!("tgl", "control");
const FLOAT: &[u8] = module!("tgl", "float");
const INTEGER: &[u8] = module!("tgl", "integer");
const IMAGES: &[u8] = module!("tgl", "images");
/// Of a platform without sub-groups of eight, so that all platforms have its sizes.
const SUB_GROUP: &[u8] = module!("pvc", "sub_group");

const fn work(
    name: &'static str,
    (module, kernel): (&'static [u8], &'static str),
    (global, local): (&'static str, &'static str),
    args: &'static [&'static str],
) -> Workload {
    Workload {
        name,
        module,
        kernel,
        global,
        local,
        args,
        images: false,
    }
}

/// Every workload, simple ones first.
pub(super) const WORKLOADS: [Workload; 15] = [
    work(
        "bytes are copied",
        (VADD, "copy_bytes"),
        ("16384", "64"),
        &["in=WORDS", "out=OUT:16384"],
    ),
    work(
        "floats are added",
        (VADD, "increment"),
        ("4096", "64"),
        &["in=FLOATS", "out=OUT:16384"],
    ),
    work(
        "floats are compared",
        (FLOAT, "compare"),
        ("4096", "64"),
        &["in=FLOATS", "in=WORDS", "out=OUT:16384"],
    ),
    work(
        "integers are divided by constants",
        (INTEGER, "constant_division"),
        ("1024", "64"),
        &["in=WORDS", "out=OUT:32768"],
    ),
    work(
        "integers are multiplied",
        (INTEGER, "narrow"),
        ("1024", "32"),
        &["in=WORDS", "in=WORDS", "out=OUT:73728"],
    ),
    work(
        "loops diverge",
        (CONTROL, "collatz"),
        ("4096", "128"),
        &["out=OUT:16384", "in=WORDS", "u32=200"],
    ),
    work(
        "branches diverge",
        (CONTROL, "switches"),
        ("4096", "64"),
        &["out=OUT:16384", "in=WORDS"],
    ),
    work(
        "work-groups reduce in local memory",
        (SLM, "reduce"),
        ("4096", "128"),
        &["in=WORDS", "out=OUT:128", "local=512", "local=512"],
    ),
    work(
        "a matrix is transposed through local memory",
        (SLM, "transpose"),
        ("64,64", "16,16"),
        &["in=FLOATS", "out=OUT:16384", "i32=64", "i32=64"],
    ),
    work(
        "barriers stand in loops",
        (CONTROL, "barrier_loop"),
        ("1024", "256"),
        &["out=OUT:4096", "local=1024", "i32=9"],
    ),
    work(
        "atomic operations on buffers",
        (ATOMICS, "own_words"),
        ("1024", "64"),
        &["inout=WORDS:OUT", "out=OUT.before:24576"],
    ),
    work(
        "atomic operations on local memory",
        (ATOMICS, "local_words"),
        ("512", "64"),
        &["out=OUT:128", "local=16"],
    ),
    work(
        "private memory",
        (PRIVATE, "large_array"),
        ("512", "32"),
        &["out=OUT:2048", "i32=57"],
    ),
    work(
        "sub-groups reduce and scan",
        (SUB_GROUP, "partial"),
        ("1000", "40"),
        &["in=WORDS", "out=OUT:16000"],
    ),
    Workload {
        images: true,
        ..work(
            "an image is copied",
            (IMAGES, "copy_ui"),
            ("128,128", "8,8"),
            &[
                "image-raw=WORDS:128x128:rgba8ui",
                "image-raw-out=OUT:128x128:rgba8ui",
            ],
        )
    },
];
