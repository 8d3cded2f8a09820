//! Intel's offline compiler in this process: `libocloc.so`.
//!
//! No process is started and no file is written, and the compiler is loaded once. One call runs at
//! a time: while it compiles, the library has handlers of its own for SIGSEGV and SIGILL, with one
//! place to jump back to. It leaves them where the process had none, so they are taken away here.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::signals::Actions;
use super::{Call, Ended, Failure, OUTPUT, PACKAGE, Runner, compile, ended, unknown};
use crate::compiler::{CompileError, Compiled, Compiler, Job};
use crate::stamp::stamp;

/// The library's name.
const FILE: &str = "libocloc.so";
/// What a call returns that ended in a signal: `OCLOC_COMPILATION_CRASH`.
const CRASHED: c_int = -5152;
/// The output with what the compiler said.
const WORDS: &str = "stdout.log";
/// What is loaded by the library and compiles in fact; files beside it whose names begin so.
const PARTS: [&str; 4] = [FILE, "libigc.so", "libigdfcl.so", "libopencl-clang.so"];

/// Intel's offline compiler in this process.
#[derive(Clone, Copy, Debug)]
pub struct Library(());

impl Library {
    /// The compiler, if the library is installed.
    ///
    /// # Errors
    /// Why the library cannot be loaded.
    pub fn load() -> Result<Self, CompileError> {
        loaded().map(|_| Self(()))
    }
}

impl Compiler for Library {
    fn identity(&self) -> String {
        let Some(path) = path() else {
            return FILE.to_owned();
        };
        let folder = path.parent().unwrap_or(Path::new("/"));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut parts: Vec<_> = entries
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                PARTS.iter().any(|part| name.starts_with(part))
            })
            .map(|entry| stamp(&entry.path()))
            .collect();
        parts.sort();
        parts.concat()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        compile(&Loaded, job).map_err(|failure| match failure {
            Failure::Unknown(said) => unknown(job.target, format!("\n{FILE}: {said}")),
            Failure::Stopped(error) => error,
        })
    }
}

/// Where the library lies.
fn path() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.contains(FILE))?;
    line.find('/')
        .map(|at| PathBuf::from(line.get(at..).unwrap_or_default()))
}

type Strings = *const *const c_char;
type Contents = *const *const u8;

/// `oclocInvoke`: the command line; the files that it reads and the headers, each a count,
/// contents, lengths and names; the same of the files that it makes.
type Invoke = unsafe extern "C" fn(
    c_uint,
    Strings,
    u32,
    Contents,
    *const u64,
    Strings,
    u32,
    Contents,
    *const u64,
    Strings,
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;

/// `oclocFreeOutput`.
type FreeOutput = unsafe extern "C" fn(
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;

struct Functions {
    invoke: Invoke,
    free: FreeOutput,
    /// Never unloaded: what it loads in turn does not take that well.
    _library: libloading::Library,
}

fn loaded() -> Result<&'static Functions, CompileError> {
    static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| {
        let load = || {
            // SAFETY: the library's initialisers are those of Intel's compiler, which ask nothing of
            // their caller; the functions have had these types since the library exists.
            unsafe {
                let library = libloading::Library::new(FILE)?;
                Ok(Functions {
                    invoke: *library.get::<Invoke>(b"oclocInvoke\0")?,
                    free: *library.get::<FreeOutput>(b"oclocFreeOutput\0")?,
                    _library: library,
                })
            }
        };
        load().map_err(|error: libloading::Error| error.to_string())
    });
    loaded.as_ref().map_err(|why| CompileError::NoProgram {
        program: FILE.to_owned(),
        why: format!("{why} ({PACKAGE})"),
    })
}

/// The command that takes command lines from a file, and our name of the file.
const MULTI: &str = "multi";
const LINES: &str = "lines";

/// A command line as such a file has it: words in either kind of quotes; `None` if one of them has
/// both kinds in it.
fn line(words: &[String]) -> Option<String> {
    let quoted = words.iter().map(|word| {
        let word = word.replace(['\n', '\t', '\r'], " ");
        match (word.contains('"'), word.contains('\'')) {
            (false, _) => Some(format!("\"{word}\"")),
            (true, false) => Some(format!("'{word}'")),
            (true, true) => None,
        }
    });
    Some(quoted.collect::<Option<Vec<_>>>()?.join(" "))
}

/// The library as a runner.
struct Loaded;

impl Runner for Loaded {
    fn name(&self) -> String {
        FILE.to_owned()
    }

    fn run(&self, call: &Call<'_>) -> Result<Ended, CompileError> {
        let functions = loaded()?;
        let mut inputs = call.inputs.clone();
        let files = inputs
            .iter()
            .flat_map(|(name, _)| ["-file".to_owned(), name.clone()]);
        let mut words: Vec<_> = call.words.iter().cloned().chain(files).collect();
        if let Some(options) = &call.options {
            words.extend(["-options".to_owned(), options.clone()]);
        }
        let output: &[&str] = match call.links {
            true => &["-out", OUTPUT],
            false => &["-output", OUTPUT, "-output_no_suffix", "-out_dir", "."],
        };
        words.extend(output.iter().map(|&word| word.to_owned()));
        // 22.43 prints the command line of a compilation that failed, but not if it stands in a file.
        let line = match call.links {
            true => None,
            false => line(words.get(1..).unwrap_or_default()),
        };
        if let Some(line) = &line {
            words = [MULTI, LINES].map(str::to_owned).into();
            inputs.push((LINES.to_owned(), line.as_bytes()));
        }
        words.insert(0, "ocloc".to_owned());
        let inputs = inputs.iter().map(|(name, data)| (name.as_str(), *data));
        let texts_of_headers: Vec<_> = call
            .headers
            .iter()
            .map(|header| ended(header.text))
            .collect();
        let headers = call.headers.iter().zip(&texts_of_headers);
        let headers = headers.map(|(header, text)| (header.name, text.as_slice()));
        let words = texts(words.iter().map(String::as_str))?;
        let (inputs, headers) = (Files::new(inputs)?, Files::new(headers)?);
        Ok(invoke(functions, &words, &inputs, &headers))
    }
}

/// Files as the library takes them.
struct Files<'a> {
    names: Vec<CString>,
    contents: Vec<&'a [u8]>,
    lengths: Vec<u64>,
}

impl<'a> Files<'a> {
    fn new(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<Self, CompileError> {
        let (names, contents): (Vec<_>, Vec<_>) = files.unzip();
        Ok(Self {
            names: texts(names.into_iter())?,
            lengths: contents
                .iter()
                .map(|content| content.len() as u64)
                .collect(),
            contents,
        })
    }

    fn content_pointers(&self) -> Vec<*const u8> {
        self.contents
            .iter()
            .map(|content| content.as_ptr())
            .collect()
    }
}

fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<CString>, CompileError> {
    let all = texts.map(CString::new).collect::<Result<_, _>>();
    all.map_err(|error| CompileError::Failed {
        program: FILE.to_owned(),
        why: format!("a name or an option has a zero byte in it: {error}"),
    })
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn invoke(
    functions: &Functions,
    words: &[CString],
    inputs: &Files<'_>,
    headers: &Files<'_>,
) -> Ended {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let words = pointers(words);
    let (names, contents) = (pointers(&inputs.names), inputs.content_pointers());
    let (header_names, header_contents) = (pointers(&headers.names), headers.content_pointers());
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let actions = Actions::now();
    let mut count = 0;
    let mut out_contents = null_mut();
    let mut out_lengths = null_mut();
    let mut out_names = null_mut();
    let or_null = |list: &[*const c_char]| match list {
        [] => null(),
        list => list.as_ptr(),
    };
    // SAFETY: each list has as many entries as its count says, and texts end with a zero; all of it
    // lives until the call returns. The last four are variables of this function.
    let result = unsafe {
        (functions.invoke)(
            words.len() as c_uint,
            words.as_ptr(),
            names.len() as u32,
            contents.as_ptr(),
            inputs.lengths.as_ptr(),
            names.as_ptr(),
            header_names.len() as u32,
            header_contents.as_ptr(),
            headers.lengths.as_ptr(),
            or_null(&header_names),
            &raw mut count,
            &raw mut out_contents,
            &raw mut out_lengths,
            &raw mut out_names,
        )
    };
    actions.put_back(functions.invoke as *const c_void);
    let mut outputs = Vec::new();
    for index in 0..count as usize {
        // SAFETY: the library made lists of `count` entries: contents with their lengths, and names.
        let (name, content) = unsafe {
            let content = *out_contents.add(index);
            let length = *out_lengths.add(index) as usize;
            let content: &[u8] = match content.is_null() {
                true => &[],
                false => std::slice::from_raw_parts(content, length),
            };
            (CStr::from_ptr(*out_names.add(index)), content.to_vec())
        };
        let name = name.to_string_lossy();
        let name = name.rsplit('/').next().unwrap_or_default();
        outputs.push((name.to_owned(), content));
    }
    // SAFETY: the lists are the library's own, and nothing of them is used any more.
    unsafe {
        (functions.free)(
            &raw mut count,
            &raw mut out_contents,
            &raw mut out_lengths,
            &raw mut out_names,
        );
    }
    drop(guard);
    let said = outputs.iter().position(|(name, _)| name == WORDS);
    let said = said.map(|index| outputs.swap_remove(index).1);
    let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    Ended {
        success: result == 0,
        crash: (result == CRASHED).then(|| "caught".to_owned()),
        words: said.trim_end_matches('\0').to_owned(),
        outputs,
    }
}
