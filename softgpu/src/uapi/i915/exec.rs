//! EXECBUFFER2.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use devinfo::{Family, GpuAddress};
use kmd_iface::uapi::i915::EngineClass;
use kmd_iface::uapi::i915::exec::{
    self, EXECBUFFER_EXT_TIMELINE_FENCES, ExecBuffer2, ExecFence, ExecFenceFlags, ExecFlags,
    ExecObject, ExecObjectFlags, ExecTimelineFences,
};
use nix::errno::Errno;

use super::{find_engine, for_each_extension, read_extension};
use crate::client::{BoundList, Context, EngineSlot, File, Object};
use crate::device::Device;
use crate::refusal::{Answer, Refusal, demand, ensure, refuse};
use crate::sync::{Syncobj, give_away, import};
use crate::uapi::family::traits;
use crate::uapi::page_of;
use crate::uapi::sync::sync_file as export;
use softgpu_device::{Commands, Fence, Job};
use softgpu_memory::{AddressSpace, Binding, OwnerId, PAGE_BYTES, user};

/// The most objects of a submission.
const OBJECT_LIMIT: u32 = 1 << 20;
/// The most fences of a submission.
const FENCE_LIMIT: u64 = 1 << 16;

pub(super) fn execbuffer2(file: &File, args: &mut ExecBuffer2) -> Answer {
    check_flags(args, file.device().platform.family)?;
    let context = file.context(args.rsvd1 as u32)?;
    ensure!(
        !context.status.is_banned(),
        EIO,
        "context {} is banned: a batch of it failed",
        args.rsvd1
    );
    let (index, engine) = choose_engine(file.device(), &context, args.flags)?;
    let mut list = user::read_array(args.buffers_ptr, args.buffer_count.into())?;
    let (known, moment) = file.lists.find(&list);
    let sync;
    let mut moved = false;
    let list = match known {
        Some(known) => {
            probe(&known.buffers)?;
            sync = Sync::collect(file, args)?;
            known
        }
        None => {
            let buffers = look_up(file, &list)?;
            probe(&buffers)?;
            sync = Sync::collect(file, args)?;
            moved = place(file.device(), &mut list, &buffers)?;
            let space = Arc::new(AddressSpace::new(file.device().options.scratch_page));
            bind(&space, &list, &buffers)?;
            let list = Arc::new(BoundList {
                objects: list,
                buffers,
                space,
            });
            if !moved {
                file.lists.keep(&list, moment);
            }
            list
        }
    };
    let (objects, buffers) = (&list.objects, &list.buffers);
    let batch = batch_address(args, objects, buffers)?;

    let done = Fence::new();
    let mut waits = sync.waits;
    let timeline = context.timeline(index, engine);
    // A full ring does not hold up others: only who submits takes room, and has reserved all before.
    let reserved = loop {
        let reserved = file.device().reserve();
        if timeline.has_room() {
            break reserved;
        }
        drop(reserved);
        timeline.await_room();
    };
    for (object, buffer) in objects.iter().zip(buffers) {
        let write = object.flags.contains(ExecObjectFlags::WRITE);
        if !object.flags.contains(ExecObjectFlags::ASYNC) {
            waits.extend(buffer.conflicts(write));
        }
    }
    // The fd comes first: nothing may fail after the submission.
    let out = match args.flags.contains(ExecFlags::FENCE_OUT) {
        true => Some(export(&done)?),
        false => None,
    };
    if moved {
        write_offsets(args.buffers_ptr, objects)?;
    }
    let job = Job {
        space: list.space.clone(),
        global: None,
        commands: Some(Commands::Batch(batch)),
        waits,
        begins_after: sync.begins_after,
        priority: context.settings().priority,
        done: Arc::clone(&done),
        writes: Vec::new(),
        endless: false,
    };
    crate::uapi::submit(&timeline, job)?;
    let user = (engine.class, timeline.number());
    for (object, buffer) in objects.iter().zip(buffers) {
        let write = object.flags.contains(ExecObjectFlags::WRITE);
        buffer.add_user(user, write, &done);
    }
    drop(reserved);
    for (object, point) in sync.signals {
        match point {
            0 => object.replace(Some(Arc::clone(&done))),
            point => object.add_point(point, Arc::clone(&done)),
        }
    }
    if let Some(fd) = out {
        let number = u64::from(give_away(fd).cast_unsigned());
        args.rsvd2 = args.rsvd2 & 0xffff_ffff | number << 32;
    }
    Ok(())
}

fn check_flags(args: &ExecBuffer2, family: Family) -> Answer {
    // All flags up to the last one that is known.
    let known = (ExecFlags::USE_EXTENSIONS.0 << 1) - 1;
    let unknown = args.flags.0 & !known;
    ensure!(unknown == 0, EINVAL, "flags: {unknown:#x} is not known");
    ensure!(
        (1..=OBJECT_LIMIT).contains(&args.buffer_count),
        EINVAL,
        "buffer_count {}: from 1 to {OBJECT_LIMIT}",
        args.buffer_count
    );
    ensure!(
        args.rsvd1 >> 32 == 0 && args.dr1 == 0 && args.dr4 == 0,
        EINVAL,
        "rsvd1 {:#x} (above bit 31), DR1 {:#x}, DR4 {:#x}: must be zero",
        args.rsvd1,
        args.dr1,
        args.dr4
    );
    ensure!(
        (args.batch_start_offset | args.batch_len) & 7 == 0,
        EINVAL,
        "batch_start_offset {:#x}, batch_len {:#x}: must be multiples of 8",
        args.batch_start_offset,
        args.batch_len
    );
    let array = args.flags.contains(ExecFlags::FENCE_ARRAY);
    let extensions = args.flags.contains(ExecFlags::USE_EXTENSIONS);
    let pointed = args.num_cliprects != 0 || args.cliprects_ptr != 0;
    ensure!(
        !(array && extensions
            || !array && !extensions && pointed
            || extensions && args.num_cliprects != 0),
        EINVAL,
        "cliprects_ptr {:#x}, num_cliprects {}: an array with FENCE_ARRAY, a chain without a number \
         with USE_EXTENSIONS, zero without either; flags are {:?}",
        args.cliprects_ptr,
        args.num_cliprects,
        args.flags
    );
    // Privileged batches are for the display's master.
    if args.flags.contains(ExecFlags::SECURE) {
        let errno = match traits(family).privileged_batches {
            true => Errno::EPERM,
            false => Errno::ENODEV,
        };
        return Err(Refusal::new(
            errno,
            "flags: SECURE is for the display's master",
        ));
    }
    ensure!(
        !args
            .flags
            .contains(ExecFlags::FENCE_IN | ExecFlags::FENCE_SUBMIT),
        EINVAL,
        "flags: FENCE_IN and FENCE_SUBMIT exclude each other"
    );
    Ok(())
}

/// The engine of a submission, and the number of its timeline.
fn choose_engine(
    device: &Device,
    context: &Context,
    flags: ExecFlags,
) -> Answer<(usize, EngineSlot)> {
    let index = usize::try_from(flags.engine()).map_err(|_| Errno::EINVAL)?;
    if let Some(map) = &context.settings().engines {
        let slot = map.get(index).copied().flatten();
        let slot = demand!(
            slot,
            EINVAL,
            "flags: the context has no engine {index} of {}",
            map.len()
        );
        return Ok((index, slot));
    }
    // Without a map: ring numbers, which name the first engine of a class.
    let class = match flags.engine() {
        exec::DEFAULT | exec::RENDER => EngineClass::Render,
        exec::BSD => EngineClass::Video,
        exec::BLT => EngineClass::Copy,
        exec::VEBOX => EngineClass::VideoEnhance,
        other => refuse!(EINVAL, "flags: there is no ring {other}"),
    } as u16;
    let id = kmd_iface::uapi::i915::EngineClassInstance {
        engine_class: class,
        engine_instance: 0,
    };
    let slot = demand!(
        find_engine(device, id),
        EINVAL,
        "flags: the device has no engine of class {class}"
    );
    Ok((class.into(), slot))
}

/// The buffers of a submission.
fn look_up(file: &File, objects: &[ExecObject]) -> Answer<Vec<Arc<Object>>> {
    let mut buffers = Vec::with_capacity(objects.len());
    for object in objects {
        let handle = object.handle;
        ensure!(
            object.relocation_count == 0,
            EINVAL,
            "handle {handle}: relocation_count {}: relocations are not supported, pin objects instead",
            object.relocation_count
        );
        let known = (ExecObjectFlags::CAPTURE.0 << 1) - 1;
        ensure!(
            object.flags.0 & !known == 0 && !object.flags.contains(ExecObjectFlags::NEEDS_GTT),
            EINVAL,
            "handle {handle}: flags {:?}: there is no global GTT for clients, and no flag above {:?}",
            object.flags,
            ExecObjectFlags::CAPTURE
        );
        ensure!(
            object.alignment == 0 || object.alignment.is_power_of_two(),
            EINVAL,
            "handle {handle}: alignment {:#x} is no power of two",
            object.alignment
        );
        buffers.push(file.object(object.handle)?);
    }
    Ok(buffers)
}

/// Looks whether the client's pages are still there.
fn probe(buffers: &[Arc<Object>]) -> Answer {
    let backings = buffers.iter().map(|buffer| &buffer.backing);
    let of_client = backings.filter(|backing| backing.user_range().is_some());
    let mut of_client = of_client.peekable();
    if of_client.peek().is_none() {
        return Ok(());
    }
    let maps = user::Maps::load()?;
    of_client.try_for_each(|backing| Ok(backing.probe(&maps)?))
}

/// Gives every object an address. Returns whether offsets changed.
///
/// An object may be named more than once, and has one address (Linux dropped its check when the
/// list of a submission became its own, in 5.7; Intel's runtime relies on it).
fn place(device: &Device, objects: &mut [ExecObject], buffers: &[Arc<Object>]) -> Answer<bool> {
    let mut taken = Places::default();
    let mut floating = Vec::new();
    let mut placed = HashMap::new();
    for (object, buffer) in objects.iter_mut().zip(buffers) {
        let bytes = extent(object, buffer)?;
        if !object.flags.contains(ExecObjectFlags::PINNED) {
            floating.push((object, bytes));
            continue;
        }
        let address = GpuAddress::new(object.offset);
        let page = page_of(device, buffer.memory);
        let (handle, offset) = (object.handle, object.offset);
        ensure!(
            address.canonical() == offset && offset.is_multiple_of(page),
            EINVAL,
            "handle {handle}: offset {offset:#x}: must be canonical and a multiple of {page:#x} \
             ({:?} memory)",
            buffer.memory
        );
        let end = address.get().checked_add(bytes);
        ensure!(
            end.is_some_and(|end| end <= limit(object)),
            EINVAL,
            "handle {handle}: {bytes:#x} bytes at offset {offset:#x} end behind {:#x}",
            limit(object)
        );
        if let Some(first) = placed.insert(handle, offset) {
            ensure!(
                first == offset,
                ENOSPC,
                "handle {handle} is pinned at {first:#x} and at {offset:#x}"
            );
            continue;
        }
        if let Err(other) = taken.take(address.get(), bytes) {
            refuse!(
                ENOSPC,
                "handle {handle}: {bytes:#x} bytes at offset {offset:#x} overlap an object that ends \
                 at {other:#x}"
            );
        }
    }
    let mut moved = false;
    let mut lowest = FLOATING_ALIGNMENT;
    for (object, bytes) in floating {
        if let Some(offset) = placed.get(&object.handle) {
            moved |= *offset != object.offset;
            object.offset = *offset;
            continue;
        }
        let alignment = object.alignment.max(FLOATING_ALIGNMENT);
        let fits = |start: u64| {
            let end = start.checked_add(bytes);
            end.is_some_and(|end| end <= limit(object)) && start.is_multiple_of(alignment)
        };
        // Its last address if that is free, otherwise the next free one.
        let before = GpuAddress::new(object.offset).get();
        let mut chosen =
            (before != 0 && fits(before) && taken.take(before, bytes).is_ok()).then_some(before);
        while chosen.is_none() {
            lowest = lowest
                .checked_next_multiple_of(alignment)
                .ok_or(Errno::ENOSPC)?;
            ensure!(
                fits(lowest),
                ENOSPC,
                "handle {}: no {bytes:#x} bytes are free below {:#x}",
                object.handle,
                limit(object)
            );
            match taken.take(lowest, bytes) {
                Ok(()) => chosen = Some(lowest),
                Err(end) => lowest = end,
            }
        }
        let canonical = GpuAddress::new(chosen.unwrap_or(0)).canonical();
        moved |= canonical != object.offset;
        object.offset = canonical;
        placed.insert(object.handle, canonical);
    }
    Ok(moved)
}

/// The alignment of objects that the node places: no memory has larger pages.
const FLOATING_ALIGNMENT: u64 = 0x1_0000;

/// Taken ranges, from first address to end.
#[derive(Default)]
struct Places(BTreeMap<u64, u64>);

impl Places {
    /// Takes `bytes` from `start` on, or returns the end of the range that is in the way.
    fn take(&mut self, start: u64, bytes: u64) -> Result<(), u64> {
        let end = start.saturating_add(bytes);
        match self.0.range(..end).next_back() {
            Some((_, taken_end)) if *taken_end > start => Err(*taken_end),
            _ => {
                self.0.insert(start, end);
                Ok(())
            }
        }
    }
}

/// The bytes that an object takes in the address space.
fn extent(object: &ExecObject, buffer: &Object) -> Answer<u64> {
    let bytes = buffer.backing.bytes();
    if object.flags.contains(ExecObjectFlags::PAD_TO_SIZE) {
        let padded = object.pad_to_size.checked_next_multiple_of(PAGE_BYTES);
        let padded = demand!(
            padded,
            EINVAL,
            "handle {}: pad_to_size {:#x} is too much",
            object.handle,
            object.pad_to_size
        );
        return Ok(padded.max(bytes));
    }
    Ok(bytes)
}

/// The end of the addresses that an object may take.
fn limit(object: &ExecObject) -> u64 {
    match object.flags.contains(ExecObjectFlags::SUPPORTS_48B_ADDRESS) {
        true => 1 << 48,
        false => 1 << 32,
    }
}

fn bind(space: &AddressSpace, objects: &[ExecObject], buffers: &[Arc<Object>]) -> Answer {
    let bindings = objects.iter().zip(buffers).map(|(object, buffer)| {
        let binding = Binding {
            backing: Some(Arc::clone(&buffer.backing)),
            offset: 0,
            bytes: buffer.backing.bytes(),
            writable: !buffer.backing.is_read_only(),
            owner: OwnerId(object.handle),
        };
        (GpuAddress::new(object.offset), binding)
    });
    space
        .bind_all(bindings)
        .map_err(|error| Refusal::new(Errno::EINVAL, error.to_string()))
}

fn batch_address(
    args: &ExecBuffer2,
    objects: &[ExecObject],
    buffers: &[Arc<Object>],
) -> Answer<GpuAddress> {
    let first = args.flags.contains(ExecFlags::BATCH_FIRST);
    let index = if first {
        0
    } else {
        objects.len().saturating_sub(1)
    };
    let (Some(object), Some(buffer)) = (objects.get(index), buffers.get(index)) else {
        refuse!(EINVAL, "there is no object {index} to be the batch");
    };
    // The GPU reads the batch; a client cannot declare it written.
    ensure!(
        !object.flags.contains(ExecObjectFlags::WRITE),
        EINVAL,
        "handle {}: the batch has flag WRITE",
        object.handle
    );
    let start = u64::from(args.batch_start_offset);
    let end = start + u64::from(args.batch_len);
    ensure!(
        end <= buffer.backing.bytes() && start < buffer.backing.bytes(),
        EINVAL,
        "batch_start_offset {start:#x}, batch_len {:#x}: handle {} has {:#x} bytes",
        args.batch_len,
        object.handle,
        buffer.backing.bytes()
    );
    Ok(GpuAddress::new(object.offset).offset(start))
}

fn write_offsets(address: u64, objects: &[ExecObject]) -> Answer {
    for (index, object) in (0u64..).zip(objects) {
        let field = index * size_of::<ExecObject>() as u64
            + std::mem::offset_of!(ExecObject, offset) as u64;
        let at = address.checked_add(field).ok_or(Errno::EFAULT)?;
        user::write(at, &object.offset)?;
    }
    Ok(())
}

/// The fences of a submission.
#[derive(Default)]
struct Sync {
    waits: Vec<Arc<Fence>>,
    begins_after: Option<Arc<Fence>>,
    signals: Vec<(Arc<Syncobj>, u64)>,
}

impl Sync {
    fn collect(file: &File, args: &ExecBuffer2) -> Answer<Self> {
        let mut sync = Self::default();
        if args.flags.contains(ExecFlags::FENCE_IN) {
            sync.waits.push(sync_file(args.rsvd2)?);
        }
        if args.flags.contains(ExecFlags::FENCE_SUBMIT) {
            sync.begins_after = Some(sync_file(args.rsvd2)?);
        }
        if args.flags.contains(ExecFlags::FENCE_ARRAY) {
            let count = u64::from(args.num_cliprects);
            let fences = read_fences(args.cliprects_ptr, count)?;
            let points = vec![0; fences.len()];
            sync.add(file, &fences, &points, false)?;
        }
        if args.flags.contains(ExecFlags::USE_EXTENSIONS) {
            let mut seen = false;
            for_each_extension(args.cliprects_ptr, |name, address| {
                ensure!(
                    name == EXECBUFFER_EXT_TIMELINE_FENCES && !std::mem::replace(&mut seen, true),
                    EINVAL,
                    "extension {name}: there is only {EXECBUFFER_EXT_TIMELINE_FENCES}, once"
                );
                let list: ExecTimelineFences = read_extension(address)?;
                let (count, places) = (list.fence_count, (list.handles_ptr, list.values_ptr));
                // The usual case: both are there.
                let both = match count <= FENCE_LIMIT {
                    true => user::read_arrays(places, count),
                    false => None,
                };
                let (fences, points): (_, Vec<u64>) = match both {
                    Some(both) => both,
                    None => (
                        read_fences(places.0, count)?,
                        user::read_array(places.1, count)?,
                    ),
                };
                sync.add(file, &fences, &points, true)
            })?;
        }
        Ok(sync)
    }

    /// Adds fences at points, 0 for everything that a sync object holds (Linux, `add_fence_array`
    /// and `add_timeline_fence_array`).
    fn add(&mut self, file: &File, fences: &[ExecFence], points: &[u64], timeline: bool) -> Answer {
        for (fence, point) in fences.iter().zip(points) {
            let known = ExecFenceFlags::WAIT | ExecFenceFlags::SIGNAL;
            let handle = fence.handle;
            ensure!(
                (fence.flags - known).is_empty(),
                EINVAL,
                "fence of sync object {handle}: flags {:?} are not known",
                fence.flags - known
            );
            let object = file.syncobj(fence.handle)?;
            let signal = fence.flags.contains(ExecFenceFlags::SIGNAL);
            if fence.flags.contains(ExecFenceFlags::WAIT) {
                match object.fence(*point) {
                    // It would wait for itself.
                    Some(_) | None if signal && *point != 0 => refuse!(
                        EINVAL,
                        "fence of sync object {handle}: point {point} would wait for itself"
                    ),
                    Some(fence) => self.waits.push(fence),
                    // In a timeline's array, an object to be signalled may be empty.
                    None if signal && timeline => {}
                    None => refuse!(
                        EINVAL,
                        "fence of sync object {handle}: nothing is there at point {point}"
                    ),
                }
            }
            if signal {
                self.signals.push((object, *point));
            }
        }
        Ok(())
    }
}

/// The fence of a sync file, whose fd is the lower half of `rsvd2`.
fn sync_file(rsvd2: u64) -> Answer<Arc<Fence>> {
    let fd = rsvd2 as u32 as i32;
    import(fd).map_err(|_| Refusal::new(Errno::EINVAL, format!("rsvd2: fd {fd} is no sync file")))
}

fn read_fences(address: u64, count: u64) -> Answer<Vec<ExecFence>> {
    ensure!(
        count <= FENCE_LIMIT,
        EINVAL,
        "{count} fences: at most {FENCE_LIMIT}"
    );
    Ok(user::read_array(address, count)?)
}
