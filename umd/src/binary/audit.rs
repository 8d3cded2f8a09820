//! What the text of a kernel proves before it runs.

use devinfo::WalkerKind;
use isa_encoder::audit::{Declared, Finding, audit};
use isa_encoder::validate::Machine;

use super::{Binary, KernelAbi};

impl Binary {
    /// What is wrong with a kernel, as far as its instructions and what it declares prove: see
    /// [`isa_encoder::audit`]. `None` if there is no such kernel.
    pub fn audit(&self, kernel: &str) -> Option<Vec<Finding>> {
        let abi = self.entry(kernel)?;
        let code = self.code(kernel)?;
        let mut findings = audit(code, &self.declared(abi));
        for finding in &mut findings {
            let line = self.source_line(kernel, finding.offset as u64);
            finding.source = line.map(|line| line.to_string());
        }
        Some(findings)
    }

    fn declared(&self, abi: &KernelAbi) -> Declared {
        let platform = self.target.platform;
        let registers = u16::try_from(abi.info.grf_count).unwrap_or(u16::MAX);
        let grf = platform.family.grf_bytes() as u32;
        // From its first instruction on, a thread of a compute walker loads all but this itself.
        let payload = match platform.family.walker() {
            WalkerKind::Compute => grf + abi.inline_data.next_multiple_of(grf),
            WalkerKind::Gpgpu => {
                let before = abi.cross_thread_register(platform.family) * grf;
                before + abi.cross_thread_size.next_multiple_of(grf)
            }
        };
        Declared {
            machine: Machine::from(platform).with_registers(registers),
            barriers: Some(abi.info.barriers),
            payload: Some(payload),
            surfaces: Some(abi.surfaces.iter().map(|slot| slot.index).collect()),
            samplers: Some(abi.samplers.iter().map(|slot| slot.index).collect()),
        }
    }
}
