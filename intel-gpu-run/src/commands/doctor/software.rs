//! The software GPU, tried out; and the test kernels, which run on any device.

use std::time::Duration;

use devinfo::{PLATFORMS, Platform};
use umd::{Device, DeviceSpec, QueueOptions};

use super::{Finding, Verdict};

/// Each platform of the software GPU.
pub(super) fn findings() -> Vec<Finding> {
    PLATFORMS.iter().map(software_platform).collect()
}

/// A platform works if kernels run through each of its kernel drivers.
fn software_platform(platform: &Platform) -> Finding {
    let subject = format!("soft:{platform}");
    let what = format!("{}, {}", platform.title, platform.family);
    let mut instructions = 0;
    let mut drivers = Vec::new();
    for driver in platform.kernel_drivers {
        match kernels_run(&format!("{subject}@{driver}")) {
            Ok(count) => instructions += count.unwrap_or_default(),
            Err(why) => {
                let text = format!("{what}; through {driver}: {why}");
                return Finding::new(Verdict::Fail, &subject, text);
            }
        }
        drivers.push(driver.to_string());
    }
    let drivers = drivers.join(" and ");
    Finding::new(
        Verdict::Pass,
        &subject,
        format!("{what}; kernels ran through {drivers}, {instructions} EU instructions"),
    )
}

/// How long the test kernels may take; only a hang takes that long.
const DEADLINE: Duration = Duration::from_secs(30);

/// Runs the kernels that copy and fill buffers, which Intel's compiler made for the platform's
/// family, and returns how many EU instructions they took, which silicon does not count.
pub(super) fn kernels_run(device: &str) -> Result<Option<u64>, String> {
    let spec: DeviceSpec = device.parse().map_err(|e| format!("{e}"))?;
    let device = Device::open(&spec).map_err(|e| e.to_string())?;
    let got = copied(&device).map_err(|e| e.to_string())?;
    if let Some(at) = (0..SIZE).find(|at| got.get(*at) != Some(&expected(*at))) {
        return Err(format!(
            "a test kernel computed nonsense: byte {at} of {SIZE} is {:?} and should be {}",
            got.get(at),
            expected(at)
        ));
    }
    match device
        .statistics()
        .map(|statistics| statistics.instructions)
    {
        Some(0) => Err("no EU instruction ran".to_owned()),
        count => Ok(count),
    }
}

/// Bytes of the test's buffers, and the part of one that is copied to a different place in the
/// other: neither begins at a whole dword.
const SIZE: usize = 1024;
const FROM: usize = 3;
const TO: usize = 101;
const LENGTH: usize = 777;
const PATTERN: [u8; 4] = [1, 20, 33, 244];

fn source_byte(at: usize) -> u8 {
    (at * 7 % 251) as u8
}

fn expected(at: usize) -> u8 {
    if (TO..TO + LENGTH).contains(&at) {
        source_byte(at - TO + FROM)
    } else {
        PATTERN[at % PATTERN.len()]
    }
}

fn copied(device: &Device) -> Result<Vec<u8>, umd::Error> {
    let source = device.buffer(SIZE as u64)?;
    let bytes: Vec<u8> = (0..SIZE).map(source_byte).collect();
    source.write(0, &bytes)?;
    let destination = device.buffer(SIZE as u64)?;
    let queue = device.queue(QueueOptions::default())?;
    queue.fill_buffer((&destination, 0), SIZE as u64, &PATTERN, &[])?;
    let event = queue.copy_buffer(
        (&source, FROM as u64),
        (&destination, TO as u64),
        LENGTH as u64,
        &[],
    )?;
    event.wait(DEADLINE)?;
    let mut got = vec![0; SIZE];
    destination.read(0, &mut got)?;
    Ok(got)
}
