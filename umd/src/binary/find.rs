//! Which kernel of a file some code is.

use kmd_iface::{CodeReader, FoundKernel};

use super::{Binary, KernelAbi};

impl Binary {
    /// The kernel that memory has, whose threads begin where `read` begins. Addresses that are patched
    /// into code are not compared.
    pub fn kernel_at(&self, read: CodeReader<'_>) -> Option<FoundKernel> {
        self.entries.iter().find_map(|entry| {
            let starts = [0, entry.entry_with_ids];
            let mut starts = starts.into_iter().map(u64::from);
            let skipped = starts.find(|skipped| self.has(entry, *skipped, read))?;
            Some(FoundKernel {
                name: entry.info.name.clone(),
                skipped,
                source: self.lines.of_kernel(entry.segment),
            })
        })
    }

    /// Whether memory has a kernel's code, from `skipped` bytes before the place on.
    fn has(&self, entry: &KernelAbi, skipped: u64, read: CodeReader<'_>) -> bool {
        let Some(segment) = self.segments.get(entry.segment) else {
            return false;
        };
        let mut code = vec![0; segment.data.len()];
        if code.is_empty() || !read(-(skipped as i64), &mut code) {
            return false;
        }
        let patched = self.relocations.iter();
        for patched in patched.filter(|patched| patched.segment == entry.segment) {
            let bytes = patched.offset..patched.offset.saturating_add(patched.patch.bytes());
            if let (Some(there), Some(here)) =
                (code.get_mut(bytes.clone()), segment.data.get(bytes))
            {
                there.copy_from_slice(here);
            }
        }
        code == segment.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_where_its_threads_begin() {
        let text = "//.platform tgl\n//.kernel first\n//.simd 16\n(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n\
                    (W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}\n\
                    //.kernel second\n//.simd 16\n(W) mov (8|M0) r126.0<1>:ud r0.0<8;8,1>:ud\n\
                    (W) send.ts (8|M0) null r126 null 0x0 0x02000010 {EOT,@1}\n";
        let binary = Binary::assemble(text, None).unwrap();
        let memory = [&[0; 16], binary.code("second").unwrap(), &[1; 8]].concat();
        let at = |start: i64| {
            let found = binary.kernel_at(&|offset, out| {
                let from = usize::try_from(start + offset).ok();
                let bytes = from.and_then(|from| memory.get(from..from + out.len()));
                bytes.inspect(|bytes| out.copy_from_slice(bytes)).is_some()
            });
            found.map(|found| found.name)
        };
        assert_eq!(at(16).as_deref(), Some("second"));
        assert_eq!([at(0), at(32)], [None, None]);
    }
}
