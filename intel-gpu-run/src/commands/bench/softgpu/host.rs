//! A small OpenCL host program: what runs under another OpenCL implementation.
//!
//! It runs in a child process of this tool, because implementations read their settings from the
//! environment when they are loaded. What it shall do comes as JSON on its standard input, and what
//! it saw goes as JSON to its standard output.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use libloading::Library;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::exit::Error;

/// The loader that finds implementations.
const LOADER: &str = "libOpenCL.so.1";

type Handle = *mut c_void;

const SUCCESS: c_int = 0;
const INVALID_KERNEL_NAME: c_int = -46;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const PLATFORM_NAME: u32 = 0x0902;
const BUILD_LOG: u32 = 0x1183;
const READ_WRITE: u64 = 1;
const COPY: u64 = 1 << 5;
const IMAGE_2D: u32 = 0x10f1;
const RGBA: u32 = 0x10b5;
const UNSIGNED_INT8: u32 = 0x10da;

#[repr(C)]
struct ImageFormat {
    order: u32,
    channel: u32,
}

#[repr(C)]
#[derive(Default)]
struct ImageDesc {
    kind: u32,
    width: usize,
    height: usize,
    depth: usize,
    layers: usize,
    row: usize,
    slice: usize,
    levels: u32,
    samples: u32,
    buffer: usize,
}

/// Declares the entry points as fields, and loads them.
macro_rules! entry_points {
    ($($name:ident($($ty:ty),*) -> $result:ty = $symbol:literal;)*) => {
        struct Api {
            $($name: unsafe extern "C" fn($($ty),*) -> $result,)*
            _library: Library,
        }

        impl Api {
            fn load() -> Result<Self, Error> {
                let failed = |e: libloading::Error| Error::Failed(format!("{LOADER}: {e}"));
                // SAFETY: the loader's initialisers have no requirements.
                let library = unsafe { Library::new(LOADER) }.map_err(failed)?;
                Ok(Self {
                    $(
                        // SAFETY: the types are those of the OpenCL headers.
                        $name: *unsafe { library.get($symbol) }.map_err(failed)?,
                    )*
                    _library: library,
                })
            }
        }
    };
}

entry_points! {
    platforms(u32, *mut Handle, *mut u32) -> c_int = b"clGetPlatformIDs";
    platform_info(Handle, u32, usize, *mut c_void, *mut usize) -> c_int = b"clGetPlatformInfo";
    devices(Handle, u64, u32, *mut Handle, *mut u32) -> c_int = b"clGetDeviceIDs";
    context(*const isize, u32, *const Handle, *const c_void, Handle, *mut c_int) -> Handle
        = b"clCreateContext";
    queue(Handle, Handle, u64, *mut c_int) -> Handle = b"clCreateCommandQueue";
    program(Handle, u32, *const *const c_char, *const usize, *mut c_int) -> Handle
        = b"clCreateProgramWithSource";
    build(Handle, u32, *const Handle, *const c_char, *const c_void, Handle) -> c_int
        = b"clBuildProgram";
    build_info(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> c_int
        = b"clGetProgramBuildInfo";
    kernel(Handle, *const c_char, *mut c_int) -> Handle = b"clCreateKernel";
    buffer(Handle, u64, usize, *mut c_void, *mut c_int) -> Handle = b"clCreateBuffer";
    image(Handle, u64, *const ImageFormat, *const ImageDesc, *mut c_void, *mut c_int) -> Handle
        = b"clCreateImage";
    set_arg(Handle, u32, usize, *const c_void) -> c_int = b"clSetKernelArg";
    enqueue(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle,
        *mut Handle) -> c_int = b"clEnqueueNDRangeKernel";
    finish(Handle) -> c_int = b"clFinish";
    read_buffer(Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle)
        -> c_int = b"clEnqueueReadBuffer";
    read_image(Handle, Handle, u32, *const usize, *const usize, usize, usize, *mut c_void, u32,
        *const Handle, *mut Handle) -> c_int = b"clEnqueueReadImage";
}

fn failed(what: &str, code: c_int) -> Error {
    Error::Failed(format!("{what} gives {code}"))
}

fn done(what: &str, code: c_int) -> Result<(), Error> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(failed(what, code))
    }
}

/// A buffer or image to read back, with its bytes, its size if it is an image, and the file.
struct Output {
    memory: Handle,
    bytes: usize,
    image: Option<[usize; 3]>,
    path: String,
}

/// A device with a built kernel. What it holds lives as long as the process.
struct Host {
    api: Api,
    context: Handle,
    queue: Handle,
    kernel: Handle,
}

/// Does what `job` says.
///
/// # Errors
/// No implementation of that name, or what it refuses.
pub fn run(job: &Value) -> Result<Value, Error> {
    let text = |key: &str| job[key].as_str().unwrap_or_default();
    let Some(host) = Host::new(text("platform"), text("source"), text("kernel"))? else {
        return Ok(json!({ "missing": text("kernel") }));
    };
    let mut outputs = Vec::new();
    for (index, arg) in (0..).zip(job["args"].as_array().into_iter().flatten()) {
        outputs.extend(host.argument(index, arg)?);
    }
    let global = sizes(&job["global"]);
    let local = sizes(&job["local"]);
    let batch = job["batch"].as_u64().unwrap_or(1);
    let mut seconds = Vec::new();
    let [mut enqueued, mut cpu] = [const { Vec::new() }; 2];
    for _ in 0..job["repeat"].as_u64().unwrap_or(1) {
        let (begin, used) = (Instant::now(), cpu_time()?);
        for _ in 0..batch {
            host.enqueue(&global, &local)?;
        }
        cpu.push(cpu_time()?.saturating_sub(used).as_secs_f64());
        enqueued.push(begin.elapsed().as_secs_f64());
        host.finish()?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    for output in &outputs {
        host.save(output)?;
    }
    Ok(json!({ "seconds": seconds, "enqueued": enqueued, "enqueued_cpu": cpu }))
}

/// What this thread has used.
///
/// # Errors
/// The host does not count it.
pub fn cpu_time() -> Result<Duration, Error> {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    let used = used.map_err(|e| Error::Failed(format!("a thread's CPU time: {e}")))?;
    Ok(used.into())
}

fn sizes(value: &Value) -> Vec<usize> {
    let sizes = value.as_array().into_iter().flatten();
    sizes
        .map(|size| size.as_u64().unwrap_or(1) as usize)
        .collect()
}

fn read(path: &str) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| Error::unreadable(Path::new(path), e))
}

impl Host {
    /// The first device of the platform whose name contains `name`, with a kernel of that source;
    /// `None` if the source has no such kernel for it.
    fn new(name: &str, source: &str, kernel: &str) -> Result<Option<Self>, Error> {
        let api = Api::load()?;
        let mut handles = [null_mut(); 16];
        let mut count = 0;
        // SAFETY: there is room for 16 handles.
        done("clGetPlatformIDs", unsafe {
            (api.platforms)(16, handles.as_mut_ptr(), &raw mut count)
        })?;
        let mut named = handles.into_iter().take(count as usize);
        let platform = named
            .find(|&platform| {
                let mut text = [0u8; 256];
                // SAFETY: there is room for 256 bytes.
                let code = unsafe {
                    let place = text.as_mut_ptr().cast();
                    (api.platform_info)(platform, PLATFORM_NAME, 255, place, null_mut())
                };
                let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
                code == SUCCESS && text.to_string_lossy().contains(name)
            })
            .ok_or_else(|| Error::Failed(format!("no OpenCL platform is called {name}")))?;
        let mut device = null_mut();
        // SAFETY: there is room for one handle.
        done("clGetDeviceIDs", unsafe {
            (api.devices)(platform, DEVICE_TYPE_ALL, 1, &raw mut device, null_mut())
        })?;
        let mut code = 0;
        // SAFETY: no properties, one device, no callback.
        let context = unsafe {
            (api.context)(
                null(),
                1,
                &raw const device,
                null(),
                null_mut(),
                &raw mut code,
            )
        };
        done("clCreateContext", code)?;
        // SAFETY: both exist.
        let queue = unsafe { (api.queue)(context, device, 0, &raw mut code) };
        done("clCreateCommandQueue", code)?;
        let text = c_string(&String::from_utf8_lossy(&read(source)?))?;
        let lines = text.as_ptr();
        // SAFETY: one string that ends with a zero.
        let program = unsafe { (api.program)(context, 1, &raw const lines, null(), &raw mut code) };
        done("clCreateProgramWithSource", code)?;
        let options = c_string("-cl-std=CL2.0")?;
        // SAFETY: the program and the device exist; no callback.
        let built = unsafe {
            let options = options.as_ptr();
            (api.build)(program, 1, &raw const device, options, null(), null_mut())
        };
        if built != SUCCESS {
            let mut log = vec![0u8; 4096];
            // SAFETY: there is room for as many bytes, and one more is zero.
            unsafe {
                let place = log.as_mut_ptr().cast();
                (api.build_info)(program, device, BUILD_LOG, 4095, place, null_mut())
            };
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default();
            return Err(Error::Failed(format!(
                "clBuildProgram gives {built}: {}",
                log.to_string_lossy()
            )));
        }
        let kernel = c_string(kernel)?;
        // SAFETY: the program is built, and the name ends with a zero.
        let kernel = unsafe { (api.kernel)(program, kernel.as_ptr(), &raw mut code) };
        if code == INVALID_KERNEL_NAME {
            return Ok(None);
        }
        done("clCreateKernel", code)?;
        Ok(Some(Self {
            api,
            context,
            queue,
            kernel,
        }))
    }

    /// Sets an argument; returns it if it is to be saved.
    fn argument(&self, index: u32, arg: &Value) -> Result<Option<Output>, Error> {
        if let Some(value) = arg["i32"].as_i64() {
            self.set(index, &(value as i32).to_le_bytes())?;
            return Ok(None);
        }
        if let Some(values) = arg["f32"].as_array() {
            let floats = values
                .iter()
                .map(|value| value.as_f64().unwrap_or_default() as f32);
            let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
            self.set(index, &bytes)?;
            return Ok(None);
        }
        let path = |key: &str| arg[key].as_str().map(str::to_owned);
        let image = sizes(&arg["image"]);
        let image = match *image {
            [width, height] => Some([width, height, 1]),
            _ => None,
        };
        let mut bytes = match path("in") {
            Some(path) => read(&path)?,
            None => vec![0; arg["bytes"].as_u64().unwrap_or_default() as usize],
        };
        let memory = self.memory(&mut bytes, image)?;
        self.set(index, &(memory as usize).to_le_bytes())?;
        Ok(path("out").map(|path| Output {
            memory,
            bytes: bytes.len(),
            image,
            path,
        }))
    }

    fn memory(&self, bytes: &mut [u8], image: Option<[usize; 3]>) -> Result<Handle, Error> {
        let (api, flags) = (&self.api, READ_WRITE | COPY);
        let mut code = 0;
        let data = bytes.as_mut_ptr().cast();
        let memory = match image {
            // SAFETY: the bytes are copied during the call.
            None => unsafe { (api.buffer)(self.context, flags, bytes.len(), data, &raw mut code) },
            Some([width, height, _]) => {
                if bytes.len() != 4 * width * height {
                    return Err(Error::Failed(format!(
                        "an image of {width} by {height} has no {} bytes",
                        bytes.len()
                    )));
                }
                let format = ImageFormat {
                    order: RGBA,
                    channel: UNSIGNED_INT8,
                };
                let desc = ImageDesc {
                    kind: IMAGE_2D,
                    width,
                    height,
                    ..ImageDesc::default()
                };
                // SAFETY: the bytes are as many as the image has, and copied during the call.
                unsafe {
                    let (format, desc) = (&raw const format, &raw const desc);
                    (api.image)(self.context, flags, format, desc, data, &raw mut code)
                }
            }
        };
        done("clCreateBuffer", code)?;
        Ok(memory)
    }

    fn set(&self, index: u32, bytes: &[u8]) -> Result<(), Error> {
        let data = bytes.as_ptr().cast();
        // SAFETY: the bytes are copied during the call.
        let code = unsafe { (self.api.set_arg)(self.kernel, index, bytes.len(), data) };
        done("clSetKernelArg", code)
    }

    fn enqueue(&self, global: &[usize], local: &[usize]) -> Result<(), Error> {
        let sizes = if local.is_empty() {
            null()
        } else {
            local.as_ptr()
        };
        if !local.is_empty() && local.len() != global.len() {
            return Err(Error::Failed(
                "global and local sizes differ in number".into(),
            ));
        }
        let (api, dimensions) = (&self.api, global.len() as u32);
        // SAFETY: as many sizes as dimensions, and no events.
        done("clEnqueueNDRangeKernel", unsafe {
            (api.enqueue)(
                self.queue,
                self.kernel,
                dimensions,
                null(),
                global.as_ptr(),
                sizes,
                0,
                null(),
                null_mut(),
            )
        })
    }

    fn finish(&self) -> Result<(), Error> {
        // SAFETY: the queue exists.
        done("clFinish", unsafe { (self.api.finish)(self.queue) })
    }

    fn save(&self, output: &Output) -> Result<(), Error> {
        let mut bytes = vec![0u8; output.bytes];
        let (api, place) = (&self.api, bytes.as_mut_ptr().cast());
        // SAFETY: there is room for all of the memory, and the calls wait until it is read.
        let code = unsafe {
            match output.image {
                None => (api.read_buffer)(
                    self.queue,
                    output.memory,
                    1,
                    0,
                    bytes.len(),
                    place,
                    0,
                    null(),
                    null_mut(),
                ),
                Some(size) => (api.read_image)(
                    self.queue,
                    output.memory,
                    1,
                    [0; 3].as_ptr(),
                    size.as_ptr(),
                    0,
                    0,
                    place,
                    0,
                    null(),
                    null_mut(),
                ),
            }
        };
        done("reading the output", code)?;
        let path = Path::new(&output.path);
        fs::write(path, bytes).map_err(|e| Error::unwritable(path, e))
    }
}

fn c_string(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|e| Error::Failed(e.to_string()))
}
