//! The printed form.

use core::fmt::{self, Write};

use super::function::{Def, Function, InstData, Terminator};
use super::ids::Value;
use super::op::{Access, Input, Op, Scope, Symbol};

/// A function as text.
pub fn print(function: &Function) -> String {
    let mut out = String::new();
    for &block in &function.order {
        let data = &function.blocks[block.index()];
        let _ = writeln!(out, "b{}:", block.0);
        for inst in &data.insts {
            let _ = writeln!(out, "  {}", Line(function, &function.insts[inst.index()]));
        }
        let operand = |value| Operand(function, value);
        let _ = match data.end {
            Terminator::Jump(to) => writeln!(out, "  jump b{}", to.0),
            Terminator::Branch(value, yes, no) => {
                writeln!(out, "  branch {}, b{}, b{}", operand(value), yes.0, no.0)
            }
            Terminator::Return => writeln!(out, "  return"),
            Terminator::Unreachable => writeln!(out, "  unreachable"),
        };
    }
    out
}

/// A value as an expression of inputs and numbers: `(add lane 5)`.
#[cfg(test)]
pub fn expression(function: &Function, value: Value) -> String {
    let Some((_, data)) = function.source(value) else {
        return match function.bits(value) {
            Some(bits) => function.ty(value).signed(bits).to_string(),
            None => "undef".to_owned(),
        };
    };
    let line = Line(function, data).to_string();
    let (_, text) = line.split_once(" = ").unwrap_or_default();
    if let Some(input) = text.strip_prefix("input ") {
        return input.to_owned();
    }
    let mut out = format!("({}", text.split(' ').next().unwrap_or_default());
    for arg in &data.args {
        let _ = write!(out, " {}", expression(function, *arg));
    }
    out + ")"
}

struct Operand<'a>(&'a Function, Value);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = self.0.ty(self.1);
        match self.0.def(self.1) {
            Def::Const(bits) if ty.is_float() => write!(f, "{bits:#x}:{ty}"),
            Def::Const(bits) => write!(f, "{}:{ty}", ty.signed(bits)),
            Def::Undef => write!(f, "undef:{ty}"),
            Def::Inst(_) => write!(f, "v{}", self.1.0),
        }
    }
}

struct Line<'a>(&'a Function, &'a InstData);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(function, inst) = self;
        for (index, result) in inst.results.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}v{}:{}", result.0, function.ty(*result))?;
        }
        if !inst.results.is_empty() {
            f.write_str(" = ")?;
        }
        let access = |f: &mut fmt::Formatter<'_>, name: &str, access: &Access| {
            write!(f, "{name}.{} align {}", access.space, access.align)
        };
        match &inst.op {
            Op::Phi(blocks) => {
                f.write_str("phi")?;
                for (block, arg) in blocks.iter().zip(&inst.args) {
                    write!(f, " [b{}: {}]", block.0, Operand(function, *arg))?;
                }
                return Ok(());
            }
            Op::Input(input) => match input {
                Input::Payload(offset) => write!(f, "input payload.{offset}"),
                Input::GroupId(dim) => write!(f, "input group_id.{dim}"),
                Input::LocalId(dim) => write!(f, "input local_id.{dim}"),
                Input::Lane => f.write_str("input lane"),
                Input::DispatchMask => f.write_str("input dispatch_mask"),
                Input::Address { of, high } => {
                    let half = if *high { "high" } else { "low" };
                    match of {
                        Symbol::Text(offset) => write!(f, "input text.{offset}.{half}"),
                        Symbol::Constants => write!(f, "input constants.{half}"),
                        Symbol::Globals => write!(f, "input globals.{half}"),
                    }
                }
                Input::Slot => f.write_str("input slot"),
            },
            Op::Bin(op) => write!(f, "{op}"),
            Op::Un(op) => write!(f, "{op}"),
            Op::Saturated { add, signed } => {
                let sign = if *signed { 's' } else { 'u' };
                write!(f, "{sign}{}.sat", if *add { "add" } else { "sub" })
            }
            Op::Fma => f.write_str("fma"),
            Op::DotBytes { first, second } => {
                let sign = |signed: &bool| if *signed { 's' } else { 'u' };
                write!(f, "dot_bytes.{}{}", sign(first), sign(second))
            }
            Op::Icmp(cond) => write!(f, "icmp.{cond}"),
            Op::Fcmp(cond) => write!(f, "fcmp.{cond}"),
            Op::Select => f.write_str("select"),
            Op::Convert(how) => write!(f, "{how}"),
            Op::Pair => f.write_str("pair"),
            Op::High => f.write_str("high"),
            Op::Pack => f.write_str("pack"),
            Op::Number => f.write_str("number"),
            Op::Load(of) => access(f, "load", of),
            Op::Store(of) => access(f, "store", of),
            Op::Atomic(space, op) => write!(f, "atomic.{op}.{space}"),
            Op::AtomicOnce(space, op) => write!(f, "atomic_once.{op}.{space}"),
            Op::Alloca { size, align } => write!(f, "alloca {size} align {align}"),
            Op::Lifetime { begins } => f.write_str(if *begins { "begins" } else { "ends" }),
            Op::Copy(copy) => write!(
                f,
                "copy.{}.{} {} align {}",
                copy.to, copy.from, copy.size, copy.align
            ),
            Op::Array { cells } => write!(f, "array {cells}"),
            Op::Element { cell } => write!(f, "element {cell}"),
            Op::ElementAt { cell } => write!(f, "element_at {cell}"),
            Op::SetElement { cell } => write!(f, "set_element {cell}"),
            Op::SetElementAt { cell, step, count } => {
                write!(f, "set_element_at {cell} step {step} count {count}")
            }
            Op::ToGeneric(space) => write!(f, "to_generic.{space}"),
            Op::FromGeneric(space) => write!(f, "from_generic.{space}"),
            Op::PointsInto(space) => write!(f, "points_into.{space}"),
            Op::Barrier => f.write_str("barrier"),
            Op::Fence {
                scope,
                local,
                global,
                image,
            } => {
                f.write_str("fence")?;
                f.write_str(match scope {
                    Scope::SubGroup => ".sub_group",
                    Scope::WorkGroup => ".work_group",
                    Scope::Device => "",
                })?;
                f.write_str(if *local { ".local" } else { "" })?;
                f.write_str(if *global { ".global" } else { "" })?;
                f.write_str(if *image { ".image" } else { "" })
            }
            Op::Ballot => f.write_str("ballot"),
            Op::Shuffle => f.write_str("shuffle"),
            Op::ShuffleTwo => f.write_str("shuffle_two"),
            Op::Broadcast => f.write_str("broadcast"),
            Op::Reduce(op) => write!(f, "reduce.{op}"),
            Op::Cluster(op, size) => write!(f, "reduce.{op}.{size}"),
            Op::Scan { op, inclusive } => {
                write!(f, "scan.{op}.{}", if *inclusive { "incl" } else { "excl" })
            }
            Op::BlockLoad(space) => write!(f, "block_load.{space}"),
            Op::BlockStore(space) => write!(f, "block_store.{space}"),
            Op::ImageBlockLoad(surface) => write!(f, "image_block_load.{}", surface.0),
            Op::ImageBlockStore(surface) => write!(f, "image_block_store.{}", surface.0),
            Op::ImageLoad { surface, written } => {
                let written = if *written { ".rw" } else { "" };
                write!(f, "image_load.{}{written}", surface.0)
            }
            Op::ImageSample { surface, sampler } => {
                write!(f, "image_sample.{}.{sampler}", surface.0)
            }
            Op::Offset(surface) => write!(f, "offset.surface{}", surface.0),
            Op::ImageStore(surface) => write!(f, "image_store.{}", surface.0),
        }?;
        for (index, arg) in inst.args.iter().enumerate() {
            let comma = if index == 0 { " " } else { ", " };
            write!(f, "{comma}{}", Operand(function, *arg))?;
        }
        Ok(())
    }
}
