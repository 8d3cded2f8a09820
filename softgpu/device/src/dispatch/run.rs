//! Running a walker on host threads.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::quiet::Quiet;
use super::report::DispatchError;
use super::resident::{Host, Loader, Resident, Slice, Vacant};
use super::schedule::Schedule;
use super::slots::Slots;
use super::walker::Walker;
use softgpu_eu::StateCache;
use softgpu_eu::{Code, Execution, Fault, Findings, Program, Programs};
use softgpu_memory::{PageTable, View};

/// How many passes without an instruction a checked walker has before it counts as hung.
const PATIENCE: u32 = 16;

/// How long a walker has one host thread: about what it takes to wake another.
const ALONE: Duration = Duration::from_micros(10);

/// Instructions after which a host thread adds what it has done to the statistics.
const REPORTED: u64 = 1 << 16;

/// Shorter limits than this need a look after each slice: so many instructions may take longer.
const SHORT: Duration = Duration::from_secs(1);

/// How many groups a host thread takes at once: those that execute about so many instructions, but not
/// more than a few.
const TAKEN: u64 = 1 << 14;
const MOST_TAKEN: u64 = 64;

/// The most groups and the most threads whose memory a host thread keeps from walker to walker.
const KEPT_GROUPS: usize = 4;
const KEPT_THREADS: usize = 32;

/// At most this many threads are named in a hang report.
const MAX_REPORTED: usize = 32;

/// How to run walkers.
#[derive(Clone, Debug)]
pub struct DispatchOptions<'a> {
    /// Host threads to use, at least one.
    pub threads: usize,
    /// A walker in which no EU thread has ended for this long counts as hung.
    pub hang_timeout: Duration,
    /// Ends the walker early when set: the device is being closed.
    pub stop: &'a AtomicBool,
    /// The programs of the device.
    pub programs: &'a Programs,
    /// How they are executed.
    pub execution: Execution,
    /// Where broken rules are recorded; without it, rules are not checked.
    pub findings: Option<&'a Findings>,
    /// For these: the first thread since the command streamer last waited, if there is one.
    pub since: Option<u32>,
}

/// Counts of executed work; readable while a walker runs.
#[derive(Debug, Default)]
pub struct Statistics {
    /// Groups of all walkers so far.
    pub groups: AtomicU64,
    /// Groups that have ended.
    pub groups_ended: AtomicU64,
    /// EU threads that have ended.
    pub threads: AtomicU64,
    /// EU instructions.
    pub instructions: AtomicU64,
    /// The sum of their execution sizes: a sixteenth of it is the number of SIMD16
    /// instructions that would do the same.
    pub channels: AtomicU64,
}

/// What a host thread keeps from walker to walker: memory that small ones would spend their time on
/// asking for, and other threads.
#[derive(Debug, Default)]
pub struct Kit {
    state: StateCache,
    groups: VecDeque<Box<Resident>>,
    threads: Vacant,
    crew: Crew,
}

/// Runs all groups of `walker`, on the calling thread if they are few and short.
///
/// # Errors
/// The first fault or the hang that ended it; groups that ended earlier have had their effect.
pub fn run(
    walker: &Walker,
    space: &dyn PageTable,
    options: &DispatchOptions<'_>,
    statistics: &Statistics,
    kit: &mut Kit,
) -> Result<(), DispatchError> {
    let per_group = walker.threads_per_group();
    if per_group == 0 || per_group > walker.thread_slots {
        return Err(DispatchError::Start(Fault::Invalid {
            why: format!(
                "a group of {per_group} threads does not fit the device's {} thread slots",
                walker.thread_slots
            ),
        }));
    }
    let count = walker.group_count();
    statistics.groups.fetch_add(count, Ordering::Relaxed);
    let program = options.programs.get(&walker.as_kernel(), walker.grf_count);
    // What is checked is found the same way in every run.
    let threads = match options.findings {
        Some(_) => 1,
        None => options.threads.max(1),
    };
    let workers = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .clamp(1, threads);
    let shared = Shared {
        program,
        walker,
        space,
        options,
        statistics,
        count,
        slots: Slots::new(walker.thread_slots),
        next: Next(AtomicU64::new(0)),
        workers: workers as u64,
        started: Instant::now(),
        ends: AtomicU64::new(0),
        abort: AtomicBool::new(false),
        outcome: Mutex::new(Ok(())),
    };
    let mut crew = std::mem::take(&mut kit.crew);
    let help = |kit: &mut Kit| shared.work(kit, &mut || ());
    crew.work(workers - 1, &help, |more| shared.work(kit, more));
    kit.crew = crew;
    shared
        .outcome
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The first group that no host thread has taken. The host's processors pass it around: what lies
/// beside it must not change hands with it.
#[repr(align(128))]
struct Next(AtomicU64);

/// What the host threads of one walker share.
struct Shared<'a> {
    walker: &'a Walker,
    space: &'a dyn PageTable,
    program: Arc<Program>,
    options: &'a DispatchOptions<'a>,
    statistics: &'a Statistics,
    count: u64,
    workers: u64,
    slots: Slots,
    next: Next,
    started: Instant,
    /// How often a host thread saw threads end.
    ends: AtomicU64,
    abort: AtomicBool,
    outcome: Mutex<Result<(), DispatchError>>,
}

/// What one host thread has.
#[derive(Debug, Default)]
struct Worker {
    /// Its groups.
    resident: VecDeque<Box<Resident>>,
    /// Those that have ended, with their slots.
    vacant: VecDeque<Box<Resident>>,
    /// The groups that it has taken and not started, and how many it takes.
    next: Range<u64>,
    takes: u64,
    /// It counts as waiting for slots.
    waits: bool,
    /// What it has done since it last said so.
    done: Slice,
    groups_ended: u64,
}

impl Shared<'_> {
    /// One host thread's part. It asks for `more` threads once it has worked for a while.
    fn work(&self, kit: &mut Kit, more: &mut dyn FnMut()) {
        let memory = View::new(self.space);
        let code = Code::new(Arc::clone(&self.program), self.options.execution);
        let Kit {
            state,
            groups,
            threads,
            ..
        } = kit;
        state.clear();
        let kernel = self.walker.as_kernel();
        let checks = self
            .options
            .findings
            .map(|all| all.checks(&kernel, self.options.since));
        let host = Host {
            memory: &memory,
            code: &code,
            state,
            checks: checks.as_ref(),
        };
        self.run_groups(&host, (groups, threads), more);
        if let (Some(findings), Some(checks)) = (self.options.findings, &checks) {
            findings.add(checks, &kernel, &memory);
        }
    }

    fn run_groups(
        &self,
        host: &Host<'_>,
        (groups, threads): (&mut VecDeque<Box<Resident>>, &mut Vacant),
        more: &mut dyn FnMut(),
    ) {
        let mut loader = match Loader::new(self.walker, host.memory, std::mem::take(threads)) {
            Ok(loader) => loader,
            Err(fault) => return self.fail(DispatchError::Start(fault)),
        };
        let mut worker = Worker {
            vacant: std::mem::take(groups),
            ..Worker::default()
        };
        let mut more = Some(more);
        let mut idle = 0u32;
        let mut quiet = Quiet::new(self.started);
        let hurries = self.options.hang_timeout < SHORT;
        loop {
            if self.options.stop.load(Ordering::Relaxed) {
                self.fail(DispatchError::Stopped);
            }
            if self.abort.load(Ordering::Relaxed) {
                self.report_live(&worker.resident);
                break;
            }
            let schedule = Schedule::of(self.walker, host);
            if schedule.starts_another(&worker.resident) {
                self.start_group(&mut worker, schedule);
            }
            if worker.resident.is_empty() && worker.next.is_empty() {
                break;
            }
            if let Some(start) = more.take_if(|_| self.started.elapsed() > ALONE) {
                start();
            }
            host.memory.refresh();
            let slice = self.pass(&mut worker, host, &mut loader, schedule);
            if slice.executed.instructions == 0 {
                // All wait: for slots that other host threads hold, or for ever.
                quiet.sleep(Duration::from_micros(50));
                idle = idle.saturating_add(1);
            } else {
                idle = 0;
            }
            if idle > PATIENCE && host.checks.is_some() {
                // There are no other host threads, and no more groups that could start.
                self.hang();
            }
            worker.done += slice;
            if slice.executed.instructions == 0
                || hurries && slice.ended == 0
                || worker.done.executed.instructions >= REPORTED
            {
                if worker.done.ended != 0 {
                    self.ends.fetch_add(1, Ordering::Relaxed);
                } else if quiet.exceeds(self.patience(host), self.ends.load(Ordering::Relaxed)) {
                    self.hang();
                }
                self.report(&mut worker);
            }
        }
        self.report(&mut worker);
        if worker.waits {
            self.slots.wait(false);
        }
        for group in &mut worker.vacant {
            self.slots.put(group.slots_mut());
        }
        worker.vacant.truncate(KEPT_GROUPS);
        *groups = worker.vacant;
        *threads = loader.into_vacant();
        threads.truncate(KEPT_THREADS);
    }

    /// How long no thread may end. A kernel that has broken a rule may well wait for ever, and what it broke is told when
    /// it ends.
    fn patience(&self, host: &Host<'_>) -> Duration {
        match host.checks {
            Some(checks) if checks.count() != 0 => self.options.hang_timeout / 4,
            _ => self.options.hang_timeout,
        }
    }

    /// Starts the next group if there is one and it has slots.
    fn start_group(&self, worker: &mut Worker, schedule: Schedule) {
        if worker.next.is_empty() {
            worker.next = self.next_groups(worker.takes);
        }
        let index = worker.next.start;
        if worker.next.is_empty() {
            return;
        }
        let new = || Box::new(Resident::vacant());
        let mut group = worker.vacant.pop_back().unwrap_or_else(new);
        let slots = group.slots_mut();
        let has = !slots.is_empty()
            || self
                .slots
                .take(self.walker.threads_per_group() as usize, slots);
        if has == worker.waits {
            worker.waits = !has;
            self.slots.wait(!has);
        }
        if has {
            worker.next.start += 1;
            let index = schedule.place(index, self.count);
            group.start(self.walker, self.walker.group_at(index));
            worker.resident.push_back(group);
        } else {
            worker.vacant.push_back(group);
        }
    }

    /// Adds what the host thread has done to the statistics.
    fn report(&self, worker: &mut Worker) {
        let (done, groups) = (std::mem::take(&mut worker.done), worker.groups_ended);
        worker.groups_ended = 0;
        let statistics = self.statistics;
        for (total, part) in [
            (&statistics.instructions, done.executed.instructions),
            (&statistics.channels, done.executed.channels),
            (&statistics.threads, done.ended),
            (&statistics.groups_ended, groups),
        ] {
            total.fetch_add(part, Ordering::Relaxed);
        }
    }

    /// Gives each resident group one slice. Returns what they did in total.
    fn pass(
        &self,
        worker: &mut Worker,
        host: &Host<'_>,
        loader: &mut Loader,
        schedule: Schedule,
    ) -> Slice {
        let mut all = Slice::default();
        for _ in 0..worker.resident.len() {
            let Some(mut group) = worker.resident.pop_front() else {
                break;
            };
            let (budget, mut slice) = (schedule.slice(&group), Slice::default());
            let next = &mut worker.next;
            if let Err(error) = group.run(self.walker, host, loader, budget, next, &mut slice) {
                self.fail(error);
            }
            all += slice;
            worker.groups_ended += slice.groups;
            let ran = (slice.executed.instructions / (slice.groups + 1)).max(1);
            worker.takes = (TAKEN / ran).clamp(1, MOST_TAKEN);
            if group.is_finished() {
                worker.groups_ended += 1;
                worker.vacant.push_back(group);
            } else {
                worker.resident.push_back(group);
            }
        }
        if self.slots.is_wanted() {
            for group in &mut worker.vacant {
                self.slots.put(group.slots_mut());
            }
        }
        all
    }

    /// Takes `count` groups, or fewer towards the end, so that all host threads end at once.
    fn next_groups(&self, count: u64) -> Range<u64> {
        let seen = self.next.0.load(Ordering::Relaxed);
        let fair = self.count.saturating_sub(seen) / (4 * self.workers);
        let count = count.min(fair).max(1);
        let first = self.next.0.fetch_add(count, Ordering::Relaxed);
        first.min(self.count)..first.saturating_add(count).min(self.count)
    }

    /// Ends the walker: no thread has ended for too long.
    fn hang(&self) {
        self.fail(DispatchError::Hang {
            live: 0,
            threads: Vec::new(),
        });
    }

    /// Ends the walker with `error`, unless it has already ended with another.
    fn fail(&self, error: DispatchError) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if outcome.is_ok() {
            *outcome = Err(error);
        }
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Adds this host thread's live threads to the report of a hang.
    fn report_live(&self, resident: &VecDeque<Box<Resident>>) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(DispatchError::Hang { live, threads }) = &mut *outcome {
            for at in resident
                .iter()
                .flat_map(|group| group.live_threads(self.walker))
            {
                *live += 1;
                if threads.len() < MAX_REPORTED {
                    threads.push(at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};
    use isa_encoder::{AsmOptions, assemble};
    use softgpu_memory::AddressSpace;

    use super::*;
    use crate::dispatch::walker::tests::walker;

    const CODE: GpuAddress = GpuAddress::new(0x1_0000);
    const DATA: GpuAddress = GpuAddress::new(0x10_0000);
    const PAGE: u64 = 0x1000;

    /// Each thread of a group stores its place to its group's page.
    const STORES: &str = "//.platform dg2
         (W) mul (1|M0) r20.0<1>:ud r0.1<0;1,0>:ud 4096:uw
         (W) and (1|M0) r22.0<1>:ud r0.2<0;1,0>:ud 0xff:ud
         (W) shl (1|M0) r21.0<1>:ud r22.0<0;1,0>:ud 2:ud
         (W) add (1|M0) r20.0<1>:ud r20.0<0;1,0>:ud r21.0<0;1,0>:ud {I@1}
         (W) add (1|M0) r20.0<1>:ud r20.0<0;1,0>:ud 0x100000:ud {I@1}
         (W) mov (1|M0) r20.1<1>:ud 0:ud
         (W) shl (1|M0) r21.0<1>:ud r0.1<0;1,0>:ud 8:ud
         (W) add (1|M0) r22.0<1>:ud r22.0<0;1,0>:ud r21.0<0;1,0>:ud {I@1}
         (W) store.ugm.d32x1t.a64 (1|M0) [r20:1] r22:1 {I@1}
         (W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud
         (W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n";

    #[test]
    fn a_fault_is_of_its_own_group_where_others_began_before_it_in_one_run() {
        const GROUPS: u32 = 200;
        const BOUND: u32 = 117;
        let code = assemble(STORES, &AsmOptions::default())
            .expect("it assembles")
            .code;
        for execution in [Execution::Interpret, Execution::Compile(None)] {
            let bound = u64::from(BOUND) * PAGE;
            let space =
                AddressSpace::with_anonymous(&[(CODE, PAGE), (DATA, bound)]).expect("memory");
            let view = space.view();
            view.write(CODE, &code).expect("bound");
            let mut walker = Walker {
                family: Family::XeHpg,
                threads: [3, 1, 1],
                groups: [0..GROUPS, 0..1, 0..1],
                ..walker()
            };
            walker.bases.instruction = CODE;
            let (stop, programs) = (AtomicBool::new(false), Programs::default());
            let options = DispatchOptions {
                threads: 1,
                hang_timeout: Duration::from_secs(60),
                stop: &stop,
                programs: &programs,
                execution,
                findings: None,
                since: None,
            };
            let (statistics, mut kit) = (Statistics::default(), Kit::default());
            let outcome = run(&walker, &space, &options, &statistics, &mut kit);
            let Err(DispatchError::Fault { at, fault }) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!(
                (at.group, at.thread),
                ([BOUND, 0, 0], 0),
                "{fault}, {execution:?}"
            );
            for group in 0..BOUND {
                for thread in 0..3 {
                    let address = DATA.offset(u64::from(group) * PAGE + u64::from(thread) * 4);
                    assert_eq!(view.read_u32(address).ok(), Some(group << 8 | thread));
                }
            }
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            assert_eq!(count(&statistics.groups_ended), BOUND.into());
            assert_eq!(count(&statistics.threads), 3 * u64::from(BOUND));
            // The one at fault stops at its ninth.
            assert_eq!(
                count(&statistics.instructions),
                11 * 3 * u64::from(BOUND) + 8
            );
        }
    }
}
