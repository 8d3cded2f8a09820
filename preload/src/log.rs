//! What the library says: the log, and why there is no node.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{Targets, dynamic_filter_fn};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::prelude::*;

use crate::config;

/// Says on stderr, whatever the log level, why the program will not find the node.
pub fn complain(why: &str) {
    let _ = writeln!(io::stderr(), "intel-gpu-preload: {why}");
}

/// Whether the process is in `exit`: then its thread-local storage is gone, and the log with it,
/// but runtimes still close their buffers and contexts.
static EXITING: AtomicBool = AtomicBool::new(false);

extern "C" fn note_exit() {
    EXITING.store(true, Ordering::Relaxed);
}

/// Starts the log that the environment asks for.
pub fn start() {
    let Some(text) = config::log_filter() else {
        return;
    };
    let filter: Targets = match text.parse() {
        Ok(filter) => filter,
        Err(error) => {
            let name = config::LOG_VARIABLE;
            return complain(&format!("{name}={text:?} is no log filter: {error}"));
        }
    };
    // SAFETY: `note_exit` is a plain function without arguments.
    unsafe { libc::atexit(note_exit) };
    let alive = dynamic_filter_fn(|_, _| !EXITING.load(Ordering::Relaxed));
    let file = config::log_file().and_then(|path| {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.inspect_err(|error| complain(&format!("log file {}: {error}", path.display())))
            .ok()
    });
    let lines = tracing_subscriber::fmt::layer().with_ansi(false);
    let lines = match file {
        Some(file) => lines.with_writer(BoxMakeWriter::new(Mutex::new(file))),
        None => lines.with_writer(BoxMakeWriter::new(io::stderr)),
    };
    let subscriber =
        tracing_subscriber::registry().with(lines.with_filter(filter).with_filter(alive));
    // A program may have its own subscriber: then that one stays.
    let _ = subscriber.try_init();
}
