//! Launches as they are written again and again: a copy, and some patches.
//!
//! What a kernel over a range gives to a batch and to a heap is made once, for no place in
//! particular. A launch copies it, with the states and the payload of the arguments, and puts in the
//! places that the copy has, and the memory that only the launch has.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use batchbuffer::dispatch::{DispatchError, FrontEnd, WalkerKind};
use batchbuffer::{Spot, surface};
use devinfo::GpuAddress;
use zerocopy::IntoBytes;

use crate::binary::{IMPLICIT_ARGUMENTS, KernelAbi};
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::kernel::KernelState;
use crate::memory::NEAR;
use crate::range::NdRange;

use super::error::{MakeError, dispatch_error};
use super::front_end::front_end;
use super::geometry::{Geometry, Walk};
use super::heap::Take;
use super::layout::{BlockLayout, DESCRIPTOR};
use super::payload::{self, IDS_FIELD, Late, PRINTF_FIELD};
use super::prepared::Launched;
use super::staging::{Staging, Start};
use super::states::{put, put_bytes, table};

/// How many templates a kernel keeps.
const KEPT: usize = 4;
/// The most dwords of a template's block that are kept.
const KEPT_DWORDS: usize = 16 << 10;

/// The templates of a kernel that were used last, the last one at the end.
#[derive(Debug, Default)]
pub(crate) struct Templates(Mutex<Vec<Arc<Template>>>);

impl Clone for Templates {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.list(|list| list.clone())))
    }
}

impl Templates {
    /// The template of a range, if groups have so much shared local memory with it.
    pub(super) fn find(&self, range: &NdRange, slm: u32) -> Option<Arc<Template>> {
        self.list(|list| {
            let fits = |template: &Arc<Template>| template.range == *range && template.slm == slm;
            let found = list.iter().rposition(fits)?;
            let last = list.len() - 1;
            list.swap(found, last);
            list.last().cloned()
        })
    }

    /// Keeps a template.
    pub(super) fn keep(&self, template: &Arc<Template>) {
        if template.block.len() > KEPT_DWORDS {
            return;
        }
        self.list(|list| {
            if list.len() >= KEPT {
                list.remove(0);
            }
            list.push(template.clone());
        });
    }

    fn list<T>(&self, with: impl FnOnce(&mut Vec<Arc<Template>>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a kernel over a range gives to a batch and to a heap.
#[derive(Debug)]
pub(crate) struct Template {
    range: NdRange,
    /// Shared local memory of a group.
    slm: u32,
    pub(super) geometry: Geometry,
    pub(super) layout: BlockLayout,
    /// What the front end has to know of the kernel, without its scratch.
    pub(super) front_end: FrontEnd,
    /// Where the threads of the walkers begin.
    pub(super) starts: Vec<Start>,
    /// The walkers.
    words: Vec<u32>,
    /// What lies in the heap.
    block: Vec<u32>,
    /// The binding table.
    table: Vec<u32>,
    payloads: Vec<WalkerPayload>,
    /// What the payloads have from each launch.
    late: Vec<(Range<usize>, Late)>,
    patches: Vec<Patch>,
}

/// The cross-thread payload of a walker.
#[derive(Debug)]
struct WalkerPayload {
    /// What the range gives to it, in `own`.
    bytes: Vec<u8>,
    own: Vec<Range<usize>>,
    /// Where the walker's structure of implicit arguments lies in the block.
    implicit: Option<u32>,
    /// Its first bytes: how many of them the walker carries, and in which dword they begin.
    inline: (usize, usize),
    /// Where the rest lies in the block.
    place: u32,
}

/// What differs from copy to copy.
#[derive(Debug)]
struct Patch {
    part: Part,
    field: Field,
    value: Value,
}

/// The part of a template that is patched.
#[derive(Clone, Copy, Debug)]
enum Part {
    Words,
    Block,
    Table,
}

#[derive(Clone, Copy, Debug)]
enum Field {
    Spot(Spot),
    /// The first byte of 64 bits.
    Bytes(u32),
}

#[derive(Clone, Copy, Debug)]
enum Value {
    /// So many bytes behind the beginning of the block, as a place in the heap.
    Place(u32),
    /// The same as an address.
    Address(u32),
    /// The binding table.
    Table,
    /// Where the kernel prints to.
    Printf,
}

/// What a launch knows of its copy.
struct Copy<'a> {
    block: u32,
    base: GpuAddress,
    table: u32,
    printf: u64,
    private: u64,
    states: u32,
    kernel: &'a KernelState,
}

impl Copy<'_> {
    fn value(&self, value: Value) -> u64 {
        match value {
            Value::Place(offset) => (self.block + offset).into(),
            Value::Address(offset) => self.base.offset(offset.into()).get(),
            Value::Table => self.table.into(),
            Value::Printf => self.printf,
        }
    }

    fn late(&self, value: Late, implicit: Option<u32>) -> u64 {
        match value {
            Late::Printf => self.printf,
            Late::Private => self.private,
            Late::ImplicitArguments => {
                implicit.map_or(0, |offset| self.value(Value::Address(offset)))
            }
            Late::State(offset) => u64::from(self.states) + u64::from(offset),
        }
    }
}

impl Template {
    /// The template of a kernel that can be run over a range.
    pub(super) fn new(
        kernel: &KernelState,
        (range, geometry): (&NdRange, Geometry),
        layout: BlockLayout,
    ) -> Result<Self, Error> {
        let (device, entry) = (&kernel.program.device, &*kernel.entry);
        let mut template = Self {
            range: *range,
            slm: kernel.slm.total,
            geometry,
            layout,
            front_end: front_end(device, entry),
            starts: Vec::new(),
            words: Vec::new(),
            block: vec![0; (layout.size as usize).div_ceil(4)],
            table: Vec::new(),
            payloads: Vec::new(),
            late: payload::late_fields(entry, &kernel.layout).collect(),
            patches: Vec::new(),
        };
        template.add_table(kernel)?;
        let walks: Vec<Walk> = template.geometry.walks().collect();
        let mut offset = layout.payload;
        for (number, walk) in (0u32..).zip(&walks) {
            offset = template.add(kernel, (number, walk), offset)?;
        }
        Ok(template)
    }

    fn add_table(&mut self, kernel: &KernelState) -> Result<(), Error> {
        let family = kernel.program.device.family();
        let entry = &*kernel.entry;
        for (index, surface) in (0..).zip(table(family, entry, &kernel.layout)?) {
            match surface {
                Ok(offset) => {
                    self.table.push(0);
                    let spot = surface::binding_table_spot(family, index);
                    let spot = spot.map_err(crate::error::state)?;
                    let place = Value::Place(self.layout.states + offset);
                    self.patch(Part::Table, Field::Spot(spot), place);
                }
                Err(dword) => self.table.push(dword),
            }
        }
        Ok(())
    }

    fn patch(&mut self, part: Part, field: Field, value: Value) {
        self.patches.push(Patch { part, field, value });
    }

    /// A structure of implicit arguments.
    fn add_implicit(&mut self, walk: &Walk, at: u32, ids: Option<u32>) -> Result<(), Error> {
        let values = payload::implicit_arguments(&self.geometry, walk);
        put_bytes(self.block.as_mut_bytes(), at, &values)?;
        self.patch(Part::Block, Field::Bytes(at + PRINTF_FIELD), Value::Printf);
        if let Some(ids) = ids {
            let field = Field::Bytes(at + IDS_FIELD);
            self.patch(Part::Block, field, Value::Address(ids));
        }
        Ok(())
    }

    /// Adds a walker whose payload begins at `offset` of the block. Gives where the next one's does.
    fn add(
        &mut self,
        kernel: &KernelState,
        (number, walk): (u32, &Walk),
        offset: u32,
    ) -> Result<u32, Error> {
        let entry = &*kernel.entry;
        let commands = kernel.program.device.commands;
        let failed = |error: DispatchError| dispatch_error(entry, error);
        let at = kernel.walk_payload(walk);
        let (mut place, mut implicit) = (offset, None);
        if let Some(first) = self.layout.implicit {
            let own = first + number * IMPLICIT_ARGUMENTS;
            self.add_implicit(walk, own, None)?;
            implicit = Some(own);
        }
        if at.implicit > 0 {
            let ids = payload::ids_table(entry.info.simd);
            let table = part(self.block.as_mut_bytes(), place, at.ids_table)?;
            kernel.write_ids(ids, ids.bytes(), walk, table);
            place += at.ids_table;
            self.add_implicit(walk, place, Some(offset))?;
            implicit = Some(place);
        }
        let start = place;
        place += at.implicit;
        let mut bytes = vec![0; kernel.payload.len()];
        let own = payload::range_fields(entry, &self.geometry, walk, &mut bytes)?;
        let carried = kernel.inline_bytes().min(bytes.len());
        let in_memory = place;
        part(
            self.block.as_mut_bytes(),
            place,
            (bytes.len() - carried) as u32,
        )?;
        place += at.cross_thread;
        let ids = part(self.block.as_mut_bytes(), place, at.per_thread * at.threads)?;
        kernel.write_ids(entry.local_ids, at.per_thread, walk, ids);

        let states = self.layout.states;
        let mut dispatch = kernel.dispatch(walk, &at)?;
        dispatch.binding_table_entries = kernel.layout.entries;
        dispatch.sampler_count = kernel.layout.sampler_count;
        dispatch.inline_data = (carried > 0).then_some([0; 8]);
        let spots = commands
            .dispatch(&dispatch, &mut self.words)
            .map_err(failed)?;
        self.patch(Part::Words, Field::Spot(spots.payload), Value::Place(start));
        let mut in_states = spots.states.map(|spots| (Part::Words, spots));
        let descriptor = self.layout.descriptors + number * DESCRIPTOR;
        if let Some(spot) = spots.descriptor {
            self.patch(Part::Words, Field::Spot(spot), Value::Place(descriptor));
        }
        if commands.walker() == WalkerKind::Gpgpu {
            let state = commands.descriptor(&dispatch).map_err(failed)?;
            put(self.block.as_mut_bytes(), descriptor, &state)?;
            let first = descriptor as usize / 4;
            let spots = commands.descriptor_spots(first).map_err(failed)?;
            in_states = Some((Part::Block, spots));
        }
        if let Some((part, spots)) = in_states {
            if !self.table.is_empty() {
                self.patch(part, Field::Spot(spots.binding_table), Value::Table);
            }
            if let Some(spot) = spots.samplers {
                let samplers = Value::Place(states + kernel.layout.samplers);
                self.patch(part, Field::Spot(spot), samplers);
            }
        }
        self.starts.push(Start {
            kernel: kernel.entry.clone(),
            lines: kernel.program.binary.lines().clone(),
            own: kernel.program.binary.is_own(),
            first: NEAR.offset(kernel.start.into()),
            entry: NEAR.offset(dispatch.kernel.into()),
            slm_bytes: dispatch.slm_bytes,
        });
        self.payloads.push(WalkerPayload {
            bytes,
            own,
            implicit,
            inline: (carried, spots.inline_data.unwrap_or_default()),
            place: in_memory,
        });
        Ok(offset + at.size() as u32)
    }

    /// Writes a copy to `block` of the heap, and its walkers behind the words that there are.
    pub(super) fn write(
        &self,
        kernel: &KernelState,
        launched: &Launched,
        block: u32,
        take: &mut Take<'_>,
        staging: &mut Staging,
    ) -> Result<(), MakeError> {
        let printf = launched.printf.as_ref();
        let mut copy = Copy {
            block,
            base: take.memory().address(block),
            table: 0,
            printf: printf.map_or(0, |chunk| chunk.address().get()),
            private: launched.private().map_or(0, GpuAddress::get),
            states: block + self.layout.states,
            kernel,
        };
        if !self.table.is_empty() {
            let size = self.table.len() as u32 * 4;
            copy.table = take.table(size).ok_or(MakeError::Full)?;
        }
        self.stage(&copy, staging)?;
        if !self.table.is_empty() {
            take.memory().write(copy.table, staging.table.as_bytes())?;
        }
        take.memory().write(block, staging.block.as_bytes())?;
        Ok(())
    }

    fn stage(&self, copy: &Copy<'_>, staging: &mut Staging) -> Result<(), Error> {
        let Staging {
            words,
            block,
            table,
            cross_thread,
        } = staging;
        let first = words.len();
        words.extend_from_slice(&self.words);
        let words = words.get_mut(first..).unwrap_or_default();
        for (to, from) in [(&mut *block, &self.block), (&mut *table, &self.table)] {
            to.clear();
            to.extend_from_slice(from);
        }
        put_bytes(
            block.as_mut_bytes(),
            self.layout.states,
            &copy.kernel.states,
        )?;
        for walker in &self.payloads {
            cross_thread.clear();
            cross_thread.extend_from_slice(&copy.kernel.payload);
            for own in &walker.own {
                let bytes = walker.bytes.get(own.clone()).unwrap_or_default();
                put_bytes(cross_thread, own.start as u32, bytes)?;
            }
            for (range, value) in &self.late {
                let value = copy.late(*value, walker.implicit).to_le_bytes();
                let bytes = value.get(..range.len()).unwrap_or(&value);
                put_bytes(cross_thread, range.start as u32, bytes)?;
            }
            let (carried, dword) = walker.inline;
            let (carried, in_memory) = cross_thread.split_at(carried.min(cross_thread.len()));
            put_bytes(words.as_mut_bytes(), dword as u32 * 4, carried)?;
            put_bytes(block.as_mut_bytes(), walker.place, in_memory)?;
        }
        for patch in &self.patches {
            let value = copy.value(patch.value);
            let words = match patch.part {
                Part::Words => &mut *words,
                Part::Block => &mut **block,
                Part::Table => &mut **table,
            };
            match patch.field {
                Field::Spot(spot) => spot.put(words, value).map_err(|error| unfit(copy, error))?,
                Field::Bytes(at) => put_bytes(words.as_mut_bytes(), at, &value.to_le_bytes())?,
            }
        }
        Ok(())
    }
}

fn unfit(copy: &Copy<'_>, error: batchbuffer::EncodeError) -> Error {
    let entry: &KernelAbi = &copy.kernel.entry;
    ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!("kernel {}: {error}", entry.info.name),
    }
    .into()
}

/// A part of a block.
fn part(bytes: &mut [u8], place: u32, size: u32) -> Result<&mut [u8], ArgumentError> {
    let start = place as usize;
    let all = bytes.len() as u64;
    let part = start.checked_add(size as usize);
    part.and_then(|end| bytes.get_mut(start..end))
        .ok_or(ArgumentError::OutOfBounds {
            what: "payload of a launch",
            offset: place.into(),
            length: size.into(),
            size: all,
        })
}
