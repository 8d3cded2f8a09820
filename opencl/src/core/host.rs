//! Threads of the host: those that run commands, the one that calls back, and the one that notices
//! ends of the device's commands.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use super::event::Event;
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

/// How long ends may stay unnoticed that nobody is known to wait for: to wake a thread for each of them
/// takes longer than a small kernel.
const UNHURRIED: Duration = Duration::from_micros(200);

/// Commands that the device has ended, on their way to the thread that notices it.
struct Ends {
    list: Mutex<EndList>,
    changed: Condvar,
    has_thread: OnceLock<bool>,
}

struct EndList {
    events: Vec<Arc<Event>>,
    /// Somebody waits for one of them.
    hurries: bool,
    /// The thread sleeps until there is one.
    sleeps: bool,
}

static ENDS: Ends = Ends {
    list: Mutex::new(EndList {
        events: Vec::new(),
        hurries: false,
        sleeps: false,
    }),
    changed: Condvar::new(),
    has_thread: OnceLock::new(),
};

impl Ends {
    /// Whether there is a thread that notices ends. The first call starts it.
    fn has_thread(&'static self) -> bool {
        *self.has_thread.get_or_init(|| {
            let thread = thread::Builder::new().name("opencl ends".to_owned());
            let started = thread.spawn(|| self.work());
            if let Err(error) = &started {
                tracing::error!("no thread notices the ends of commands: {error}");
            }
            started.is_ok()
        })
    }

    /// Notices ends as they come.
    fn work(&self) -> ! {
        loop {
            let list = self.changed.wait_while(lock(&self.list), |list| {
                list.sleeps = list.events.is_empty();
                list.sleeps
            });
            let list = list.unwrap_or_else(PoisonError::into_inner);
            // More of them come soon.
            let pause = self
                .changed
                .wait_timeout_while(list, UNHURRIED, |list| !list.hurries);
            let (mut list, _) = pause.unwrap_or_else(PoisonError::into_inner);
            list.hurries = false;
            let events = std::mem::take(&mut list.events);
            drop(list);
            for event in events {
                // Others wait for theirs.
                if catch_unwind(AssertUnwindSafe(|| event.notice())).is_err() {
                    tracing::error!("the end of a command was not noticed: a panic");
                }
            }
        }
    }

    /// Changes the list, and wakes the thread if it has to know.
    fn change(&self, change: impl FnOnce(&mut EndList)) {
        let mut list = lock(&self.list);
        change(&mut list);
        let wakes = !list.events.is_empty() && (list.hurries || list.sleeps);
        // One call is enough.
        list.sleeps &= !wakes;
        drop(list);
        if wakes {
            self.changed.notify_one();
        }
    }
}

/// Notices the end of a command of the device, on a thread of its own, as the caller may be the driver's:
/// its event may have callbacks, hold commands of the host back, or keep memory and queues that the
/// program has released. Soon, or at once if somebody waits.
pub(crate) fn notice(event: Arc<Event>) {
    if !ENDS.has_thread() {
        event.notice();
        return;
    }
    let hurries = event.is_awaited();
    ENDS.change(|list| {
        list.events.push(event);
        list.hurries |= hurries;
    });
}

/// Somebody waits for the end of a command now: one that the device has ended is noticed at once.
pub(crate) fn hurry() {
    ENDS.change(|list| list.hurries |= !list.events.is_empty());
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
