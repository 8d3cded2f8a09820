//! Faults of an engine, and its reset.

use std::time::Duration;

use batchbuffer::Engine as Class;
use batchbuffer::execlists::Execlists;
use batchbuffer::registers::device::RESET;
use batchbuffer::registers::own;
use devinfo::GpuAddress;

use super::bus::{Bus, poll};
use super::engine::Engine;
use crate::{ErrorKind, ErrorReport, KmdResult};

/// How long a reset may take (i915 `gen6_hw_domain_reset` waits 2 ms): a model needs longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long engine state is in flux after a reset (i915 `gen6_hw_domain_reset`).
const SETTLE: Duration = Duration::from_micros(50);

/// Bits of the reset control register (i915 `RESET_CTL_*`).
mod control {
    pub const REQUEST: u32 = 1;
    pub const READY: u32 = 1 << 1;
    pub const CATASTROPHE: u32 = 1 << 2;
}

/// A fault register's "there is one".
const FAULT_VALID: u32 = 1;

/// The number of an engine in the fault register (i915 `RCS0_HW` and the like).
const fn fault_number(class: Class) -> u32 {
    match class {
        Class::Render => 0,
        Class::Video => 1,
        Class::Blitter => 2,
        Class::VideoEnhance => 3,
        Class::Compute => 4,
    }
}

/// Takes the page fault that an engine has made, if it has made one.
pub(super) fn take_fault(engine: &Engine, row: &Execlists) -> KmdResult<Option<ErrorReport>> {
    let bus = engine.bus();
    let fault = bus.read(row.faults.fault)?;
    if fault & FAULT_VALID == 0 || fault >> 12 & 0x1f != fault_number(engine.class) {
        return Ok(None);
    }
    let low = bus.read(row.faults.address_low)?;
    let high = bus.read(row.faults.address_high)?;
    bus.write(row.faults.fault, fault & !FAULT_VALID)?;
    let address = GpuAddress::new(u64::from(high & 0xf) << 44 | u64::from(low) << 12);
    let table = match high & 1 << 4 {
        0 => "the address space",
        _ => "the global GTT",
    };
    Ok(Some(ErrorReport {
        kind: ErrorKind::PageFault,
        summary: format!("page fault at {address}, in {table}: nothing is bound in this page"),
        details: Vec::new(),
        address: Some(address),
        instruction: None,
    }))
}

/// The error that an engine's command streamer has found, if it has.
pub(super) fn take_error(engine: &Engine) -> KmdResult<Option<ErrorReport>> {
    let bus = engine.bus();
    let errors = bus.read(engine.register(own::ERRORS))?;
    if errors == 0 {
        return Ok(None);
    }
    // Bits are cleared by writing them.
    bus.write(engine.register(own::ERRORS), errors)?;
    report(
        engine,
        ErrorKind::Other,
        &format!("the engine stopped with errors {errors:#x}"),
    )
    .map(Some)
}

/// The report of an engine that makes no progress.
pub(super) fn hang(engine: &Engine, limit: Duration) -> KmdResult<ErrorReport> {
    let what = format!("hang: the batch made no progress for {limit:?}");
    report(engine, ErrorKind::Hang, &what)
}

/// A report of where the command streamer is.
fn report(engine: &Engine, kind: ErrorKind, what: &str) -> KmdResult<ErrorReport> {
    let read = |own| engine.bus().read(engine.register(own));
    let (low, high) = (read(own::ACTIVE_HEAD)?, read(own::ACTIVE_HEAD_HIGH)?);
    let at = GpuAddress::new(u64::from(high) << 32 | u64::from(low));
    let command = read(own::LAST_COMMAND)?;
    Ok(ErrorReport {
        kind,
        summary: format!("{what}; the {} engine was reset", engine.class),
        details: vec![format!("it was at {at}, with the command {command:#010x}")],
        address: None,
        instruction: None,
    })
}

/// Resets an engine: what it ran is lost, and it takes lists again (i915 `gen8_engine_reset_prepare`,
/// `gen6_hw_domain_reset`).
pub(super) fn reset(engine: &mut Engine) -> KmdResult<()> {
    let control = engine.register(own::RESET_CONTROL);
    let enable = |bits: u32| bits << 16 | bits;
    let bus = engine.bus();
    let now = bus.read(control)?;
    if now & control::CATASTROPHE != 0 {
        bus.write(control, enable(control::CATASTROPHE))?;
        let clear = (control::CATASTROPHE, 0);
        poll(bus, control, clear, PATIENCE, "clearing an engine's error")?;
    } else if now & control::READY == 0 {
        bus.write(control, enable(control::REQUEST))?;
        let ready = (control::READY, control::READY);
        poll(bus, control, ready, PATIENCE, "preparing an engine's reset")?;
    }
    let domain = engine.domain();
    bus.write(RESET, domain)?;
    poll(bus, RESET, (domain, 0), PATIENCE, "resetting an engine")?;
    std::thread::sleep(SETTLE);
    bus.write(control, control::REQUEST << 16)?;
    engine.start()
}

/// Keeps the device's registers awake, or lets them sleep.
pub(super) fn force_wake(bus: &dyn Bus, row: &Execlists, awake: bool) -> KmdResult<()> {
    for domain in row.force_wake {
        let bit = u32::from(awake);
        bus.write(domain.request, 1 << 16 | bit)?;
        poll(bus, domain.granted, (1, bit), PATIENCE, "waking the device")?;
    }
    Ok(())
}
