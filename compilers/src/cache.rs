//! Compiled files on disk.
//!
//! Processes share the folder. A file is written under another name and renamed when it is whole;
//! its name is the hash of everything that the compiler is given, and of the compiler; a hash of its
//! content stands in it, so that a broken one counts as missing. What cannot be written is not
//! cached.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::compiler::{CompileError, Compiled, Compiler, Job, Source, has};
use crate::place::is_left;

/// Names the folder, or turns the cache off.
const FOLDER_VARIABLE: &str = "INTEL_GPU_CACHE";
/// The value of [`FOLDER_VARIABLE`] for no cache.
const OFF: &str = "off";
/// What the files take together at most.
const LIMIT: u64 = 256 << 20;
/// The part of the limit that is written between two looks at what is there: looking takes as long as
/// there are files.
const UNSEEN: u64 = 64;
/// What the names of files begin with that are being written.
const UNFINISHED: &str = ".intel-gpu-";
/// The form of the files, and of what compilers are given beside the job, which is a part of their names.
const VERSION: &str = "intel-gpu 2";

type Hash = [u8; 32];

/// A compiler that remembers on disk what it compiled.
#[derive(Debug)]
pub struct Cache<C> {
    compiler: C,
    /// `None` if it is turned off.
    folder: Option<PathBuf>,
    limit: u64,
    /// Bytes written since the folder was last looked at; at first as if much was.
    unseen: AtomicU64,
}

impl<C: Compiler> Cache<C> {
    /// In the folder that the environment variable `INTEL_GPU_CACHE` names (`off`: nowhere), or in
    /// the user's cache.
    pub fn new(compiler: C) -> Self {
        let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        let folder = match variable(FOLDER_VARIABLE) {
            Some(value) if value == OFF => None,
            Some(value) => Some(PathBuf::from(value)),
            None => {
                let home = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
                let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
                cache.map(|cache| cache.join("intel-gpu"))
            }
        };
        Self {
            compiler,
            folder,
            limit: LIMIT,
            unseen: LIMIT.into(),
        }
    }

    /// In a folder.
    pub fn at(compiler: C, folder: PathBuf) -> Self {
        Self {
            compiler,
            folder: Some(folder),
            limit: LIMIT,
            unseen: LIMIT.into(),
        }
    }

    /// The file of a job; `None` if what it makes does not depend on the job alone.
    fn path(&self, job: &Job<'_>) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let mut hash = Sha256::new();
        // Each part with its length before it: no two lists of parts are the same bytes.
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(VERSION.as_bytes());
        part(self.compiler.identity().as_bytes());
        match job.source {
            // What is included may be a file that changes.
            Source::OpenClC(text) if includes(text, job) => return None,
            Source::OpenClC(text) => part(text),
            Source::Modules(modules) => modules.iter().for_each(|module| part(module)),
        }
        part(format!("{:?} {}", job.product, job.target).as_bytes());
        part(job.options.as_bytes());
        part(job.internal.as_bytes());
        part(&[job.checked.into()]);
        Some(folder.join(hex(&hash.finalize().into())))
    }

    /// A file was written: the folder is made smaller if so much was that it may be too large.
    fn grown(&self, path: &Path, bytes: u64) -> io::Result<()> {
        let unseen = self.unseen.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if unseen <= self.limit / UNSEEN {
            return Ok(());
        }
        self.unseen.store(0, Ordering::Relaxed);
        shrink(folder_of(path), self.limit)
    }
}

impl<C: Compiler> Compiler for Cache<C> {
    fn identity(&self) -> String {
        self.compiler.identity()
    }

    fn own_name(&self) -> Option<&'static str> {
        self.compiler.own_name()
    }

    fn takes_text(&self) -> bool {
        self.compiler.takes_text()
    }

    fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
        let Some(path) = self.path(job) else {
            return self.compiler.compile(job);
        };
        if let Some(compiled) = read(&path) {
            return Ok(compiled);
        }
        let compiled = self.compiler.compile(job)?;
        let kept = write(&path, &compiled).and_then(|bytes| self.grown(&path, bytes));
        if let Err(error) = kept {
            tracing::info!("{} is not cached: {error}", path.display());
        }
        Ok(compiled)
    }
}

/// Whether a source may include files.
fn includes(text: &[u8], job: &Job<'_>) -> bool {
    // A line may end in the middle of the word, or a macro give it: rare, and harmless when the word
    // stands anywhere else.
    let says = |word| has(text, word) || job.options.contains(word);
    says("include") || says("import") || has(text, "\\\n") || has(text, "\\\r")
}

/// A cached file: the hash of the rest, the length of the log, the log, the binary.
fn read(path: &Path) -> Option<Compiled> {
    let file = fs::read(path).ok()?;
    let (hash, rest) = file.split_first_chunk::<32>()?;
    if *hash != Hash::from(Sha256::digest(rest)) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (log, binary) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    // What is used last is deleted last.
    if let Ok(file) = fs::File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
    Some(Compiled {
        binary: binary.to_vec(),
        log: String::from_utf8_lossy(log).into_owned(),
    })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Writes a file; its length.
fn write(path: &Path, compiled: &Compiled) -> io::Result<u64> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut rest = (compiled.log.len() as u64).to_le_bytes().to_vec();
    rest.extend(compiled.log.as_bytes());
    rest.extend(&compiled.binary);
    let mut file = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)?;
    file.as_file().lock()?;
    let hash = Sha256::digest(&rest);
    file.write_all(&hash)?;
    file.write_all(&rest)?;
    file.persist(path)?;
    Ok((hash.len() + rest.len()) as u64)
}

/// Whether a file of the folder is the cache's, by its name. The folder may have others.
fn is_own(name: &str) -> bool {
    let is_hash = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash || name.starts_with(UNFINISHED)
}

/// Deletes what was not finished, and what was not used for longest, if there is too much. Other
/// processes may do the same.
fn shrink(folder: &Path, limit: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_own(name)) else {
            continue;
        };
        if name.starts_with(UNFINISHED) {
            // Its process was killed.
            if is_left(&entry.path()) {
                let _ = fs::remove_file(entry.path());
            }
            continue;
        }
        // It may be gone by now.
        if let Ok(data) = entry.metadata() {
            files.push((data.modified()?, data.len(), entry.path()));
        }
    }
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    if total <= limit {
        return Ok(());
    }
    files.sort();
    for (_, size, path) in files {
        if total <= limit / 2 {
            break;
        }
        let _ = fs::remove_file(path);
        total -= size;
    }
    Ok(())
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use devinfo::Target;

    use super::*;
    use crate::compiler::Product;

    /// Gives its source back, and counts.
    #[derive(Debug, Default)]
    struct Echo(AtomicUsize);

    impl Compiler for Echo {
        fn identity(&self) -> String {
            "echo".to_owned()
        }

        fn compile(&self, job: &Job<'_>) -> Result<Compiled, CompileError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            match job.source {
                Source::OpenClC(text) => Ok(Compiled {
                    binary: text.to_vec(),
                    log: "said".to_owned(),
                }),
                Source::Modules(_) => Err(CompileError::Missing),
            }
        }
    }

    fn job(text: &str) -> Job<'_> {
        Job {
            source: Source::OpenClC(text.as_bytes()),
            product: Product::Zebin,
            target: Target::parse("tgl").unwrap(),
            options: "",
            internal: "",
            folder: None,
            headers: &[],
            checked: false,
        }
    }

    fn runs(cache: &Cache<Echo>) -> usize {
        cache.compiler.0.load(Ordering::Relaxed)
    }

    #[test]
    fn what_is_the_same_is_compiled_once() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::at(Echo::default(), place.path().join("a/b"));
        let first = cache.compile(&job("x")).unwrap();
        assert_eq!(cache.compile(&job("x")).unwrap(), first);
        assert_eq!(runs(&cache), 1);
        cache.compile(&job("y")).unwrap();
        let other = Job {
            options: "-DA",
            ..job("x")
        };
        cache.compile(&other).unwrap();
        let target = Target::parse("bmg").unwrap();
        cache.compile(&Job { target, ..job("x") }).unwrap();
        let product = Product::Module;
        cache
            .compile(&Job {
                product,
                ..job("x")
            })
            .unwrap();
        assert_eq!(runs(&cache), 5);
        cache.compile(&job("#include <a>")).unwrap();
        cache.compile(&job("#include <a>")).unwrap();
        cache.compile(&job("#import <a>")).unwrap();
        cache.compile(&job("#import <a>")).unwrap();
        assert_eq!(runs(&cache), 9);
    }

    #[test]
    fn a_broken_file_is_compiled_again() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::at(Echo::default(), place.path().to_owned());
        let whole = cache.compile(&job("source")).unwrap();
        let path = cache.path(&job("source")).unwrap();
        let bytes = fs::read(&path).unwrap();
        for end in 0..bytes.len() {
            fs::write(&path, &bytes[..end]).unwrap();
            assert_eq!(cache.compile(&job("source")).unwrap(), whole, "{end}");
        }
        assert_eq!(runs(&cache), 1 + bytes.len());
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(cache.compile(&job("source")).unwrap(), whole);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn the_folder_does_not_grow_without_end() {
        let place = tempfile::tempdir().unwrap();
        let mut cache = Cache::at(Echo::default(), place.path().to_owned());
        cache.limit = 1000;
        // What is not the cache's stays, and does not count.
        let other = place.path().join("other");
        fs::write(&other, [0; 2000]).unwrap();
        for number in 0..100 {
            cache.compile(&job(&format!("source {number}"))).unwrap();
            let files = fs::read_dir(place.path()).unwrap();
            let sizes = files.map(|file| file.unwrap().metadata().unwrap().len());
            assert!(sizes.sum::<u64>() <= 2000 + 1000);
            assert!(other.exists());
        }
    }

    #[test]
    fn the_folder_is_looked_at_first_and_after_much_was_written() {
        let place = tempfile::tempdir().unwrap();
        let mut cache = Cache::at(Echo::default(), place.path().to_owned());
        // 6400 bytes are written between two looks.
        cache.limit = 6400 * UNSEEN;
        let left = || {
            let path = place.path().join(format!("{UNFINISHED}left"));
            fs::write(&path, "of a process that was killed").unwrap();
            path
        };
        let compile = |from: usize, count: usize| {
            for number in from..from + count {
                cache.compile(&job(&format!("{number:056}"))).unwrap();
            }
        };
        // Each file has 100 bytes: a hash, a length, four bytes of log and the source.
        let first = left();
        compile(0, 1);
        assert!(!first.exists());
        let second = left();
        compile(1, 64);
        assert!(second.exists());
        compile(65, 1);
        assert!(!second.exists());
    }

    #[test]
    fn writers_do_not_disturb_readers() {
        let place = tempfile::tempdir().unwrap();
        let text = "z".repeat(100_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let cache = Cache::at(Echo::default(), place.path().to_owned());
                    for _ in 0..50 {
                        let compiled = cache.compile(&job(&text)).unwrap();
                        assert_eq!(compiled.binary, text.as_bytes());
                        let _ = fs::remove_file(cache.path(&job(&text)).unwrap());
                    }
                });
            }
        });
    }
}
