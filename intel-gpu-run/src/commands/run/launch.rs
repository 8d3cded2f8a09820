//! Launching, with a progress bar on terminals.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use umd::{
    CommandBatch, Device, DeviceError, Event, Kernel, NdRange, Queue, Statistics, Timestamps,
};

use super::Args;
use crate::exit::Error;
use crate::trace::{self, Trace};

/// How often the progress bar moves.
const TICK: Duration = Duration::from_millis(100);

/// How much longer than `--timeout` the host waits: the device's own hang check fires at the
/// timeout, and its report says more than a missed deadline. On a busy host it fires later, since it counts
/// processor time.
fn grace(timeout: Duration) -> Duration {
    timeout
        .saturating_mul(4)
        .saturating_add(Duration::from_secs(3))
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct Launched {
    /// The time of each launch on the device.
    pub times: Vec<Duration>,
    /// What the software GPU counted; `None` on silicon.
    pub statistics: Option<Statistics>,
    /// What the kernel printed.
    pub printed: Vec<u8>,
    /// What the first launch submitted to the kernel driver, if that is to be shown.
    pub batch: Option<CommandBatch>,
    /// What ended the last launch early, if anything did.
    pub failure: Option<Error>,
}

impl Launched {
    /// The time of all launches.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// Launches the kernel as often as requested, one launch after the other, until one fails.
pub fn launch(
    trace: &mut Option<Trace>,
    device: &Device,
    queue: &Queue,
    kernel: &Kernel,
    range: &NdRange,
    args: &Args,
) -> Launched {
    let before = device.statistics();
    let mut launched = Launched::default();
    for _ in 0..args.repeat {
        if let Err(error) = once(&mut launched, trace, device, queue, kernel, range, args) {
            launched.failure = Some(error);
            break;
        }
    }
    launched.statistics = match (before, device.statistics()) {
        (Some(before), Some(after)) => Some(difference(before, after)),
        _ => None,
    };
    launched
}

/// One launch: [`Error::Device`] if it faults, hangs or takes too long.
fn once(
    launched: &mut Launched,
    trace: &mut Option<Trace>,
    device: &Device,
    queue: &Queue,
    kernel: &Kernel,
    range: &NdRange,
    args: &Args,
) -> Result<(), Error> {
    let mut begin = Instant::now();
    let event = trace::host(trace, "enqueue", || {
        begin = Instant::now();
        queue.enqueue(kernel, range, &[])
    })?;
    if launched.batch.is_none() {
        launched.batch = event.batch().cloned();
    }
    let ended = trace::host(trace, "wait", || wait(device, &event, args.timeout));
    let wall = begin.elapsed();
    launched.printed.extend(event.printed());
    let stamps = event.timestamps();
    launched.times.push(stamps.map_or(wall, on_device));
    if let (Some(trace), Some(stamps)) = (trace, stamps) {
        trace.device(&kernel.info().name, begin, stamps);
    }
    ended
}

fn on_device(stamps: Timestamps) -> Duration {
    stamps.ended.saturating_sub(stamps.started)
}

fn difference(before: Statistics, after: Statistics) -> Statistics {
    Statistics {
        threads: after.threads.saturating_sub(before.threads),
        instructions: after.instructions.saturating_sub(before.instructions),
        lanes: after.lanes.saturating_sub(before.lanes),
        ..after
    }
}

fn wait(device: &Device, event: &Event, timeout: Duration) -> Result<(), Error> {
    let grace = if device.statistics().is_some() {
        grace(timeout)
    } else {
        Duration::ZERO
    };
    let begin = Instant::now();
    let bar = progress_bar();
    loop {
        let left = timeout
            .saturating_add(grace)
            .saturating_sub(begin.elapsed());
        match event.wait(left.min(TICK)) {
            Err(umd::Error::Device(DeviceError::Timeout { .. })) if !left.is_zero() => {}
            Err(umd::Error::Device(DeviceError::Timeout { what, .. })) => {
                return Err(Error::Device(format!(
                    "{what} did not end within --timeout {} s",
                    timeout.as_secs_f64()
                )));
            }
            result => {
                bar.finish_and_clear();
                return Ok(result?);
            }
        }
        if let Some(now) = device.statistics() {
            bar.set_length(now.groups_total);
            bar.set_position(now.groups_done);
        }
        bar.tick();
    }
}

/// A bar on stderr if that is a terminal, otherwise one that draws nothing.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let template = "{elapsed_precise} {wide_bar} {human_pos}/{human_len} work-groups, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
