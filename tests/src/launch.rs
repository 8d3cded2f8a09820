//! Launching one kernel of a file on a software GPU, for tests.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use umd::{
    Arg, Binary, Buffer, Device, DeviceSpec, Error, Execution, Image, ImageDesc, ImageKind,
    NdRange, OpenOptions, Program, QueueOptions, Sampler, Violation,
};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::corpus::{self, Set};
use crate::{compare, everywhere_with, subject};

/// How long one launch may take. Only a hang takes that long.
const DEADLINE: Duration = Duration::from_secs(120);

/// A software GPU, `soft:PLATFORM[:REVISION][@DRIVER]`, opened once for all tests of a process. It
/// checks, and so it interprets.
///
/// # Panics
/// If it cannot be opened.
pub fn device(spec: &str) -> Device {
    open(spec, Execution::Interpret)
}

/// The same, but it executes all EU code as host code and checks nothing.
///
/// # Panics
/// If it cannot be opened.
pub fn compiling_device(spec: &str) -> Device {
    open(spec, Execution::Compile(None))
}

fn open(spec: &str, execution: Execution) -> Device {
    static DEVICES: OnceLock<Mutex<HashMap<(String, bool), Device>>> = OnceLock::new();
    let mut devices = DEVICES
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let check = execution == Execution::Interpret;
    let new = || -> Result<Device, Error> {
        // The hang check must not end a slow test on a busy machine.
        let options = OpenOptions {
            hang_timeout: Some(DEADLINE),
            check,
            execution,
            ..OpenOptions::default()
        };
        Device::open_with(&spec.parse::<DeviceSpec>()?, &options)
    };
    devices
        .entry((spec.to_owned(), check))
        .or_insert_with(|| new().unwrap_or_else(|error| panic!("{spec}: {error}")))
        .clone()
}

/// One argument.
#[derive(Debug)]
enum Value {
    Buffer(Vec<u8>),
    Bytes(Vec<u8>),
    Local(u32),
    Null,
    Image(ImageDesc, Vec<u8>),
    Sampler(Sampler),
}

/// Panics, with this name of the launch, if the results are not what they must be.
type Comparison<'a> = dyn Fn(&str, &Results) + 'a;

/// What the results of a launch must be.
struct Check<'a>(Box<Comparison<'a>>);

impl fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Check")
    }
}

/// A launch being put together: file, kernel, range and arguments in order.
#[derive(Debug)]
pub struct Launch<'a> {
    file: String,
    kernel: String,
    global: Vec<u64>,
    local: Option<Vec<u32>>,
    offset: Option<Vec<u64>>,
    values: Vec<Value>,
    checks: Vec<Check<'a>>,
}

impl<'a> Launch<'a> {
    /// A launch of `kernel` in the corpus file `file` (without folder and extension).
    pub fn new(file: &str, kernel: &str, global: &[u64]) -> Self {
        Self {
            file: file.to_owned(),
            kernel: kernel.to_owned(),
            global: global.to_vec(),
            local: None,
            offset: None,
            values: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// Its file, without folder and extension.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Its kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// With this local size.
    pub fn local(mut self, local: &[u32]) -> Self {
        self.local = Some(local.to_vec());
        self
    }

    /// With this global offset.
    pub fn offset(mut self, offset: &[u64]) -> Self {
        self.offset = Some(offset.to_vec());
        self
    }

    /// A buffer with this content.
    pub fn buffer<T: IntoBytes + Immutable>(self, content: &[T]) -> Self {
        self.with(Value::Buffer(content.as_bytes().to_vec()))
    }

    /// A buffer for `count` values, filled with a pattern that no test expects.
    pub fn out<T>(self, count: usize) -> Self {
        self.with(Value::Buffer(vec![0xcd; count * size_of::<T>()]))
    }

    /// A buffer that must hold these values afterwards.
    pub fn gives<T>(self, expected: &[T]) -> Self
    where
        T: FromBytes + Immutable + Copy + PartialEq + fmt::Debug + 'static,
    {
        let index = self.values.len();
        self.out::<T>(expected.len()).becomes(index, expected)
    }

    /// Argument `index`, a buffer or image, must hold these values afterwards.
    pub fn becomes<T>(self, index: usize, expected: &[T]) -> Self
    where
        T: FromBytes + Immutable + Copy + PartialEq + fmt::Debug + 'static,
    {
        let expected = expected.to_vec();
        self.satisfies(move |what, results| {
            let what = format!("{what}, argument {index}");
            compare::equal(&what, &results.read::<T>(index), &expected);
        })
    }

    /// A buffer of as many values as are expected; each must fit ([`compare::fit`]).
    pub fn fits<T, E: fmt::Debug, D: fmt::Display>(
        self,
        expected: &'a [E],
        fits: impl Fn(usize, &T, &E) -> bool + 'a,
        of: impl Fn(usize) -> D + 'a,
    ) -> Self
    where
        T: FromBytes + Immutable + Copy + fmt::Debug,
    {
        let index = self.values.len();
        let launch = self.out::<T>(expected.len());
        launch.satisfies(move |what, results| {
            let what = format!("{what}, argument {index}");
            compare::fit(&what, &results.read::<T>(index), expected, &fits, &of);
        })
    }

    /// A buffer whose floats must be within `limit` of the expected ones.
    pub fn near(self, expected: &'a [f32], limit: f32) -> Self {
        let is_near = move |_, got: &f32, expected: &f32| (got - expected).abs() <= limit;
        self.fits(expected, is_near, |_| "")
    }

    /// A buffer whose floats must be within `limit` ULP of the exact values, which are of `inputs`.
    pub fn within_ulps(
        self,
        inputs: &'a [impl fmt::Debug],
        expected: &'a [f64],
        limit: f64,
    ) -> Self {
        let index = self.values.len();
        let launch = self.out::<f32>(expected.len());
        launch.satisfies(move |what, results| {
            compare::within_ulps(what, inputs, &results.read::<f32>(index), expected, limit);
        })
    }

    /// The results must pass this check, which panics with the name of the launch.
    pub fn satisfies(mut self, check: impl Fn(&str, &Results) + 'a) -> Self {
        self.checks.push(Check(Box::new(check)));
        self
    }

    /// A value.
    pub fn value<T: IntoBytes + Immutable>(self, value: T) -> Self {
        self.with(Value::Bytes(value.as_bytes().to_vec()))
    }

    /// Bytes of shared local memory.
    pub fn local_memory(self, bytes: u32) -> Self {
        self.with(Value::Local(bytes))
    }

    /// A null pointer.
    pub fn null(self) -> Self {
        self.with(Value::Null)
    }

    /// An image with these texels, row after row.
    pub fn image<T: IntoBytes + Immutable>(self, desc: ImageDesc, texels: &[T]) -> Self {
        self.with(Value::Image(desc, texels.as_bytes().to_vec()))
    }

    /// A sampler.
    pub fn sampler(self, sampler: Sampler) -> Self {
        self.with(Value::Sampler(sampler))
    }

    fn with(mut self, value: Value) -> Self {
        self.values.push(value);
        self
    }

    /// Runs it on every set of the corpus.
    ///
    /// # Panics
    /// If it fails on one of them.
    pub fn everywhere(&self) {
        self.everywhere_with(|_| true);
    }

    /// Runs it on those sets of the corpus that have what it needs.
    ///
    /// # Panics
    /// If it fails on one of them.
    pub fn everywhere_with(&self, has: impl Fn(&Set) -> bool) {
        everywhere_with(has, |set| drop(self.run(set)));
    }

    /// Runs it as compiled in this set of the corpus, on the software GPU of the set's target:
    /// interpreted, and as host code.
    ///
    /// # Panics
    /// If it fails, or the results are not what they must be.
    pub fn run(&self, set: &str) -> Results {
        let files = corpus::set_named(set);
        let device = compiling_device(&files.device(set));
        let compiled = self.run_on(&device, &files.zebin(&self.file));
        self.checked(&format!("{set}, as host code"), compiled);
        self.checked(set, self.try_run(set))
    }

    /// Runs it in an assembled text, on the software GPU of a platform or on the device that is named.
    ///
    /// # Panics
    /// If the text is rejected, the launch fails, or the results are not what they must be.
    pub fn run_text(&self, platform: &str, text: &str) -> Results {
        let device = device(&subject::device(platform));
        let results = Binary::assemble(text, None)
            .map_err(Error::from)
            .and_then(|binary| self.run_in(&device, &Program::new(&device, binary)?));
        self.checked(&format!("{platform}, {text}"), results)
    }

    fn checked(&self, place: &str, results: Result<Results, Error>) -> Results {
        let Self {
            file,
            kernel,
            global,
            local,
            ..
        } = self;
        let what = format!("{file} {kernel} over {global:?} by {local:?} on {place}");
        let results = results.unwrap_or_else(|error| panic!("{what}: {error}"));
        for Check(check) in &self.checks {
            check(&what, &results);
        }
        results
    }

    /// Runs it as compiled in this set of the corpus, on the software GPU of the set's target.
    ///
    /// # Errors
    /// Whatever the driver answers.
    ///
    /// # Panics
    /// If the corpus file cannot be read.
    pub fn try_run(&self, run: &str) -> Result<Results, Error> {
        let set = corpus::set_named(run);
        self.run_on(&device(&set.device(run)), &set.zebin(&self.file))
    }

    /// Runs it as compiled in this zebin.
    ///
    /// # Errors
    /// Whatever the driver answers.
    pub fn run_on(&self, device: &Device, zebin: &[u8]) -> Result<Results, Error> {
        self.run_in(device, &Program::load(device, zebin)?)
    }

    /// Runs it in this program, whose variables keep their values between launches.
    ///
    /// # Errors
    /// Whatever the driver answers.
    pub fn run_in(&self, device: &Device, program: &Program) -> Result<Results, Error> {
        let results = self.launched(device, program);
        // Tests run in parallel: the kernel may belong to another test.
        let violations = device.violations();
        assert!(
            violations.is_empty(),
            "a kernel breaks rules: {violations:?}"
        );
        results
    }

    /// Runs it as compiled in this zebin, and sees what comes of it.
    pub fn observe(&self, device: &Device, zebin: &[u8]) -> Observed {
        let program = Program::load(device, zebin);
        let results = program.and_then(|program| self.launched(device, &program));
        Observed {
            contents: results.map(|results| results.contents),
            violations: device.violations(),
        }
    }

    fn launched(&self, device: &Device, program: &Program) -> Result<Results, Error> {
        let mut kernel = program.kernel(&self.kernel)?;
        let mut objects: Vec<Object> = Vec::new();
        for (index, value) in self.values.iter().enumerate() {
            let object = match value {
                Value::Buffer(content) => {
                    let buffer = device.buffer(content.len() as u64)?;
                    buffer.write(0, content)?;
                    Object::Buffer(buffer)
                }
                // OpenCL makes these from a buffer.
                Value::Image(desc, texels) if desc.kind == ImageKind::D1Buffer => {
                    let buffer = device.buffer(texels.len() as u64)?;
                    buffer.write(0, texels)?;
                    Object::Image(device.image_from_buffer(&buffer, desc)?, texels.len())
                }
                Value::Image(desc, texels) => {
                    let image = device.image(desc)?;
                    image.write(&image.whole(), texels)?;
                    Object::Image(image, texels.len())
                }
                Value::Bytes(_) | Value::Local(_) | Value::Null | Value::Sampler(_) => Object::None,
            };
            let arg = match (&object, value) {
                (Object::Buffer(buffer), _) => Arg::Buffer(buffer),
                (Object::Image(image, _), _) => Arg::Image(image),
                (_, Value::Bytes(bytes)) => Arg::Value(bytes),
                (_, Value::Local(bytes)) => Arg::Local(*bytes),
                (_, Value::Sampler(sampler)) => Arg::Sampler(*sampler),
                (Object::None, _) => Arg::Null,
            };
            kernel.set_arg(index, arg)?;
            objects.push(object);
        }
        let mut range = NdRange::new(&self.global)?;
        if let Some(local) = &self.local {
            range = range.with_local(local)?;
        }
        if let Some(offset) = &self.offset {
            range = range.with_offset(offset)?;
        }
        let queue = device.queue(QueueOptions::default())?;
        let event = queue.enqueue(&kernel, &range, &[])?;
        event.wait(DEADLINE)?;
        let mut contents = Vec::new();
        for object in &objects {
            contents.push(match object {
                Object::Buffer(buffer) => {
                    let mut bytes = vec![0; buffer.size() as usize];
                    buffer.read(0, &mut bytes)?;
                    bytes
                }
                Object::Image(image, size) => {
                    let mut bytes = vec![0; *size];
                    image.read(&image.whole(), &mut bytes)?;
                    bytes
                }
                Object::None => Vec::new(),
            });
        }
        Ok(Results {
            contents,
            simd: kernel.info().simd,
            printed: String::from_utf8_lossy(&event.printed()).into_owned(),
        })
    }
}

#[derive(Debug)]
enum Object {
    Buffer(Buffer),
    Image(Image, usize),
    None,
}

/// What came of a launch.
#[derive(Debug)]
pub struct Observed {
    /// The buffers and images, by argument.
    pub contents: Result<Vec<Vec<u8>>, Error>,
    /// The rules that the kernel has broken.
    pub violations: Vec<Violation>,
}

/// The results of a launch.
#[derive(Debug)]
pub struct Results {
    contents: Vec<Vec<u8>>,
    /// The kernel's SIMD width.
    pub simd: u32,
    /// What the kernel printed.
    pub printed: String,
}

impl Results {
    /// The lines that the kernel printed.
    pub fn lines(&self) -> Vec<String> {
        self.printed.lines().map(str::to_owned).collect()
    }

    /// The content of the buffer or image that is argument `index`.
    ///
    /// # Panics
    /// If there is no such argument or its size does not fit the type.
    pub fn read<T: FromBytes + Immutable + Copy>(&self, index: usize) -> Vec<T> {
        let bytes = self.contents.get(index).expect("an argument");
        assert_eq!(bytes.len() % size_of::<T>(), 0, "argument {index}");
        bytes
            .chunks_exact(size_of::<T>())
            .map(|chunk| T::read_from_bytes(chunk).unwrap_or_else(|_| panic!("argument {index}")))
            .collect()
    }
}
