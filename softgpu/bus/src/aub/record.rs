//! Writing a file of what a client without a kernel driver does.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use batchbuffer::Engine;
use batchbuffer::execlists::{Execlists, Submission, descriptor, execlists, place};
use batchbuffer::paging::{self, ADDRESS, LEVELS, PAGE, PRESENT};
use batchbuffer::registers::device::RESET;
use batchbuffer::registers::{base, own};
use devinfo::{GpuAddress, Target};
use kmd_iface::baremetal::Bus;
use kmd_iface::{Diagnostics, KmdError, KmdResult, UserMemory};
use softgpu_memory::user;

use super::packet::{Packet, Space, number};

/// The bytes of a page, as the file has them.
type Page = [u8; PAGE as usize];

/// A bus that writes what its client does to an AUB file, and does it.
///
/// Pages that have changed since they were written last are written before each submission. A client
/// that submits to an idle engine, as [`kmd_iface::baremetal`] does, thus leaves a file that computes
/// the same when it is replayed.
pub struct Recorder {
    bus: Arc<dyn Bus>,
    state: Mutex<State>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recorder({:?})", self.bus)
    }
}

struct State {
    out: Box<dyn Write + Send>,
    /// The first error of the file: nothing is written after it.
    failed: Option<io::Error>,
    regions: BTreeMap<u64, UserMemory>,
    /// What the file has written to each page.
    written: HashMap<u64, Box<Page>>,
    entries: HashMap<u32, u64>,
    /// The registers of submission queues.
    queues: HashMap<u32, u32>,
    /// The image of the context that was submitted last.
    latest: Option<u32>,
}

impl Recorder {
    /// Records what is done on `bus`.
    ///
    /// # Errors
    /// Files have no number for the platform.
    pub fn new(bus: Arc<dyn Bus>, out: impl Write + Send + 'static) -> KmdResult<Self> {
        let platform = bus.target().platform;
        let Some(device) = number(platform) else {
            return Err(KmdError::BareMetal(format!(
                "AUB files have no number for {platform}: bdw, skl, icl, tgl and dg2 have one"
            )));
        };
        let mut state = State {
            out: Box::new(out),
            failed: None,
            regions: BTreeMap::new(),
            written: HashMap::new(),
            entries: HashMap::new(),
            queues: HashMap::new(),
            latest: None,
        };
        state.put(&Packet::Version {
            device,
            tool: "intel-gpu-run".to_owned(),
        });
        Ok(Self {
            bus,
            state: Mutex::new(state),
        })
    }

    /// Expects that memory is what it is now, as the context sees it that was submitted last. Unbound
    /// pages are left out.
    pub fn expect(&self, address: GpuAddress, bytes: u64) {
        let mut state = self.state();
        let mut done = 0;
        while done < bytes {
            let at = address.offset(done);
            let count = (bytes - done).min(PAGE - at.get() % PAGE);
            if let Some(physical) = state.translate(at) {
                let mut data = vec![0; count as usize];
                if state.read(physical, &mut data) {
                    state.put(&Packet::Compare {
                        space: Space::System,
                        address: physical,
                        data: &data,
                        differs: false,
                    });
                }
            }
            done += count;
        }
    }

    /// A remark.
    pub fn comment(&self, text: &str) {
        self.state().put(&Packet::Comment(text.to_owned()));
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first error of a write.
    pub fn finish(&self) -> io::Result<()> {
        let mut state = self.state();
        match state.failed.take() {
            Some(error) => Err(error),
            None => state.out.flush(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self) -> &'static Execlists {
        execlists(self.bus.target().platform.family)
    }

    /// The engine that a write to a register makes take a list.
    fn submits(&self, offset: u32, value: u32) -> Option<Engine> {
        let wanted = match self.row().submission {
            Submission::Port => own::SUBMIT_PORT,
            Submission::Queue | Submission::Firmware if value & 1 != 0 => own::EXECLIST_CONTROL,
            Submission::Queue | Submission::Firmware => return None,
        };
        let engines = [Engine::Render, Engine::Blitter, Engine::Compute];
        engines
            .into_iter()
            .find(|engine| base(*engine) + wanted == offset)
    }
}

impl State {
    fn put(&mut self, packet: &Packet<'_>) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(&packet.encode())
        {
            self.failed = Some(error);
        }
    }

    /// Reads memory that a client has mapped.
    fn read(&self, address: u64, out: &mut [u8]) -> bool {
        let Some((&first, memory)) = self.regions.range(..=address).next_back() else {
            return false;
        };
        let inside = address - first;
        let fits = inside + out.len() as u64 <= memory.len() as u64;
        fits && user::copy_in(memory.address() as u64 + inside, out).is_ok()
    }

    /// Writes the pages that have changed.
    fn update(&mut self) {
        let regions: Vec<_> = self.regions.iter().map(|(&at, m)| (at, m.len())).collect();
        for (first, bytes) in regions {
            for address in (first..first + bytes as u64).step_by(PAGE as usize) {
                self.update_page(address);
            }
        }
    }

    fn update_page(&mut self, address: u64) {
        let mut page: Page = [0; PAGE as usize];
        if !self.read(address, &mut page) {
            return;
        }
        let known = self.written.get(&address);
        if known.is_some_and(|known| **known == page) {
            return;
        }
        let is_new = known.is_none();
        self.written.insert(address, Box::new(page));
        // Memory begins to exist when it is written: of a page of zeros, a qword is enough.
        let data = match is_new && page.iter().all(|byte| *byte == 0) {
            true => &page[..8],
            false => &page[..],
        };
        self.put(&Packet::Write {
            space: Space::System,
            address,
            data,
        });
    }

    /// Where the latest context has an address.
    fn translate(&self, address: GpuAddress) -> Option<u64> {
        let image = u64::from(self.latest?);
        let register = |offset: u64| {
            let at = image + offset;
            let entry = self.entries.get(&((at / PAGE) as u32))?;
            let mut dword = [0; 4];
            let physical = (entry & ADDRESS) + at % PAGE;
            self.read(physical, &mut dword)
                .then(|| u32::from_le_bytes(dword))
        };
        let high = u64::from(register(place::ROOT_HIGH)?);
        let mut table = high << 32 | u64::from(register(place::ROOT_LOW)?);
        for level in (0..LEVELS).rev() {
            let mut entry = [0; 8];
            let index = paging::index(address, level) as u64;
            if !self.read((table & ADDRESS) + 8 * index, &mut entry) {
                return None;
            }
            table = u64::from_le_bytes(entry);
            (table & PRESENT != 0).then_some(())?;
        }
        Some((table & ADDRESS) + address.get() % PAGE)
    }

    /// Remembers which context is submitted.
    fn submitted(&mut self, low: u32) {
        if u64::from(low) & descriptor::VALID != 0 {
            self.latest = Some((u64::from(low) & descriptor::IMAGE) as u32);
        }
    }
}

impl Bus for Recorder {
    fn target(&self) -> Target {
        self.bus.target()
    }

    fn pci_id(&self) -> u16 {
        self.bus.pci_id()
    }

    fn read(&self, offset: u32) -> KmdResult<u32> {
        self.bus.read(offset)
    }

    fn write(&self, offset: u32, value: u32) -> KmdResult<()> {
        // A file is replayed on a device that fails at once, and needs no reset.
        if offset != RESET {
            let row = self.row();
            let mut state = self.state();
            if let Some(engine) = self.submits(offset, value) {
                let idle = row.idle_status | row.busy_status;
                state.put(&Packet::PollRegister {
                    offset: base(engine) + own::EXECLIST_STATUS,
                    mask: idle,
                    value: row.idle_status,
                    differs: false,
                });
                state.update();
                let low = match row.submission {
                    Submission::Port => value,
                    Submission::Queue | Submission::Firmware => {
                        let first = base(engine) + own::SUBMIT_QUEUE;
                        state.queues.get(&first).copied().unwrap_or(0)
                    }
                };
                state.submitted(low);
            }
            state.queues.insert(offset, value);
            state.put(&Packet::WriteRegister {
                offset,
                mask: u32::MAX,
                value,
            });
        }
        self.bus.write(offset, value)
    }

    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()> {
        let mut state = self.state();
        state.entries.insert(index, entry);
        state.put(&Packet::Write {
            space: Space::GlobalEntries,
            address: 8 * u64::from(index),
            data: &entry.to_le_bytes(),
        });
        drop(state);
        self.bus.write_entry(index, entry)
    }

    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()> {
        self.bus.map(address, memory)?;
        self.state().regions.insert(address, memory.clone());
        Ok(())
    }

    fn unmap(&self, address: u64, bytes: u64) -> KmdResult<()> {
        self.state().regions.remove(&address);
        self.bus.unmap(address, bytes)
    }

    fn flush(&self) -> KmdResult<()> {
        self.bus.flush()
    }

    fn wait(&self, limit: Duration) {
        self.bus.wait(limit);
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        self.bus.diagnostics()
    }
}
