//! What the submissions of a file consist of, as text: contexts, rings, batches, payloads, states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use batchbuffer::execlists::{Submission, descriptor, execlists, place};
use batchbuffer::packets::{
    compute_walker as cw, gpgpu_walker as gw, media_curbe_load as curbe,
    media_interface_descriptor_load as load, mi_batch_buffer_start as start,
    state_base_address as sba,
};
use batchbuffer::print::Fields;
use batchbuffer::registers::{base, own};
use batchbuffer::states::{interface_descriptor_data as idd, render_surface_state as rss};
use batchbuffer::{Batch, DecodeError, Decoded, Engine, Field, PacketId, View as Fielded};
use devinfo::{Family, GpuAddress, Platform};
use softgpu_device::{Execution, Settings};
use softgpu_memory::{PAGE_BYTES, PageTable, View};

use super::packet::{Packet, Space};
use crate::{Bank, BusError, Machine};

/// The most packets of commands that one submission is shown with.
const MOST_COMMANDS: usize = 100_000;
/// The most bytes of a payload that are shown.
const MOST_BYTES: u64 = 4096;
/// The most entries of a binding table that are shown: those that a message can name.
const MOST_SURFACES: u64 = 240;
/// The most bytes of memory that a file may write.
const MEMORY: u64 = 4 << 30;

/// Follows a file without running it, and says what it submits.
#[derive(Debug)]
pub struct Submissions {
    /// Holds what the file writes. Its engines get no work.
    machine: Machine,
    written: BTreeMap<u32, Vec<u32>>,
    registers: BTreeMap<u32, u32>,
    contexts: BTreeMap<u64, Context>,
}

/// What a context keeps between submissions.
#[derive(Clone, Debug, Default)]
struct Context {
    /// The ring's tail.
    tail: u32,
    general: GpuAddress,
    surface: GpuAddress,
    dynamic: GpuAddress,
    indirect: GpuAddress,
    descriptors: Vec<[u32; 8]>,
}

impl Submissions {
    /// Nothing has been written.
    ///
    /// # Errors
    /// Only firmware submits on the platform.
    pub fn new(platform: &'static Platform) -> Result<Self, BusError> {
        let settings = Settings {
            threads: 1,
            hang_timeout: Duration::ZERO,
            check: false,
            execution: Execution::Interpret,
        };
        Ok(Self {
            machine: Machine::new(platform, settings, MEMORY)?,
            written: BTreeMap::new(),
            registers: BTreeMap::new(),
            contexts: BTreeMap::new(),
        })
    }

    /// Takes a packet. Returns the text about the work that it submits, empty if it does not.
    ///
    /// # Errors
    /// It writes where nothing is.
    pub fn take(&mut self, packet: &Packet<'_>) -> Result<String, BusError> {
        match packet {
            Packet::Write {
                space,
                address,
                data,
            } => self.write(*space, *address, data).map(|()| String::new()),
            Packet::WriteRegister { offset, value, .. } => Ok(self.register(*offset, *value)),
            _ => Ok(String::new()),
        }
    }

    fn write(&self, space: Space, address: u64, data: &[u8]) -> Result<(), BusError> {
        match space {
            Space::System => self.machine.write(Bank::System, address, data),
            Space::Local => self.machine.write(Bank::Local, address, data),
            Space::GlobalEntries => {
                let (entries, _) = data.as_chunks::<8>();
                for (index, entry) in (address / 8..).zip(entries) {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    let entry = u64::from_le_bytes(*entry);
                    self.machine.set_global_entry(index, entry)?;
                }
                Ok(())
            }
            // What is not there, is nowhere to be shown from.
            Space::Global => {
                let view = View::new(&*self.machine.global);
                let _ = view.write(GpuAddress::new(address), data);
                Ok(())
            }
        }
    }

    /// Writes a register, and says what that submits.
    fn register(&mut self, offset: u32, value: u32) -> String {
        self.registers.insert(offset, value);
        let row = execlists(self.machine.platform().family);
        let mut engines = vec![Engine::Render, Engine::Blitter];
        engines.extend(row.compute_engine.then_some(Engine::Compute));
        for engine in engines {
            let register = |own: u32| base(engine) + own;
            let descriptors: Vec<[u32; 2]> = match row.submission {
                Submission::Port if offset == register(own::SUBMIT_PORT) => {
                    let written = self.written.entry(offset).or_default();
                    written.push(value);
                    let Ok([second_high, second, first_high, first]) =
                        <[u32; 4]>::try_from(&written[..])
                    else {
                        return String::new();
                    };
                    written.clear();
                    vec![[first, first_high], [second, second_high]]
                }
                Submission::Queue
                    if offset == register(own::EXECLIST_CONTROL) && value & 1 != 0 =>
                {
                    let first = register(own::SUBMIT_QUEUE);
                    let mut queue = (first..first + 64).step_by(8);
                    let mut take = |at| self.registers.remove(&at).unwrap_or(0);
                    queue.by_ref().map(|at| [take(at), take(at + 4)]).collect()
                }
                _ => continue,
            };
            let valid = descriptors
                .into_iter()
                .map(|[low, high]| u64::from(high) << 32 | u64::from(low));
            return valid
                .filter(|bits| bits & descriptor::VALID != 0)
                .map(|bits| self.submission(engine, bits))
                .collect();
        }
        String::new()
    }

    /// A context that is submitted.
    fn submission(&mut self, engine: Engine, bits: u64) -> String {
        let image = bits & descriptor::IMAGE;
        let mut text = format!("submission to the {engine} engine: context {bits:#x}\n");
        let view = View::new(&*self.machine.global);
        let read = |offset| view.read_u32(GpuAddress::new(image + offset));
        let registers = [
            place::START,
            place::CONTROL,
            place::HEAD,
            place::TAIL,
            place::ROOT_HIGH,
            place::ROOT_LOW,
        ]
        .map(read);
        let [Ok(ring), Ok(control), Ok(head), Ok(tail), Ok(high), Ok(low)] = registers else {
            text.push_str("  the global GTT does not show its image\n");
            return text;
        };
        let root = u64::from(high) << 32 | u64::from(low);
        let known = self.contexts.get(&image).cloned();
        let mut context = known.unwrap_or(Context {
            tail: head & place::OFFSET,
            ..Context::default()
        });
        let (from, to) = (context.tail, tail & place::OFFSET);
        let bytes = (control & place::PAGES) + PAGE_BYTES as u32;
        let _ = writeln!(
            text,
            "  page table {root:#x}, ring {ring:#x} of {bytes:#x} bytes, from {from:#x} to {to:#x}"
        );
        let bank = self.machine.global.bank(image).unwrap_or_default();
        let space: Arc<dyn PageTable> = Arc::new(self.machine.table(root, bank));
        let own = View::new(&*space);
        let mut shown = Shown {
            family: self.machine.platform().family,
            engine,
            global: &view,
            own: &own,
            context: &mut context,
            seen: BTreeSet::new(),
            left: MOST_COMMANDS,
            text: &mut text,
        };
        let end = if to < from { bytes } else { to };
        shown.ring(ring, from, end.min(bytes));
        if to < from {
            shown.ring(ring, 0, to);
        }
        context.tail = to;
        self.contexts.insert(image, context);
        text
    }
}

/// Where commands lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a ring, in global memory.
    Ring,
    /// In a batch in global memory.
    Global,
    /// In a batch in the context's own memory.
    Own,
}

/// A submission that is being shown.
struct Shown<'a> {
    family: Family,
    engine: Engine,
    global: &'a View<'a>,
    own: &'a View<'a>,
    context: &'a mut Context,
    /// The batches that were shown.
    seen: BTreeSet<u64>,
    left: usize,
    text: &'a mut String,
}

impl Shown<'_> {
    /// The commands of a part of a ring.
    fn ring(&mut self, ring: u32, from: u32, to: u32) {
        let at = GpuAddress::new(u64::from(ring) + u64::from(from));
        let dwords: Vec<u32> = (0..to.saturating_sub(from) / 4)
            .map_while(|index| self.global.read_u32(at.offset(4 * u64::from(index))).ok())
            .collect();
        self.text.push_str("  ring:\n");
        self.commands(at, &dwords, Place::Ring);
    }

    /// The commands of a batch, and of those that it goes to.
    fn batch(&mut self, at: GpuAddress, in_global: bool) {
        if !self.seen.insert(at.get()) {
            let _ = writeln!(self.text, "  batch at {at}: as above");
            return;
        }
        let _ = writeln!(self.text, "  batch at {at}:");
        let view = if in_global { self.global } else { self.own };
        // Its length is not said: to its end, or where nothing is bound.
        let mut dwords: Vec<u32> = Vec::new();
        loop {
            let next = at.offset(4 * dwords.len() as u64);
            let rest = (PAGE_BYTES - next.get() % PAGE_BYTES) / 4;
            let page: Vec<u32> = (0..rest)
                .map_while(|index| view.read_u32(next.offset(4 * index)).ok())
                .collect();
            let whole = page.len() as u64 == rest;
            dwords.extend(page);
            let ends = Batch::new(self.family, self.engine, at, &dwords).any(|step| {
                let packet = step.packet.as_ref();
                packet.is_ok_and(|packet| ends(packet))
            });
            if ends || !whole || dwords.len() > 4 * MOST_COMMANDS {
                break;
            }
        }
        let place = match in_global {
            true => Place::Global,
            false => Place::Own,
        };
        self.commands(at, &dwords, place);
    }

    fn commands(&mut self, at: GpuAddress, dwords: &[u32], place: Place) {
        for step in Batch::new(self.family, self.engine, at, dwords) {
            // A ring ends at its tail.
            if place == Place::Ring && matches!(step.packet, Err(DecodeError::Empty)) {
                return;
            }
            let Some(left) = self.left.checked_sub(1) else {
                let _ = writeln!(self.text, "  more than {MOST_COMMANDS} commands");
                return;
            };
            self.left = left;
            for line in step.to_string().lines() {
                let _ = writeln!(self.text, "    {line}");
            }
            let Ok(packet) = &step.packet else {
                continue;
            };
            match packet.id {
                PacketId::MiBatchBufferStart => {
                    let indicator = packet.named(start::ADDRESS_SPACE_INDICATOR);
                    let global = place != Place::Own
                        && indicator == Some(start::AddressSpaceIndicator::GGTT);
                    self.batch(packet.address(start::BATCH_BUFFER_START_ADDRESS), global);
                }
                PacketId::StateBaseAddress => self.bases(packet),
                PacketId::MediaInterfaceDescriptorLoad => self.load(packet),
                PacketId::MediaCurbeLoad => {
                    let place = packet.get(curbe::CURBE_DATA_START_ADDRESS);
                    let at = self.context.dynamic.offset(place);
                    self.payload(at, packet.get(curbe::CURBE_TOTAL_DATA_LENGTH));
                }
                PacketId::GpgpuWalker => self.media_walker(packet),
                PacketId::ComputeWalker => self.compute_walker(packet),
                _ => {}
            }
            // A ring goes on behind the batches that it calls.
            if place != Place::Ring && ends(packet) {
                return;
            }
        }
    }

    fn bases(&mut self, packet: &Decoded<'_>) {
        let context = &mut *self.context;
        let rows: [(&mut GpuAddress, &'static Field, &'static Field); 4] = [
            (
                &mut context.general,
                sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                sba::GENERAL_STATE_BASE_ADDRESS,
            ),
            (
                &mut context.surface,
                sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                sba::SURFACE_STATE_BASE_ADDRESS,
            ),
            (
                &mut context.dynamic,
                sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                sba::DYNAMIC_STATE_BASE_ADDRESS,
            ),
            (
                &mut context.indirect,
                sba::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE,
                sba::INDIRECT_OBJECT_BASE_ADDRESS,
            ),
        ];
        for (base, modify, address) in rows {
            if packet.flag(modify) {
                *base = packet.address(address);
            }
        }
    }

    fn load(&mut self, packet: &Decoded<'_>) {
        let place = packet.get(load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS);
        let first = self.context.dynamic.offset(place);
        let count = packet.get(load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH) / 32;
        self.context.descriptors = (0..count.min(64))
            .map_while(|index| self.dwords(first.offset(32 * index)))
            .collect();
    }

    fn media_walker(&mut self, packet: &Decoded<'_>) {
        let place = packet.get(gw::INDIRECT_DATA_START_ADDRESS);
        let bytes = packet.get(gw::INDIRECT_DATA_LENGTH);
        if bytes != 0 {
            self.payload(self.context.indirect.offset(place), bytes);
        }
        let index = packet.get(gw::INTERFACE_DESCRIPTOR_OFFSET) as usize;
        let Some(dwords) = self.context.descriptors.get(index).copied() else {
            return;
        };
        let descriptor = Fielded::new(self.family, &idd::LAYOUT, &dwords);
        let _ = writeln!(self.text, "    interface descriptor {index}:");
        let _ = write!(self.text, "{}", Fields::new(descriptor, 8, false));
        self.surfaces(&descriptor);
    }

    fn compute_walker(&mut self, packet: &Decoded<'_>) {
        let place = packet.get(cw::INDIRECT_DATA_START_ADDRESS);
        let bytes = packet.get(cw::INDIRECT_DATA_LENGTH);
        if bytes != 0 {
            self.payload(self.context.general.offset(place), bytes);
        }
        if let Some(descriptor) = packet.state(cw::INTERFACE_DESCRIPTOR) {
            self.surfaces(&descriptor);
        }
    }

    /// The surface states that a binding table names. Its length is a hint for prefetching, which may be
    /// 0: then the table ends before the first entry that names no surface state.
    fn surfaces(&mut self, descriptor: &Fielded<'_>) {
        let table = descriptor.get(idd::BINDING_TABLE_POINTER);
        let count = descriptor.get(idd::BINDING_TABLE_ENTRY_COUNT);
        if table == 0 && count == 0 {
            return;
        }
        for index in 0..MOST_SURFACES {
            if count != 0 && index >= count {
                return;
            }
            let entry = self.context.surface.offset(table + 4 * index);
            let Ok(place) = self.own.read_u32(entry) else {
                return;
            };
            let at = self.context.surface.offset(place.into());
            let state = self.dwords::<16>(at).filter(|dwords| {
                let state = Fielded::new(self.family, &rss::LAYOUT, dwords);
                let address = state.address(rss::SURFACE_BASE_ADDRESS);
                place.is_multiple_of(64) && self.own.read_u32(address).is_ok()
            });
            let Some(dwords) = state else {
                match count {
                    0 => return,
                    _ => continue,
                }
            };
            let _ = writeln!(self.text, "    surface state {index} at {at}:");
            let state = Fielded::new(self.family, &rss::LAYOUT, &dwords);
            let _ = write!(self.text, "{}", Fields::new(state, 8, false));
        }
    }

    /// The data of threads.
    fn payload(&mut self, at: GpuAddress, bytes: u64) {
        let _ = writeln!(self.text, "    payload at {at}, {bytes} bytes:");
        let mut data = vec![0; bytes.min(MOST_BYTES) as usize];
        if let Err(fault) = self.own.read(at, &mut data) {
            let _ = writeln!(self.text, "        {fault}");
            return;
        }
        for (index, row) in data.chunks(32).enumerate() {
            let _ = write!(self.text, "        {:#06x} ", 32 * index);
            for dword in row.chunks(4) {
                let _ = self.text.write_char(' ');
                for byte in dword.iter().rev() {
                    let _ = write!(self.text, "{byte:02x}");
                }
            }
            self.text.push('\n');
        }
    }

    fn dwords<const N: usize>(&self, at: GpuAddress) -> Option<[u32; N]> {
        let mut dwords = [0; N];
        for (index, dword) in (0u64..).zip(&mut dwords) {
            *dword = self.own.read_u32(at.offset(4 * index)).ok()?;
        }
        Some(dwords)
    }
}

/// Whether a batch does not go on behind a packet.
fn ends(packet: &Decoded<'_>) -> bool {
    match packet.id {
        PacketId::MiBatchBufferEnd => true,
        PacketId::MiBatchBufferStart => !packet.flag(start::SECOND_LEVEL_BATCH_BUFFER),
        _ => false,
    }
}
