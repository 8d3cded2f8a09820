//! Threads of the host: those that run commands, the one that calls back, and the one that notices
//! ends of the device's commands.

use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::thread;

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

/// Notices the end of a command of the device: its event may have callbacks, hold commands of the
/// host back, or keep memory and queues that the program has released.
pub(crate) fn notice(end: Job) {
    static NOTICER: LazyLock<Worker> = LazyLock::new(Worker::default);
    NOTICER.run(end);
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
