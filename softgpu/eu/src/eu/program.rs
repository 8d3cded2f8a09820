//! Programs: the decoded code of kernels, kept for a device.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::Family;
use eu_native::HostIsa;

use super::family::Rules;
use super::native::Start;
use super::routine::{Block, Routine, Source};
use super::state::State;
use super::trace;
use crate::{Fault, GroupEnv, Kernel};

/// The most ops that a program keeps, and that all programs of a device keep together.
const OPS: usize = 1 << 18;
/// The most routines that a program keeps.
const ROUTINES: usize = 512;
/// The most programs that a device keeps.
const PROGRAMS: usize = 512;
/// How often a routine's blocks are entered before it is translated, at most.
const HOT: u32 = 200;

/// How EU code is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Instruction by instruction: the reference.
    Interpret,
    /// As host code once it has run for a while, where the host's processor has translations: with these
    /// instructions of the host, or with all that it has. Where it lacks them, code is interpreted.
    Adapt(Option<HostIsa>),
    /// As host code at once.
    Compile(Option<HostIsa>),
}

impl Default for Execution {
    fn default() -> Self {
        Self::Adapt(None)
    }
}

/// When and for what code is translated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compile {
    /// How often a routine's blocks are entered before, at most.
    pub after: u32,
    /// The host's instructions.
    pub isa: HostIsa,
}

impl Compile {
    fn new(execution: Execution) -> Option<Self> {
        let (after, isa) = match execution {
            Execution::Interpret => return None,
            Execution::Adapt(isa) => (HOT, isa),
            Execution::Compile(isa) => (0, isa),
        };
        let isa = match isa {
            Some(isa) => Some(isa).filter(|isa| isa.is_here()),
            None => HostIsa::of_host(),
        };
        // What is traced is interpreted.
        let isa = isa.filter(|_| !trace::enabled())?;
        Some(Self { after, isa })
    }
}

/// The programs of a device, the most recently used first.
#[derive(Debug, Default)]
pub struct Programs {
    recent: Mutex<Vec<Arc<Program>>>,
}

impl Programs {
    /// The program of `kernel`, whose threads have `grf_count` registers.
    pub fn get(&self, kernel: &Kernel, grf_count: u16) -> Arc<Program> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let place = recent.iter().position(|program| {
            program.family == kernel.family
                && program.grf_count == grf_count
                && program.entry == kernel.entry
        });
        let program = match place {
            Some(place) => recent.remove(place),
            None => Arc::new(Program::new(kernel, grf_count)),
        };
        let mut ops = program.ops.load(Ordering::Relaxed);
        let kept = recent.iter().take(PROGRAMS - 1).take_while(|program| {
            ops += program.ops.load(Ordering::Relaxed);
            ops <= OPS
        });
        let kept = kept.count();
        recent.truncate(kept);
        recent.insert(0, Arc::clone(&program));
        program
    }
}

/// The decoded code at a kernel's entry point, which host threads and launches share.
///
/// It grows while it runs, by code reached through jumps whose targets are in registers. Clients
/// rewrite kernels between launches, and address spaces differ: a routine is compared with memory
/// before it is used, so a program may have several for one address.
#[derive(Debug)]
pub struct Program {
    family: Family,
    grf_count: u16,
    entry: u64,
    routines: Mutex<Vec<Arc<Routine>>>,
    ops: AtomicUsize,
}

impl Program {
    /// The program of `kernel`, with nothing decoded yet.
    pub fn new(kernel: &Kernel, grf_count: u16) -> Self {
        Self {
            family: kernel.family,
            grf_count,
            entry: kernel.entry,
            routines: Mutex::default(),
            ops: AtomicUsize::new(0),
        }
    }

    /// The family of its instructions.
    #[cfg(test)]
    pub(super) fn family(&self) -> Family {
        self.family
    }

    /// How many routines it has.
    #[cfg(test)]
    pub(super) fn routines(&self) -> usize {
        self.routines.lock().expect("no panic").len()
    }

    /// A routine that has the instruction at `ip`, and matches memory.
    fn routine(&self, env: &GroupEnv<'_>, ip: u32) -> Result<Arc<Routine>, Fault> {
        let mut routines = self.routines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_here = |routine: &Routine| routine.is_at(env.bases.instruction, env.memory);
        let mut candidates = routines.iter().filter(|known| known.find(ip).is_some());
        if let Some(known) = candidates.find(|known| is_here(known)) {
            return Ok(Arc::clone(known));
        }
        let mut ops = self.ops.load(Ordering::Relaxed);
        if routines.len() >= ROUTINES || ops >= OPS {
            // Code of nothing but jumps.
            routines.clear();
            ops = 0;
        }
        let source = Source {
            memory: env.memory,
            base: env.bases.instruction,
            rules: Rules::of(self.family),
            grf_count: self.grf_count,
        };
        let others: Vec<_> = routines.iter().filter(|other| is_here(other)).collect();
        let known = |ip| others.iter().any(|other| other.find(ip).is_some());
        let routine = Arc::new(Routine::decode(&source, ip, OPS - ops, known)?);
        let ops = ops + routine.ops().len();
        self.ops.store(ops, Ordering::Relaxed);
        routines.push(Arc::clone(&routine));
        Ok(routine)
    }
}

/// One host thread's hold on a program.
#[derive(Debug)]
pub struct Code {
    program: Arc<Program>,
    /// `None` if code is never translated.
    compile: Option<Compile>,
    /// The first routine that it has used, which mostly is the only one.
    first: OnceCell<Arc<Routine>>,
    /// Where its threads begin, once there is host code for that.
    start: Cell<Option<Start>>,
    /// Others.
    routines: RefCell<Vec<Arc<Routine>>>,
}

impl Code {
    /// A hold on `program`.
    pub fn new(program: Arc<Program>, execution: Execution) -> Self {
        Self {
            program,
            compile: Compile::new(execution),
            first: OnceCell::new(),
            start: Cell::new(None),
            routines: RefCell::default(),
        }
    }

    /// When code is translated; `None` if it never is.
    #[inline]
    pub(super) fn compile(&self) -> Option<Compile> {
        self.compile
    }

    /// The routine, the op and the block at `ip`, if they are in the first routine.
    #[inline]
    pub(super) fn first(&self, ip: u32) -> Option<(&Routine, usize, &Block)> {
        let routine = self.first.get()?;
        let (op, block) = routine.find(ip)?;
        Some((routine, op, block))
    }

    /// Whether its threads, or others of its kernel, wait at barriers, as far as it is known.
    pub fn waits(&self) -> bool {
        self.compile.is_some() && self.first.get().is_some_and(|routine| routine.waits())
    }

    /// Whether its threads neither wait for nor signal each other, as far as the code goes with which they begin. False
    /// if that is not known.
    pub fn is_apart(&self) -> bool {
        let begins = self.first.get();
        self.compile.is_some() && begins.is_some_and(|routine| !routine.meets())
    }

    /// Whether its threads do atomic operations; `None` until one of them has run.
    pub fn is_atomic(&self) -> Option<bool> {
        self.first.get().map(|routine| routine.is_atomic())
    }

    /// The host code with which the thread begins, if there is some in the first routine.
    #[inline]
    pub(super) fn start(&self, state: &State) -> Option<(&Routine, Start)> {
        let routine = self.first.get()?;
        match self.start.get() {
            Some(start) if start.fits(state, routine) => Some((routine, start)),
            _ => self.other_start(state, routine),
        }
    }

    #[cold]
    fn other_start<'a>(
        &'a self,
        state: &State,
        routine: &'a Routine,
    ) -> Option<(&'a Routine, Start)> {
        let (at, _) = routine.find(state.ip)?;
        let start = Start::of(state, routine, at)?;
        self.start.set(Some(start));
        Some((routine, start))
    }

    /// Runs `body` with the routine, the op and the block at `ip`, decoding them if necessary.
    ///
    /// # Errors
    /// [`Fault::Memory`] where nothing is bound, [`Fault::IllegalInstruction`] for bytes that are
    /// not an instruction.
    pub(super) fn at<R>(
        &self,
        env: &GroupEnv<'_>,
        ip: u32,
        body: impl FnOnce(&Routine, usize, &Block) -> R,
    ) -> Result<R, Fault> {
        if let Some((routine, op, block)) = self.first(ip) {
            return Ok(body(routine, op, block));
        }
        {
            let routines = self.routines.borrow();
            let mut found = routines.iter().map(|routine| (routine, routine.find(ip)));
            if let Some((routine, (op, block))) =
                found.find_map(|(routine, found)| Some((routine, found?)))
            {
                return Ok(body(routine, op, block));
            }
        }
        let routine = self.program.routine(env, ip)?;
        if let Err(routine) = self.first.set(Arc::clone(&routine)) {
            let mut routines = self.routines.borrow_mut();
            if routines.len() >= ROUTINES {
                routines.clear();
            }
            routines.push(routine);
        }
        let missing = || Fault::IllegalInstruction {
            why: format!("at {ip:#x}: nothing was decoded"),
        };
        let (op, block) = routine.find(ip).ok_or_else(missing)?;
        Ok(body(&routine, op, block))
    }
}
