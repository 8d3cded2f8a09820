//! Threads of the host: those that run jobs one after the other, such as the one that calls the program
//! back, and those that do small things soon.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::lock;

type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs on a thread of its own, one after the other. The thread begins with the first job, and
/// ends when the worker goes.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    jobs: OnceLock<Mutex<Sender<Job>>>,
}

impl Worker {
    pub(crate) fn run(&self, job: Job) {
        let jobs = self.jobs.get_or_init(|| {
            let (sender, jobs) = channel::<Job>();
            let run = move || jobs.into_iter().for_each(|job| job());
            let thread = thread::Builder::new().name("opencl host".to_owned());
            if let Err(error) = thread.spawn(run) {
                tracing::error!("no thread for commands of the host: {error}");
            }
            Mutex::new(sender)
        });
        // The lock ends here: a job may have another run.
        let sent = lock(jobs).send(job);
        if let Err(unsent) = sent {
            // There is no thread: the command runs here.
            (unsent.0)();
        }
    }
}

/// Calls the program back. "The callback function … may be called asynchronously": on a thread of
/// its own, so that it may call the runtime.
pub(crate) fn call_back(call: Job) {
    static CALLER: LazyLock<Worker> = LazyLock::new(Worker::default);
    CALLER.run(call);
}

/// How long things may wait that nobody is known to wait for: to wake a thread for each of them takes
/// longer than a small kernel.
const UNHURRIED: Duration = Duration::from_micros(200);

/// Does something with each thing that it is given, on a thread of its own: soon, or at once if somebody
/// waits. The thread begins with the first thing.
pub(crate) struct Soon<T: 'static> {
    name: &'static str,
    each: fn(T),
    list: Mutex<List<T>>,
    changed: Condvar,
    has_thread: OnceLock<bool>,
}

struct List<T> {
    things: Vec<T>,
    /// Somebody waits for one of them.
    hurries: bool,
    /// The thread sleeps until there is one.
    sleeps: bool,
}

impl<T: Send> Soon<T> {
    pub(crate) const fn new(name: &'static str, each: fn(T)) -> Self {
        Self {
            name,
            each,
            list: Mutex::new(List {
                things: Vec::new(),
                hurries: false,
                sleeps: false,
            }),
            changed: Condvar::new(),
            has_thread: OnceLock::new(),
        }
    }

    /// Adds a thing. Without a thread it is done with here.
    pub(crate) fn add(&'static self, thing: T, hurries: bool) {
        if !self.has_thread() {
            (self.each)(thing);
            return;
        }
        self.change(|list| {
            list.things.push(thing);
            list.hurries |= hurries;
        });
    }

    /// Somebody waits for one of the things now.
    pub(crate) fn hurry(&self) {
        self.change(|list| list.hurries |= !list.things.is_empty());
    }

    /// Whether there is a thread. The first call starts it.
    fn has_thread(&'static self) -> bool {
        *self.has_thread.get_or_init(|| {
            let thread = thread::Builder::new().name(self.name.to_owned());
            let started = thread.spawn(|| self.work());
            if let Err(error) = &started {
                tracing::error!("no thread for {}: {error}", self.name);
            }
            started.is_ok()
        })
    }

    fn work(&self) -> ! {
        loop {
            let list = self.changed.wait_while(lock(&self.list), |list| {
                list.sleeps = list.things.is_empty();
                list.sleeps
            });
            let list = list.unwrap_or_else(PoisonError::into_inner);
            // More of them come soon.
            let pause = self
                .changed
                .wait_timeout_while(list, UNHURRIED, |list| !list.hurries);
            let (mut list, _) = pause.unwrap_or_else(PoisonError::into_inner);
            list.hurries = false;
            let things = std::mem::take(&mut list.things);
            drop(list);
            for thing in things {
                // Others wait for theirs.
                if catch_unwind(AssertUnwindSafe(|| (self.each)(thing))).is_err() {
                    tracing::error!("{}: a panic", self.name);
                }
            }
        }
    }

    /// Changes the list, and wakes the thread if it has to know.
    fn change(&self, change: impl FnOnce(&mut List<T>)) {
        let mut list = lock(&self.list);
        change(&mut list);
        let wakes = !list.things.is_empty() && (list.hurries || list.sleeps);
        // One call is enough.
        list.sleeps &= !wakes;
        drop(list);
        if wakes {
            self.changed.notify_one();
        }
    }
}

/// Prints what a kernel printed, by the C library: a program's own output has its place in it.
pub(crate) fn print(text: &[u8]) {
    for (number, piece) in text.split(|&byte| byte == 0).enumerate() {
        if number > 0 {
            // SAFETY: it takes any byte.
            unsafe { libc::putchar(0) };
        }
        let piece = std::ffi::CString::new(piece).unwrap_or_default();
        // SAFETY: the format takes one text that ends with a zero, which this is.
        unsafe { libc::printf(c"%s".as_ptr(), piece.as_ptr()) };
    }
}
