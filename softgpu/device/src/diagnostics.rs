//! What the device knows beyond any kernel driver, in the words of the driver's boundary.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use devinfo::GpuAddress;
use kmd_iface::{ErrorKind, ErrorReport, Forbidden, KernelFinder, Purpose, Violation};

use crate::cs::Failure;
use crate::device::Device;
use crate::dispatch::DispatchError;

impl Device {
    /// What it has done since it was opened.
    pub fn done(&self) -> kmd_iface::Statistics {
        let counters = &self.statistics;
        kmd_iface::Statistics {
            threads: counters.threads.load(Relaxed),
            instructions: counters.instructions.load(Relaxed),
            lanes: counters.channels.load(Relaxed),
            groups_done: counters.groups_ended.load(Relaxed),
            groups_total: counters.groups.load(Relaxed),
        }
    }

    /// Takes the rules that kernels have broken since the last call.
    pub fn take_violations(&self) -> Vec<Violation> {
        let found = self.findings.take().into_iter();
        found
            .map(|one| Violation {
                kernel: one.name.clone(),
                rule: one.rule.to_string(),
                offset: one.offset(),
                source: one.source,
                instruction: one.text.trim().to_owned(),
                detail: one.detail,
            })
            .collect()
    }

    /// A driver says what the memory of an object is for ([`kmd_iface::Diagnostics::bound`]).
    pub fn bound(&self, address: GpuAddress, size: u64, mapped: u64, purpose: Purpose) {
        let purpose = match purpose {
            Purpose::Buffer => softgpu_eu::Purpose::Buffer,
            Purpose::Image => softgpu_eu::Purpose::Image,
            Purpose::Print => softgpu_eu::Purpose::Print,
            Purpose::Threads => softgpu_eu::Purpose::Threads,
            Purpose::Driver => softgpu_eu::Purpose::Driver,
        };
        self.findings.bound(address, size, mapped, purpose);
    }

    /// A driver says what kernels of programs may not do ([`kmd_iface::Diagnostics::forbids`]).
    pub fn forbids(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.findings.forbids(address, size, forbidden(what));
    }

    /// A driver says that this is over ([`kmd_iface::Diagnostics::permits`]).
    pub fn permits(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.findings.permits(address, size, forbidden(what));
    }

    /// This finds kernels that no driver names ([`kmd_iface::Diagnostics::finds_kernels`]).
    pub fn finds_kernels(&self, finder: KernelFinder) {
        self.findings.finds_kernels(Arc::new(move |read| {
            let found = finder(read)?;
            Some((found.name, found.skipped, found.source))
        }));
    }
}

fn forbidden(Forbidden { reads, writes, why }: Forbidden) -> softgpu_eu::Forbidden {
    softgpu_eu::Forbidden { reads, writes, why }
}

impl Failure {
    /// The report of the failure.
    pub fn report(&self) -> ErrorReport {
        let fault = self.page_fault();
        let mut details = Vec::new();
        if let Failure::Dispatch { error, kernel, .. } = self {
            details.push(format!("the kernel starts at {kernel}"));
            if let DispatchError::Hang { threads, .. } = error {
                details.extend(threads.iter().map(ToString::to_string));
            }
        }
        ErrorReport {
            kind: match fault {
                _ if self.is_hang() => ErrorKind::Hang,
                Some(_) => ErrorKind::PageFault,
                None => ErrorKind::Other,
            },
            summary: self.to_string(),
            details,
            address: fault,
            instruction: self.instruction(),
        }
    }
}
