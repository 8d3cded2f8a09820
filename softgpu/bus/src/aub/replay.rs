//! Running what a file captured.

use std::fmt;
use std::time::Duration;

use devinfo::GpuAddress;
use softgpu_device::Failure;
use softgpu_memory::{Fault, View};

use super::{AubError, Packet, Packets, Space};
use crate::{Bank, BusError, Machine};

/// What a replay did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Packets that were read.
    pub packets: u64,
    /// Packets that compared something.
    pub compared: u64,
    /// What differs from what the file expects.
    pub differences: Vec<Difference>,
}

/// A comparison of the file that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The packet's offset in the file.
    pub offset: usize,
    /// What was compared.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet at {:#x}: {}", self.offset, self.what)
    }
}

/// Why a replay ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file.
    #[error(transparent)]
    File(#[from] AubError),
    /// The device refused a packet.
    #[error("packet at {offset:#x}: {error}")]
    Refused {
        /// The packet's offset.
        offset: usize,
        /// Why.
        error: BusError,
    },
    /// What the global GTT should show is not there.
    #[error("packet at {offset:#x}: {fault}")]
    Fault {
        /// The packet's offset.
        offset: usize,
        /// What was accessed.
        fault: Fault,
    },
    /// Work that was submitted failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// Work that did not end.
    #[error("work did not end within {0:?}")]
    Unfinished(Duration),
    /// A register that never became what the file waits for.
    #[error(
        "packet at {offset:#x}: register {register:#x} is {value:#x}, and the file waits for {want}"
    )]
    Endless {
        /// The packet's offset.
        offset: usize,
        /// The register.
        register: u32,
        /// What it holds.
        value: u32,
        /// What was wanted.
        want: String,
    },
}

/// Runs the packets of a file on a device that is new.
///
/// Comparisons that do not hold are collected. Work is waited for where the file waits for it, where
/// it compares, and at its end; each wait ends at `patience`.
///
/// # Errors
/// See [`ReplayError`].
pub fn replay(machine: &Machine, file: &[u8], patience: Duration) -> Result<Replay, ReplayError> {
    let mut done = Replay::default();
    for packet in Packets::new(file) {
        let (offset, packet) = packet?;
        done.packets += 1;
        let refused = |error| ReplayError::Refused { offset, error };
        match packet {
            Packet::Version { .. } | Packet::Comment(_) | Packet::Context => {}
            Packet::WriteRegister {
                offset: register,
                mask,
                value,
            } => {
                let kept = match mask {
                    u32::MAX => 0,
                    mask => machine.read_register(register).map_err(refused)? & !mask,
                };
                let value = kept | value & mask;
                machine.write_register(register, value).map_err(refused)?;
            }
            Packet::PollRegister {
                offset: register,
                mask,
                value,
                differs,
            } => {
                settle(machine, patience)?;
                let found = machine.read_register(register).map_err(refused)?;
                if (found & mask == value & mask) == differs {
                    let not = if differs { "anything but " } else { "" };
                    return Err(ReplayError::Endless {
                        offset,
                        register,
                        value: found,
                        want: format!("{not}{:#x} under the mask {mask:#x}", value & mask),
                    });
                }
            }
            Packet::CompareRegister {
                offset: register,
                mask,
                value,
            } => {
                settle(machine, patience)?;
                done.compared += 1;
                let found = machine.read_register(register).map_err(refused)?;
                if found & mask != value & mask {
                    let what = format!(
                        "register {register:#x} is {:#x}, expected {:#x}",
                        found & mask,
                        value & mask
                    );
                    done.differences.push(Difference { offset, what });
                }
            }
            Packet::Write {
                space,
                address,
                data,
            } => write(machine, space, address, data, offset)?,
            Packet::Compare {
                space,
                address,
                data,
                differs,
            } => {
                settle(machine, patience)?;
                done.compared += 1;
                let found = read(machine, space, address, data.len(), offset)?;
                let first = found
                    .iter()
                    .zip(data)
                    .position(|(found, want)| found != want);
                let what = match (first, differs) {
                    (Some(at), false) => format!(
                        "{space} at {:#x} is {:#04x}, expected {:#04x}",
                        address + at as u64,
                        found[at],
                        data[at]
                    ),
                    (None, true) => format!(
                        "{space} at {address:#x}: {} bytes should differ from the file's",
                        data.len()
                    ),
                    _ => continue,
                };
                done.differences.push(Difference { offset, what });
            }
        }
    }
    settle(machine, patience)?;
    Ok(done)
}

/// Waits for all work.
fn settle(machine: &Machine, patience: Duration) -> Result<(), ReplayError> {
    match machine.settle(patience)? {
        true => Ok(()),
        false => Err(ReplayError::Unfinished(patience)),
    }
}

fn write(
    machine: &Machine,
    space: Space,
    address: u64,
    data: &[u8],
    offset: usize,
) -> Result<(), ReplayError> {
    let refused = |error| ReplayError::Refused { offset, error };
    match space {
        Space::System => machine.write(Bank::System, address, data).map_err(refused),
        Space::Local => machine.write(Bank::Local, address, data).map_err(refused),
        Space::Global => {
            let view = View::new(&*machine.global);
            let written = view.write(GpuAddress::new(address), data);
            written.map_err(|fault| ReplayError::Fault { offset, fault })
        }
        Space::GlobalEntries => {
            let (entries, _) = data.as_chunks::<8>();
            for (index, entry) in (address / 8..).zip(entries) {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                let entry = u64::from_le_bytes(*entry);
                machine.set_global_entry(index, entry).map_err(refused)?;
            }
            Ok(())
        }
    }
}

fn read(
    machine: &Machine,
    space: Space,
    address: u64,
    bytes: usize,
    offset: usize,
) -> Result<Vec<u8>, ReplayError> {
    let refused = |error| ReplayError::Refused { offset, error };
    let mut out = vec![0; bytes];
    match space {
        Space::System => machine.read(Bank::System, address, &mut out),
        Space::Local => machine.read(Bank::Local, address, &mut out),
        Space::Global => {
            let view = View::new(&*machine.global);
            let read = view.read(GpuAddress::new(address), &mut out);
            read.map_err(|fault| ReplayError::Fault { offset, fault })?;
            return Ok(out);
        }
        Space::GlobalEntries => {
            for (index, entry) in (address / 8..).zip(out.chunks_mut(8)) {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                let value = machine.global_entry(index).map_err(refused)?;
                entry.copy_from_slice(&value.to_le_bytes()[..entry.len()]);
            }
            return Ok(out);
        }
    }
    .map_err(refused)?;
    Ok(out)
}
