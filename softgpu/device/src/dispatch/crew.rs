//! Host threads that help another one with its walkers, and stay for the next.

use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::run::Kit;

/// What the members of a crew do with their kits.
type Task<'a> = dyn Fn(&mut Kit) + Sync + 'a;

/// The threads that help one host thread.
#[derive(Debug, Default)]
pub struct Crew {
    all: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// Where a member gets its tasks.
#[derive(Debug, Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    Given(&'static Task<'static>),
    Busy,
    Panicked(Box<dyn Any + Send>),
    Closed,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "Idle",
            Self::Given(_) => "Given",
            Self::Busy => "Busy",
            Self::Panicked(_) => "Panicked",
            Self::Closed => "Closed",
        })
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what comes, until the desk is closed.
    fn serve(&self) {
        eu_lanes::default_modes();
        let mut kit = Kit::default();
        let mut state = self.state();
        loop {
            match *state {
                State::Given(task) => {
                    *state = State::Busy;
                    drop(state);
                    let outcome = panic::catch_unwind(AssertUnwindSafe(|| task(&mut kit)));
                    state = self.state();
                    *state = match outcome {
                        Ok(()) => State::Idle,
                        Err(cause) => {
                            kit = Kit::default();
                            State::Panicked(cause)
                        }
                    };
                    self.changed.notify_all();
                }
                State::Closed => return,
                State::Idle | State::Busy | State::Panicked(_) => state = self.sleep(state),
            }
        }
    }
}

/// Those that have a task. It waits for them when it goes.
#[derive(Default)]
struct Given(Vec<Arc<Desk>>);

impl Given {
    /// Waits until all are done. The panic of one of them.
    fn wait(&mut self) -> Option<Box<dyn Any + Send>> {
        let mut panicked = None;
        for desk in self.0.drain(..) {
            let mut state = desk.state();
            while let State::Given(_) | State::Busy = *state {
                state = desk.sleep(state);
            }
            if let State::Panicked(cause) = std::mem::take(&mut *state) {
                panicked = Some(cause);
            }
        }
        panicked
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        self.wait();
    }
}

impl Crew {
    /// Does `own`, which may call for help: `count` members then do `task` beside it, or fewer if the host
    /// has no more threads. Returns when all are done.
    ///
    /// # Panics
    /// If `own` or a member does.
    pub fn work(&mut self, count: usize, task: &Task<'_>, own: impl FnOnce(&mut dyn FnMut())) {
        // SAFETY: a member has the task only while `given` knows of it. That waits for the member before
        // this function returns or unwinds.
        let task: &'static Task<'static> = unsafe { std::mem::transmute(task) };
        let mut given = Given::default();
        own(&mut || {
            while self.all.len() < count
                && let Some(member) = Member::new()
            {
                self.all.push(member);
            }
            for member in self.all.iter().take(count).skip(given.0.len()) {
                given.0.push(Arc::clone(&member.desk));
                *member.desk.state() = State::Given(task);
                member.desk.changed.notify_all();
            }
        });
        if let Some(cause) = given.wait() {
            panic::resume_unwind(cause);
        }
    }
}

impl Member {
    /// One that waits for its first task; `None` if the host has no more threads.
    fn new() -> Option<Self> {
        let desk = Arc::<Desk>::default();
        let own = Arc::clone(&desk);
        let thread = thread::Builder::new().name("softgpu-crew".to_owned());
        let thread = thread.spawn(move || own.serve()).ok()?;
        Some(Self {
            desk,
            thread: Some(thread),
        })
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        *self.desk.state() = State::Closed;
        self.desk.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // What it panicked of is known.
            let _ended = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn members_stay_and_are_awaited() {
        let mut crew = Crew::default();
        let names = Mutex::new(Vec::new());
        for _ in 0..3 {
            let done = AtomicUsize::new(0);
            let task = |_: &mut Kit| {
                thread::yield_now();
                names.lock().expect("no panic").push(thread::current().id());
                done.fetch_add(1, Ordering::Relaxed);
            };
            crew.work(2, &task, |help| {
                help();
                help();
            });
            assert_eq!(done.load(Ordering::Relaxed), 2);
        }
        let mut names = names.into_inner().expect("no panic");
        names.sort_by_key(|id| format!("{id:?}"));
        names.dedup();
        assert_eq!(names.len(), 2, "the same threads each time");
        crew.work(2, &|_| unreachable!("nobody asked"), |_| ());
    }

    #[test]
    fn a_panic_of_a_member_is_its_leaders() {
        let mut crew = Crew::default();
        let mut panics = |who: &str| {
            let work = AssertUnwindSafe(|| {
                let task = |_: &mut Kit| assert_ne!(who, "member");
                crew.work(1, &task, |help| {
                    help();
                    assert_ne!(who, "leader");
                });
            });
            panic::catch_unwind(work).is_err()
        };
        assert_eq!(
            ["nobody", "member", "leader", "nobody"].map(&mut panics),
            [false, true, true, false]
        );
    }
}
