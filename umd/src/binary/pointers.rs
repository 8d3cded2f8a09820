//! What code does with pointers: which alignment blocks ask of them where it computes addresses itself.

use devinfo::{Family, WalkerKind};
use isa_encoder::audit::{Start, Value, pointers};
use isa_encoder::message::Direction;

use super::accesses::{BLOCK_READ, BLOCK_WRITE};
use super::entry::{KernelAbi, PayloadValue};

/// What code does with arguments, as far as it proves it.
#[derive(Debug)]
pub(super) struct Pointers {
    /// The alignment that an argument needs as a pointer of blocks.
    pub alignments: Vec<(usize, u32)>,
    /// The arguments whose alignment the code looks at: it may access those in blocks alone that have it.
    pub examined: Vec<usize>,
}

pub(super) fn of(entry: &KernelAbi, family: Family, code: &[u8]) -> Pointers {
    let grf = family.grf_bytes() as u32;
    // Where each pointer is in the payload.
    let fields = entry.payload.iter().filter_map(|field| match field.value {
        PayloadValue::Address { arg } if field.size >= 4 => {
            Some((field.offset, Value::pointer(u16::try_from(arg).ok()?)))
        }
        _ => None,
    });
    let fields: Vec<(u32, Value)> = fields.collect();
    // The first register, and how many bytes there are in registers; the rest is in memory.
    let (register, loaded) = match family.walker() {
        WalkerKind::Gpgpu => (entry.cross_thread_register(family), u32::MAX),
        WalkerKind::Compute => (1, entry.inline_bytes()),
    };
    let in_registers = fields.iter().filter_map(|&(offset, value)| {
        let byte = (register * grf).checked_add(offset)?;
        let is_there = offset.checked_add(4)? <= loaded && byte.is_multiple_of(4);
        is_there.then_some((u16::try_from(byte / 4).ok()?, value))
    });
    let registers: Vec<_> = in_registers.collect();
    let memory = |at: u32| {
        let offset = at.checked_add(loaded);
        let mut fields = fields.iter();
        let found = fields.find(|(known, _)| Some(*known) == offset);
        found.map_or(Value::UNKNOWN, |&(_, value)| value)
    };
    let start = Start {
        registers: &registers,
        memory: &memory,
    };
    let found = pointers(family, code, &start);
    let alignments = found.blocks.iter().map(|block| {
        let alignment = match block.direction {
            Direction::Read => BLOCK_READ,
            Direction::Write => BLOCK_WRITE,
        };
        (usize::from(block.pointer), block.alignment(alignment))
    });
    Pointers {
        alignments: alignments.collect(),
        examined: found.examined.into_iter().map(usize::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    fn alignments(platform: &str, text: &str) -> Vec<u32> {
        let text = format!(
            "//.platform {platform}\n//.kernel k\n//.simd 16\n//.arg a ptr\n//.arg n u32\n\
             //.arg b ptr\n{text}\n"
        );
        let binary = crate::Binary::assemble(&text, None).unwrap();
        let args = &binary.kernel("k").unwrap().args;
        args.iter().map(|arg| arg.alignment).collect()
    }

    /// The pointers lie in r2 on Tiger Lake, at bytes 0 and 16, and in r1 on Battlemage.
    #[test]
    fn pointers_of_the_payload_are_arguments() {
        let header = |from: &str| format!("(W) mov (2|M0) r10.0<1>:ud {from}<1;1,0>:ud\n");
        let write = "(W) send.dc1 (16|M0) null r10 r8 0x80 0x020D43FF";
        let read = "(W) send.dc1 (16|M0) r20 r10 null 0x0 0x022D0CFF";
        assert_eq!(
            alignments("tgl", &[&header("r2.0"), write].concat()),
            [16, 1, 1]
        );
        assert_eq!(
            alignments("tgl", &[&header("r2.4"), write].concat()),
            [1, 1, 16]
        );
        assert_eq!(
            alignments("tgl", &[&header("r2.4"), read].concat()),
            [1, 1, 4]
        );
        assert_eq!(
            alignments("tgl", &[&header("r2.2"), write].concat()),
            [1, 1, 1]
        );
        let looks = "(W) and (1|M0) r3.0<1>:ud r2.0<0;1,0>:ud 15:w\n";
        assert_eq!(
            alignments("tgl", &[looks, &header("r2.0"), write].concat()),
            [1, 1, 1]
        );
        assert_eq!(
            alignments("tgl", &[looks, &header("r2.4"), write].concat()),
            [1, 1, 16]
        );
        let load = "(W) load.ugm.d32x16t.a64 (1|M0) r20:1 [r10:1]";
        let from = |from: &str| alignments("bmg", &[&header(from), load].concat());
        assert_eq!(from("r1.0"), [4, 1, 1]);
        assert_eq!(from("r1.4"), [1, 1, 4]);
        assert_eq!(from("r2.0"), [1, 1, 1]);
    }
}
