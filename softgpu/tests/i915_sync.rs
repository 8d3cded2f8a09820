//! i915's fences, priorities and resets, ioctl by ioctl. Errors as in Linux
//! `drivers/gpu/drm/i915`.

#![cfg(test)]

mod common;

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use common::raw::{BASE, BYTES, Memory, Raw, address, eventually, gpu, store, wait_while};
use devinfo::Family;
use kmd_iface::generic;
use kmd_iface::i915::calls;
use kmd_iface::uapi::drm::{GEM_CLOSE, GemClose, SyncobjCreateFlags, SyncobjWaitFlags};
use kmd_iface::uapi::i915::context::{self, ContextParam, ContextParamArgs, ResetStats};
use kmd_iface::uapi::i915::exec::{
    self, EXECBUFFER2_WR, ExecBuffer2, ExecFence, ExecFenceFlags, ExecFlags, ExecObject,
    ExecObjectFlags, ExecTimelineFences,
};
use kmd_iface::uapi::i915::gem::{CREATE, Create, USERPTR, Userptr};
use nix::errno::Errno;
use softgpu::Options;

const WAIT: ExecFenceFlags = ExecFenceFlags::WAIT;
const SIGNAL: ExecFenceFlags = ExecFenceFlags::SIGNAL;
const BOTH: ExecFenceFlags = ExecFenceFlags(3);
const BLT: u64 = exec::BLT;

struct Rig {
    raw: Raw,
    memory: Memory,
    handle: u32,
    family: Family,
}

impl Rig {
    fn new(platform: &str) -> Self {
        Self::with(platform, common::impatient())
    }

    fn with(platform: &str, options: Options) -> Self {
        let raw = Raw::on(platform, options);
        let memory = Memory::new();
        let mut argument = Userptr {
            user_ptr: memory.address(),
            user_size: BYTES,
            ..Default::default()
        };
        raw.call(USERPTR, &mut argument).unwrap();
        let family = raw.node.device().platform.family;
        Self {
            handle: argument.handle,
            raw,
            memory,
            family,
        }
    }

    fn context(&self) -> u32 {
        let settings = calls::ContextSettings {
            recoverable: true,
            ..Default::default()
        };
        calls::context_create(self.raw.node.as_ref(), &settings).unwrap()
    }

    /// Submits the batch at `offset`, with the additions of `more`.
    fn exec(&self, context: u32, offset: u64, more: ExecBuffer2) -> Result<ExecBuffer2, Errno> {
        let mut object = ExecObject {
            handle: self.handle,
            offset: BASE,
            flags: ExecObjectFlags(
                ExecObjectFlags::PINNED.0
                    | ExecObjectFlags::SUPPORTS_48B_ADDRESS.0
                    | ExecObjectFlags::ASYNC.0,
            ),
            ..Default::default()
        };
        let mut argument = ExecBuffer2 {
            buffers_ptr: address(&mut object),
            buffer_count: 1,
            batch_start_offset: offset as u32,
            rsvd1: context.into(),
            ..more
        };
        self.raw.call(EXECBUFFER2_WR, &mut argument)?;
        Ok(argument)
    }

    fn plain(&self, context: u32, offset: u64) -> Result<(), Errno> {
        self.exec(context, offset, ExecBuffer2::default()).map(drop)
    }

    /// Submits with an array of binary fences.
    fn with_array(&self, context: u32, offset: u64, fences: &mut [ExecFence]) -> Result<(), Errno> {
        let more = ExecBuffer2 {
            num_cliprects: fences.len() as u32,
            cliprects_ptr: address(fences),
            flags: ExecFlags::FENCE_ARRAY,
            ..Default::default()
        };
        self.exec(context, offset, more).map(drop)
    }

    /// Submits with points of timelines.
    fn with_points(
        &self,
        context: u32,
        offset: u64,
        fences: &mut [ExecFence],
        points: &mut [u64],
        engine: u64,
    ) -> Result<(), Errno> {
        let mut extension = ExecTimelineFences {
            fence_count: fences.len() as u64,
            handles_ptr: address(fences),
            values_ptr: address(points),
            ..Default::default()
        };
        let more = ExecBuffer2 {
            cliprects_ptr: address(&mut extension),
            flags: ExecFlags(ExecFlags::USE_EXTENSIONS.0 | engine),
            ..Default::default()
        };
        self.exec(context, offset, more).map(drop)
    }

    fn syncobj(&self) -> u32 {
        generic::syncobj_create(self.raw.node.as_ref(), SyncobjCreateFlags::empty()).unwrap()
    }

    fn wait_point(&self, handle: u32, point: u64, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let flags = SyncobjWaitFlags::WAIT_FOR_SUBMIT;
        let node = self.raw.node.as_ref();
        generic::syncobj_timeline_wait(node, &[(handle, point)], flags, deadline).unwrap()
    }

    fn set(&self, ctx_id: u32, param: ContextParam, size: u32, value: i64) -> Result<(), Errno> {
        let mut argument = ContextParamArgs {
            ctx_id,
            size,
            param: param as u64,
            value: value.cast_unsigned(),
        };
        self.raw
            .call(context::CONTEXT_SETPARAM, &mut argument)
            .map(drop)
    }

    fn stats(&self, ctx_id: u32) -> (u32, u32) {
        let mut argument = ResetStats {
            ctx_id,
            ..Default::default()
        };
        self.raw
            .call(context::GET_RESET_STATS, &mut argument)
            .unwrap();
        (argument.batch_active, argument.batch_pending)
    }
}

fn fence(handle: u32, flags: ExecFenceFlags) -> ExecFence {
    ExecFence { handle, flags }
}

#[test]
fn fence_arrays_are_checked() {
    let rig = Rig::new("tgl");
    let context = rig.context();
    rig.memory.write_batch(0, &store(0, 1));
    let object = rig.syncobj();
    let unknown = ExecFenceFlags(4);
    for (flags, handle, outcome) in [
        (WAIT, object, Err(Errno::EINVAL)),
        (BOTH, object, Err(Errno::EINVAL)),
        (unknown, object, Err(Errno::EINVAL)),
        (SIGNAL, 99, Err(Errno::ENOENT)),
        (SIGNAL, object, Ok(())),
        // Now there is a fence in it.
        (WAIT, object, Ok(())),
        (BOTH, object, Ok(())),
    ] {
        let done = rig.with_array(context, 0, &mut [fence(handle, flags)]);
        assert_eq!(done, outcome, "{flags:?} of {handle}");
    }
    let timeline = rig.syncobj();
    for (flags, handle, point, outcome) in [
        (WAIT, timeline, 0, Err(Errno::EINVAL)),
        (WAIT, timeline, 1, Err(Errno::EINVAL)),
        // It would wait for itself.
        (BOTH, timeline, 1, Err(Errno::EINVAL)),
        (unknown, timeline, 1, Err(Errno::EINVAL)),
        (SIGNAL, 99, 1, Err(Errno::ENOENT)),
        (SIGNAL, timeline, 1, Ok(())),
        (WAIT, timeline, 1, Ok(())),
        (WAIT, timeline, 2, Err(Errno::EINVAL)),
        (BOTH, timeline, 2, Err(Errno::EINVAL)),
    ] {
        let mut fences = [fence(handle, flags)];
        let done = rig.with_points(context, 0, &mut fences, &mut [point], 0);
        assert_eq!(done, outcome, "{flags:?} of {handle} at {point}");
    }
    // An object to be signalled may be empty.
    let empty = rig.syncobj();
    rig.with_points(context, 0, &mut [fence(empty, BOTH)], &mut [0], 0)
        .unwrap();
    let flags = |flags: ExecFlags| ExecBuffer2 {
        flags,
        rsvd2: u64::from(u32::MAX),
        ..Default::default()
    };
    for fd in [ExecFlags::FENCE_IN, ExecFlags::FENCE_SUBMIT] {
        let errno = rig.exec(context, 0, flags(fd)).unwrap_err();
        assert_eq!(errno, Errno::EINVAL, "{fd:?} of no fd");
    }
    let both = ExecFlags(ExecFlags::FENCE_IN.0 | ExecFlags::FENCE_SUBMIT.0);
    assert_eq!(
        rig.exec(context, 0, flags(both)).unwrap_err(),
        Errno::EINVAL
    );
}

#[test]
fn timelines_chain_contexts_on_two_engines() {
    for platform in ["bdw", "skl", "icl", "tgl", "dg2"] {
        let rig = Rig::new(platform);
        let contexts = [rig.context(), rig.context(), rig.context()];
        let timeline = rig.syncobj();
        rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
        rig.with_points(contexts[0], 0, &mut [fence(timeline, SIGNAL)], &mut [1], 0)
            .unwrap();
        let steps = 20u64;
        for step in 1..=steps {
            let [low, high] = gpu(8);
            let add = [
                0x1780_0000 | 9 | 7 << 8 | 1 << 18,
                low,
                high,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
            ];
            let copy = [0x1700_0003, low + 8 * step as u32, high, low, high];
            rig.memory
                .write_batch(0x400 * step, &[&add[..], &copy[..]].concat());
            let mut fences = [fence(timeline, WAIT), fence(timeline, SIGNAL)];
            let engine = if step % 2 == 0 { BLT } else { 0 };
            rig.with_points(
                contexts[step as usize % 3],
                0x400 * step,
                &mut fences,
                &mut [step, step + 1],
                engine,
            )
            .unwrap();
        }
        assert!(!rig.wait_point(timeline, steps + 1, Duration::from_millis(20)));
        assert_eq!(rig.memory.dword(8), 0, "{platform}");
        rig.memory.set_dword(0, 1);
        assert!(rig.wait_point(timeline, steps + 1, Duration::from_secs(20)));
        for step in 1..=steps {
            let seen = rig.memory.dword(8 + 8 * step);
            assert_eq!(u64::from(seen), step, "{platform}");
        }
    }
}

#[test]
fn sync_files_order_batches() {
    let rig = Rig::new("tgl");
    let (first, second) = (rig.context(), rig.context());
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    rig.memory.write_batch(0x1000, &store(8, 1));
    let out = |flags| ExecBuffer2 {
        flags,
        ..Default::default()
    };
    let done = rig.exec(first, 0, out(ExecFlags::FENCE_OUT)).unwrap();
    // SAFETY: the ioctl has given the fd to us.
    let fd = unsafe { OwnedFd::from_raw_fd((done.rsvd2 >> 32) as i32) };
    let after = |flags| ExecBuffer2 {
        flags,
        rsvd2: fd.as_raw_fd() as u64,
        ..Default::default()
    };
    rig.exec(second, 0x1000, after(ExecFlags::FENCE_IN))
        .unwrap();
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(rig.memory.dword(8), 0);
    // Another waits only for the beginning.
    rig.memory.write_batch(0x2000, &store(16, 1));
    let third = rig.context();
    rig.exec(third, 0x2000, after(ExecFlags::FENCE_SUBMIT))
        .unwrap();
    eventually("the batch beside", || rig.memory.dword(16) == 1);
    assert_eq!(rig.memory.dword(8), 0);
    rig.memory.set_dword(0, 1);
    eventually("the batch behind", || rig.memory.dword(8) == 1);
}

/// A batch waits for the beginning of another, which itself must wait.
#[test]
fn submit_fences_wait_for_the_beginning() {
    let rig = Rig::new("tgl");
    let contexts = [rig.context(), rig.context(), rig.context()];
    let gate = rig.syncobj();
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    rig.with_array(contexts[0], 0, &mut [fence(gate, SIGNAL)])
        .unwrap();
    // It waits for the gate, and then for another dword.
    rig.memory
        .write_batch(0x1000, &wait_while(rig.family, 8, 0));
    let mut fences = [fence(gate, WAIT)];
    let gated = ExecBuffer2 {
        num_cliprects: 1,
        cliprects_ptr: address(&mut fences),
        flags: ExecFlags(ExecFlags::FENCE_ARRAY.0 | ExecFlags::FENCE_OUT.0),
        ..Default::default()
    };
    let done = rig.exec(contexts[1], 0x1000, gated).unwrap();
    // SAFETY: the ioctl has given the fd to us.
    let fd = unsafe { OwnedFd::from_raw_fd((done.rsvd2 >> 32) as i32) };
    rig.memory.write_batch(0x2000, &store(16, 1));
    let beside = ExecBuffer2 {
        flags: ExecFlags::FENCE_SUBMIT,
        rsvd2: fd.as_raw_fd() as u64,
        ..Default::default()
    };
    rig.exec(contexts[2], 0x2000, beside).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(rig.memory.dword(16), 0, "the other has not begun");
    rig.memory.set_dword(0, 1);
    eventually("the batch beside", || rig.memory.dword(16) == 1);
    assert_eq!(rig.memory.dword(8), 0, "the other has not ended");
    rig.memory.set_dword(8, 1);
}

#[test]
fn priorities_have_bounds_and_need_privileges() {
    for privileged in [false, true] {
        let options = Options {
            privileged,
            ..common::impatient()
        };
        let rig = Rig::with("tgl", options);
        let context = rig.context();
        let raised = match privileged {
            true => Ok(()),
            false => Err(Errno::EPERM),
        };
        for (value, outcome) in [
            (-1023, Ok(())),
            (0, Ok(())),
            (1, raised),
            (1023, raised),
            (-1024, Err(Errno::EINVAL)),
            (1024, Err(Errno::EINVAL)),
            (i64::MIN, Err(Errno::EINVAL)),
        ] {
            let done = rig.set(context, ContextParam::Priority, 0, value);
            assert_eq!(done, outcome, "{value}, privileged: {privileged}");
        }
        let sized = rig.set(context, ContextParam::Priority, 8, 0);
        assert_eq!(sized, Err(Errno::EINVAL));
        assert_eq!(rig.set(context, ContextParam::Bannable, 0, 0), raised);
        assert_eq!(rig.set(context, ContextParam::Bannable, 0, 1), Ok(()));
    }
}

/// Batches of several contexts become ready at once; those of higher priority go first.
#[test]
fn ready_batches_run_in_the_order_of_their_priorities() {
    let rig = Rig::new("tgl");
    let gate = rig.syncobj();
    let opener = rig.context();
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    let mut copy = [fence(gate, SIGNAL)];
    let on_blitter = ExecBuffer2 {
        num_cliprects: 1,
        cliprects_ptr: address(&mut copy),
        flags: ExecFlags(ExecFlags::FENCE_ARRAY.0 | BLT),
        ..Default::default()
    };
    rig.exec(opener, 0, on_blitter).unwrap();
    // The lowest is submitted first. Each takes a number when it begins and one when it ends.
    let priorities = [-300, -200, -100, 0];
    for (index, priority) in (0u64..).zip(priorities) {
        let context = rig.context();
        rig.set(context, ContextParam::Priority, 0, priority)
            .unwrap();
        let [low, high] = gpu(8);
        let take = [0x1780_0000 | 1 | 5 << 8 | 1 << 16, low, high];
        let note = |at: u64| {
            let [low, high] = gpu(at);
            [0x1200_0002, 0x2620, low, high]
        };
        let at = 64 + 16 * index;
        let mut batch = [&take[..], &note(at)[..]].concat();
        for value in 0..100 {
            batch.extend(store(1024, value));
        }
        batch.extend([&take[..], &note(at + 8)[..]].concat());
        let offset = 0x1000 * (index + 1);
        rig.memory.write_batch(offset, &batch);
        rig.with_array(context, offset, &mut [fence(gate, WAIT)])
            .unwrap();
    }
    rig.memory.set_dword(0, 1);
    eventually("all", || rig.memory.dword(8) == 8);
    let spans: Vec<(u32, u32)> = (0..4)
        .map(|index| {
            let at = 64 + 16 * index;
            let ended = || rig.memory.dword(at + 8);
            eventually("the note", || index == 0 || ended() != 0);
            (rig.memory.dword(at), ended())
        })
        .collect();
    // Numbers count from 0: the highest has 0 and 1, the lowest 6 and 7.
    eventually("the last note", || rig.memory.dword(64 + 8) == 7);
    assert_eq!(spans[3], (0, 1), "{spans:?}");
    assert_eq!(spans[2], (2, 3), "{spans:?}");
    assert_eq!(spans[1], (4, 5), "{spans:?}");
}

#[test]
fn contexts_recover_from_hangs_until_they_hang_too_often() {
    for platform in ["skl", "dg2"] {
        let rig = Rig::new(platform);
        rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
        // A register says whether the context's state was reset.
        let gpr = 0x2640;
        let [low, high] = gpu(16);
        let mut after = store(8, 1).to_vec();
        after.extend([0x1200_0002, gpr, low, high]);
        rig.memory.write_batch(0x1000, &after);
        rig.memory.write_batch(0x2000, &[0x1100_0001, gpr, 0x77]);
        let context = rig.context();
        for hang in 1..=2 {
            rig.plain(context, 0x2000).unwrap();
            rig.plain(context, 0).unwrap();
            eventually("the hang", || rig.stats(context).0 == hang);
            rig.memory.set_dword(8, 0);
            rig.memory.set_dword(16, 1);
            rig.plain(context, 0x1000).unwrap();
            eventually("what follows", || rig.memory.dword(8) == 1);
            eventually("the reset", || rig.memory.dword(16) == 0);
        }
        rig.plain(context, 0).unwrap();
        eventually("the third hang", || rig.stats(context).0 == 3);
        eventually("the ban", || rig.plain(context, 0x1000) == Err(Errno::EIO));
        // A context that must not recover is lost at once, and its queued work with it.
        let strict = rig.context();
        rig.set(strict, ContextParam::Recoverable, 0, 0).unwrap();
        rig.plain(strict, 0).unwrap();
        rig.plain(strict, 0x1000).unwrap();
        eventually("its hang", || rig.stats(strict) == (1, 1));
        assert_eq!(rig.plain(strict, 0x1000), Err(Errno::EIO), "{platform}");
        // Other contexts are unaffected.
        let other = rig.context();
        rig.memory.set_dword(8, 0);
        rig.plain(other, 0x1000).unwrap();
        eventually("another's store", || rig.memory.dword(8) == 1);
        assert_eq!(rig.stats(other), (0, 0));
    }
    let options = Options {
        privileged: true,
        ..common::impatient()
    };
    let rig = Rig::with("tgl", options);
    rig.memory.write_batch(0, &wait_while(rig.family, 0, 0));
    let context = rig.context();
    rig.set(context, ContextParam::Bannable, 0, 0).unwrap();
    for hang in 1..=4 {
        rig.plain(context, 0).unwrap();
        eventually("a hang", || rig.stats(context).0 == hang);
    }
}

#[test]
fn a_list_that_was_submitted_before_means_what_its_handles_mean_now() {
    let rig = Rig::new("tgl");
    let create = || {
        let mut create = Create {
            size: 4096,
            ..Default::default()
        };
        rig.raw.call(CREATE, &mut create).unwrap();
        create.handle
    };
    let first = create();
    let submit = |offset| {
        let mut objects = [(first, 0x4000_0000), (rig.handle, BASE)].map(|(handle, offset)| {
            let flags = ExecObjectFlags::PINNED.0 | ExecObjectFlags::SUPPORTS_48B_ADDRESS.0;
            ExecObject {
                handle,
                offset,
                flags: ExecObjectFlags(flags),
                ..Default::default()
            }
        });
        let mut argument = ExecBuffer2 {
            buffers_ptr: address(&mut objects),
            buffer_count: 2,
            batch_start_offset: offset,
            ..Default::default()
        };
        rig.raw.call(EXECBUFFER2_WR, &mut argument).map(drop)
    };
    // A dword of the first object, at its end.
    let [low, high] = [0x4000_0ffc, 0];
    rig.memory.write_batch(0x100, &[0x1000_0002, low, high, 77]);
    let [data, data_high] = gpu(0x40);
    // MI_COPY_MEM_MEM from there to the data.
    let copy = [0x1700_0003, data, data_high, low, high];
    rig.memory.write_batch(0x200, &copy);
    for offset in [0x100, 0x200, 0x100, 0x200] {
        submit(offset).unwrap();
    }
    eventually("the copy", || rig.memory.dword(0x40) == 77);
    let mut close = GemClose {
        handle: first,
        ..Default::default()
    };
    rig.raw.call(GEM_CLOSE, &mut close).unwrap();
    assert_eq!(submit(0x200), Err(Errno::ENOENT));
    // Another object with the same handle has other bytes.
    assert_eq!(create(), first);
    submit(0x200).unwrap();
    eventually("the other copy", || rig.memory.dword(0x40) == 0);
}

/// A batch that stores until it is stopped.
fn endless() -> Vec<u32> {
    let again = [0x1880_0101, BASE as u32, 0];
    [&store(8, 1)[..], &again].concat()
}

#[test]
fn work_that_ends_with_its_context_has_ended_when_that_is_destroyed() {
    let rig = Rig::with("tgl", Options::default());
    rig.memory.write_batch(0, &endless());
    let context = rig.context();
    rig.set(context, ContextParam::Persistence, 0, 0).unwrap();
    let done = rig.syncobj();
    rig.with_array(context, 0, &mut [fence(done, SIGNAL)])
        .unwrap();
    // This one waits for it.
    let after = rig.syncobj();
    rig.with_array(context, 0, &mut [fence(after, SIGNAL)])
        .unwrap();
    eventually("a store", || rig.memory.dword(8) == 1);
    calls::context_destroy(rig.raw.node.as_ref(), context).unwrap();
    // A client may free its pages now.
    for fence in [done, after] {
        assert!(rig.wait_point(fence, 0, Duration::ZERO));
    }
}

#[test]
fn submissions_are_in_one_order_for_all_that_they_use() {
    let rig = Rig::new("tgl");
    rig.memory.write_batch(0, &store(8, 1));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        // Another one is between the question who uses its buffers and its own use of them.
        let other = rig.raw.node.device().reserve();
        scope.spawn(|| tell.send(rig.plain(0, 0)).unwrap());
        let early = told.recv_timeout(Duration::from_millis(100));
        assert!(early.is_err() && rig.memory.dword(8) == 0);
        drop(other);
        assert_eq!(told.recv().unwrap(), Ok(()));
    });
    eventually("the store", || rig.memory.dword(8) == 1);
}
