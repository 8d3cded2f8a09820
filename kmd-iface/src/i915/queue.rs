//! Queues: a context with one engine, and a timeline sync object.

use super::calls::{self, ContextSettings, ExecFences, Execution, FencePoint};
use crate::generic;
use crate::space::Space;
use crate::uapi::drm::SyncobjCreateFlags;
use crate::uapi::i915 as uapi;
use crate::uapi::i915::EngineClassInstance;
use crate::uapi::i915::context::{ContextParam, MAX_USER_PRIORITY, MIN_USER_PRIORITY};
use crate::uapi::i915::exec::{ExecFenceFlags, ExecFlags, ExecObject, ExecObjectFlags};
use crate::{
    AddressSpaceId, BufferHandle, EngineClass, EngineDescription, ErrorKind, ErrorReport, KmdError,
    KmdResult, Node, Priority, QueueStatus, Seqno, Submission,
};

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    /// The context.
    pub(super) context: u32,
    /// The timeline whose points are the seqnos.
    pub(super) timeline: u32,
    /// The address space of the context.
    pub(super) space: AddressSpaceId,
    /// The last submission.
    pub(super) last: Seqno,
}

impl Queue {
    /// Makes the context and the timeline.
    pub(super) fn create(
        node: &dyn Node,
        engine: EngineDescription,
        priority: Priority,
        space: AddressSpaceId,
    ) -> KmdResult<Self> {
        let class = match engine.class {
            EngineClass::Render => uapi::EngineClass::Render,
            EngineClass::Copy => uapi::EngineClass::Copy,
            EngineClass::VideoDecode => uapi::EngineClass::Video,
            EngineClass::VideoEnhance => uapi::EngineClass::VideoEnhance,
            EngineClass::Compute => uapi::EngineClass::Compute,
        };
        let context = calls::context_create(
            node,
            &ContextSettings {
                vm: Some(space.get()),
                engines: &[EngineClassInstance {
                    engine_class: class as u16,
                    engine_instance: engine.instance,
                }],
                // A hung context is lost: results after it would be wrong.
                recoverable: false,
                priority: match priority {
                    Priority::Low => Some(MIN_USER_PRIORITY),
                    Priority::Normal => None,
                    Priority::High => Some(MAX_USER_PRIORITY),
                },
            },
        )?;
        // So that closing the queue ends an endless kernel. Kernels that
        // cannot preempt refuse; their hang check has to do.
        if let Err(error) = calls::context_setparam(node, context, ContextParam::Persistence, 0) {
            tracing::debug!(%error, "context stays persistent");
        }
        match generic::syncobj_create(node, SyncobjCreateFlags::empty()) {
            Ok(timeline) => Ok(Self {
                context,
                timeline,
                space,
                last: Seqno::new(0),
            }),
            Err(error) => {
                calls::context_destroy(node, context)?;
                Err(error)
            }
        }
    }

    /// Destroys the context and the timeline.
    pub(super) fn destroy(self, node: &dyn Node) -> KmdResult<()> {
        calls::context_destroy(node, self.context)?;
        generic::syncobj_destroy(node, self.timeline)
    }

    /// Hands the batch to the kernel, with everything that is bound.
    ///
    /// `flags` gives the flags of each buffer, `wait` the points to wait for.
    pub(super) fn submit(
        &mut self,
        node: &dyn Node,
        space: &Space,
        submission: &Submission<'_>,
        wait: &[FencePoint],
        flags: impl Fn(BufferHandle) -> ExecObjectFlags,
    ) -> KmdResult<Seqno> {
        let (start, batch) =
            space
                .lookup(submission.batch, submission.length)
                .ok_or(KmdError::NotBound {
                    space: self.space,
                    address: submission.batch,
                    length: submission.length,
                })?;
        let offset = submission.batch.get() - start.get();
        let invalid = |what, value, rule| KmdError::Invalid { what, value, rule };
        if !offset.is_multiple_of(8) {
            return Err(invalid("batch address", offset, "a multiple of 8"));
        }
        if submission.length == 0 || !submission.length.is_multiple_of(8) {
            return Err(invalid(
                "batch length",
                submission.length,
                "a multiple of 8 above 0",
            ));
        }
        let (Ok(batch_start), Ok(batch_length)) =
            (u32::try_from(offset), u32::try_from(submission.length))
        else {
            return Err(invalid(
                "batch end",
                offset + submission.length,
                "below 4 GiB in its buffer",
            ));
        };

        let object = |address: devinfo::GpuAddress, buffer: BufferHandle| ExecObject {
            handle: buffer.get(),
            offset: address.canonical(),
            flags: flags(buffer),
            ..Default::default()
        };
        // The batch goes last, where the kernel looks for it.
        let mut objects: Vec<_> = space
            .iter()
            .filter(|(address, _)| *address != start)
            .map(|(address, binding)| object(address, binding.buffer))
            .collect();
        // The kernel refuses batches that say they write themselves.
        let mut last = object(start, batch.buffer);
        last.flags.remove(ExecObjectFlags::WRITE);
        objects.push(last);

        let seqno = Seqno::new(self.last.get() + 1);
        let mut points = wait.to_vec();
        points.push(FencePoint {
            handle: self.timeline,
            point: seqno.get(),
            flags: ExecFenceFlags::SIGNAL,
        });
        calls::execbuffer2(
            node,
            &Execution {
                objects: &objects,
                batch_start,
                batch_length,
                context: self.context,
                flags: ExecFlags::NO_RELOC.with_engine(0),
                fences: ExecFences::Timeline(&points),
                in_fence: None,
                out_fence: false,
            },
        )?;
        self.last = seqno;
        Ok(seqno)
    }
}

/// Whether the context was hit by a reset.
pub(super) fn status(node: &dyn Node, context: u32) -> KmdResult<QueueStatus> {
    let stats = calls::reset_stats(node, context)?;
    if stats.batch_active == 0 && stats.batch_pending == 0 {
        return Ok(QueueStatus::Ok);
    }
    let guilty = stats.batch_active > 0;
    let report = node.error_report(context).unwrap_or_else(|| ErrorReport {
        kind: if guilty {
            ErrorKind::Hang
        } else {
            ErrorKind::Other
        },
        summary: if guilty {
            "a batch did not end and the GPU was reset; the kernel's log and \
             /sys/class/drm/card*/error may tell where"
                .to_owned()
        } else {
            "a GPU reset that another context caused discarded its work".to_owned()
        },
        details: Vec::new(),
        address: None,
        instruction: None,
    });
    Ok(match (guilty, report.kind) {
        (true, ErrorKind::Hang) => QueueStatus::Hung(report),
        (true, ErrorKind::PageFault | ErrorKind::Other) => QueueStatus::Faulted(report),
        (false, _) => QueueStatus::Banned(report),
    })
}
