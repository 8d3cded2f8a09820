//! Notices the ends of commands that nobody waits for: their events have callbacks, hold commands
//! of the host back, or keep memory that the program has released.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use super::event::Event;
use super::lock;

/// The first look at commands that run; each further one waits longer, until one of them ends.
const FIRST_LOOK: Duration = Duration::from_micros(50);
/// The longest wait between two looks.
const LAST_LOOK: Duration = Duration::from_millis(2);

type Watched = (umd::Event, Arc<Event>);

/// Notices the end of `event` when `device` has ended.
pub(crate) fn watch(device: umd::Event, event: Arc<Event>) {
    static WATCHED: LazyLock<Option<Mutex<Sender<Watched>>>> = LazyLock::new(|| {
        let (sender, watched) = channel();
        let thread = thread::Builder::new().name("opencl watch".to_owned());
        let spawned = thread.spawn(move || run(&watched));
        let spawned = spawned.map_err(|error| tracing::error!("no thread to watch: {error}"));
        spawned.ok().map(|_| Mutex::new(sender))
    });
    if let Some(watched) = &*WATCHED {
        // The thread ends with the process.
        let _ = lock(watched).send((device, event));
    }
}

fn run(incoming: &Receiver<Watched>) {
    let mut open: Vec<Watched> = Vec::new();
    let mut look = FIRST_LOOK;
    loop {
        let next = match open.is_empty() {
            true => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => incoming.recv_timeout(look),
        };
        match next {
            Ok(watched) => {
                open.push(watched);
                open.extend(incoming.try_iter());
                look = FIRST_LOOK;
            }
            Err(RecvTimeoutError::Timeout) => look = (look * 2).min(LAST_LOOK),
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let before = open.len();
        open.retain(|(device, event)| {
            use umd::EventStatus::{Complete, Failed};
            let has_ended = matches!(device.status(), Complete | Failed);
            if has_ended {
                event.notice();
            }
            !has_ended
        });
        if open.len() < before {
            look = FIRST_LOOK;
        }
    }
}
