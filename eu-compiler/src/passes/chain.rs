//! A block takes in the only one that follows it, if that follows no other: what unrolled loops and
//! inlined functions leave becomes one block, in which accesses meet their neighbours.

use super::structure::prune;
use crate::ir::{Block, Function, Op, Replaced, Terminator};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    prune(function);
    let predecessors = function.predecessors();
    let mut replaced = Replaced::default();
    // What each block has become a part of.
    let mut homes: Vec<Block> = (0..function.blocks.len() as u32).map(Block).collect();
    for block in function.order.clone() {
        if homes[block.index()] != block {
            continue;
        }
        while let Terminator::Jump(next) = function.blocks[block.index()].end
            && next != block
            && predecessors[next.index()].len() == 1
        {
            for inst in std::mem::take(&mut function.blocks[next.index()].insts) {
                let data = &function.insts[inst.index()];
                match data.op {
                    Op::Phi(_) => {
                        let only = data.args[0];
                        let only = replaced.find(only);
                        replaced.insert(data.results[0], only);
                    }
                    _ => function.blocks[block.index()].insts.push(inst),
                }
            }
            function.blocks[block.index()].end = function.blocks[next.index()].end;
            homes[next.index()] = block;
        }
    }
    function
        .order
        .retain(|block| homes[block.index()] == *block);
    for block in function.order.clone() {
        for inst in function.blocks[block.index()].insts.clone() {
            if let Op::Phi(blocks) = &mut function.insts[inst.index()].op {
                for from in blocks {
                    *from = homes[from.index()];
                }
            }
        }
    }
    replaced.apply(function);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Cond, Cursor, Function, Input, Op, Space, Terminator, Type, print, verify,
    };
    use crate::target::Target;

    #[test]
    fn a_chain_is_one_block_and_a_loop_stays() {
        let mut function = Function::default();
        let blocks: Vec<_> = (0..5).map(|_| function.add_block()).collect();
        let [first, second, head, body, last] = blocks[..] else {
            panic!("five blocks")
        };
        let mut at = Cursor::new(&mut function, first);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let (zero, one) = (at.constant(Type::I32, 0), at.constant(Type::I32, 1));
        at.block = second;
        let phi = at.one(Op::Phi(vec![first]), &[lane], Type::I32);
        let start = at.bin(Bin::Add, phi, one);
        at.block = head;
        let counter = at.push(Op::Phi(vec![second, body]), &[start, zero], &[Type::I32]);
        let count = at.function.result(counter);
        let more = at.one(Op::Icmp(Cond::Ne), &[count, zero], Type::I1);
        at.block = body;
        let less = at.bin(Bin::Sub, count, one);
        at.block = last;
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[count, phi], &[]);
        function.insts[counter.index()].args[1] = less;
        let ends = [
            Terminator::Jump(second),
            Terminator::Jump(head),
            Terminator::Branch(more, body, last),
            Terminator::Jump(head),
            Terminator::Return,
        ];
        for (block, end) in blocks.iter().zip(ends) {
            function.blocks[block.index()].end = end;
        }
        function.order = blocks;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let text = print(&function);
        assert!(!text.contains("b1:"), "{text}");
        assert!(text.contains(&format!("[b0: v{}]", start.0)), "{text}");
        assert!(
            text.contains(&format!("store.local align 4 v{}, v{}", count.0, lane.0)),
            "{text}"
        );
        assert_eq!(function.order.len(), 4, "{text}");
    }
}
