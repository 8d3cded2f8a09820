//! A kernel as OpenCL C. Where C leaves a result open, the text is written differently: signed sums
//! wrap as unsigned ones, and NaNs have one bit pattern.

use std::fmt::Write;

use super::ast::{
    BLOCK_ROW, CELLS, Collective, Comparison, ELEMENTS, Expr, FloatOp, GLOBAL_SIZE, IntegerOp,
    Item, Kernel, Kind, LOCAL_SIZE, LoopStyle, OwnAtomic, Rounding, Stmt, SubGroupOp,
};
use super::types::{Scalar, Type};

const HELPERS: &str = "\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
uint bits_float(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }
ushort bits_half(half x) { return isnan(x) ? (ushort)0x7e00 : as_ushort(x); }
float sign_float(float x, float y) { return isnan(y) ? fabs(x) : copysign(x, y); }
half sign_half(half x, half y) { return isnan(y) ? fabs(x) : copysign(x, y); }
";

const BARRIER: &str = "barrier(CLK_LOCAL_MEM_FENCE);";

/// The whole source file.
pub fn source(kernel: &Kernel) -> String {
    let mut text = Text {
        out: HELPERS.to_owned(),
        sub_group: kernel.sub_group,
        kernel,
        depth: 1,
    };
    text.kernel();
    text.out
}

/// One statement, for messages.
pub fn statement(kernel: &Kernel, stmt: &Stmt) -> String {
    let mut text = Text {
        out: String::new(),
        sub_group: kernel.sub_group,
        kernel,
        depth: 1,
    };
    text.stmt(stmt);
    text.out
}

struct Text<'a> {
    out: String,
    sub_group: usize,
    kernel: &'a Kernel,
    depth: usize,
}

impl Text<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.out, "{:1$}{2}", "", self.depth * 4, line.as_ref());
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        let mut attributes = format!(
            "__attribute__((intel_reqd_sub_group_size({})))",
            kernel.sub_group
        );
        if kernel.fixed_size {
            let _ = write!(
                attributes,
                " __attribute__((reqd_work_group_size({LOCAL_SIZE}, 1, 1)))"
            );
        }
        let _ = writeln!(
            self.out,
            "{attributes}\nkernel void random(global ulong *out, const global uchar *in, \
             global uchar *blocks, volatile global uint *cells, volatile global uint *own)\n{{"
        );
        self.line("uint g = get_global_id(0), l = get_local_id(0);");
        self.line(format!("uint number = g / {}u;", self.sub_group));
        self.line(format!("local uint shared_cells[{CELLS}];"));
        for (index, ty) in kernel.shared.iter().enumerate() {
            self.line(format!("local {ty} s{index}[{LOCAL_SIZE}];"));
        }
        for (index, ty) in kernel.arrays.iter().enumerate() {
            self.line(format!("{ty} a{index}[{ELEMENTS}];"));
            self.line(format!(
                "for (uint i = 0; i < {ELEMENTS}; i++) a{index}[i] = ({ty})(0);"
            ));
        }
        for (index, variable) in kernel.variables.iter().enumerate() {
            let (ty, at) = (variable.ty, variable.at);
            self.line(format!(
                "{ty} v{index} = ((const global {ty} *)(in + {at}))[g];"
            ));
        }
        self.stmts(&kernel.body);
        self.out.push_str("}\n");
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn block(&mut self, head: &str, stmts: &[Stmt]) {
        self.line(format!("{head} {{"));
        self.depth += 1;
        self.stmts(stmts);
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(variable, None, value) => {
                self.line(format!("v{variable} = {};", expr(value)));
            }
            Stmt::Assign(variable, Some(components), value) => {
                self.line(format!(
                    "v{variable}.{} = {};",
                    swizzle(components),
                    expr(value)
                ));
            }
            Stmt::Store {
                array,
                index,
                value,
            } => self.line(format!(
                "a{array}[{}] = {};",
                modulo(index, ELEMENTS),
                expr(value)
            )),
            Stmt::If(condition, then, otherwise) => {
                self.block(&format!("if ({})", expr(condition)), then);
                if !otherwise.is_empty() {
                    self.block("else", otherwise);
                }
            }
            Stmt::Loop {
                counter: i,
                count,
                style,
                body,
            } => {
                self.line(format!("uint n{i} = {};", modulo(count, 8)));
                match style {
                    LoopStyle::For => {
                        self.block(&format!("for (uint i{i} = 0; i{i} < n{i}; i{i}++)"), body);
                    }
                    LoopStyle::While => {
                        self.line(format!("uint i{i} = ~0u;"));
                        self.block(&format!("while (++i{i} < n{i})"), body);
                    }
                    LoopStyle::DoWhile => {
                        self.line(format!("uint i{i} = 0;"));
                        self.block("do", body);
                        self.line(format!("while (++i{i} < n{i});"));
                    }
                }
            }
            Stmt::Break(condition) => self.line(format!("if ({}) break;", expr(condition))),
            Stmt::Continue(condition) => self.line(format!("if ({}) continue;", expr(condition))),
            Stmt::Switch {
                value,
                cases,
                default,
            } => {
                self.line(format!("switch ({}) {{", modulo(value, 8)));
                for case in cases {
                    self.block(&format!("case {}:", case.label), &case.body);
                    if !case.falls_through {
                        self.line("break;");
                    }
                }
                self.block("default:", default);
                self.line("}");
            }
            Stmt::Out(row, value) => self.out_row(*row, value),
            _ => self.memory(stmt),
        }
    }

    fn memory(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Share {
                array,
                variable,
                slot,
                value,
                index,
            } => {
                self.line(format!("s{array}[l ^ {slot}u] = {};", expr(value)));
                self.line(BARRIER);
                let index = modulo(index, LOCAL_SIZE);
                self.line(format!("v{variable} = s{array}[{index}];"));
                self.line(BARRIER);
            }
            Stmt::LocalAtomic {
                op,
                ty,
                variable,
                active,
                cell,
                operand,
            } => {
                self.line(format!(
                    "if (l < {CELLS}) shared_cells[l] = 0; {BARRIER} if ({})",
                    expr(active)
                ));
                let pointer = format!("(volatile local {} *)shared_cells", ty.name());
                let cell = modulo(cell, CELLS);
                self.line(format!(
                    "    atomic_{}({pointer} + ({cell}), {});",
                    name(*op),
                    expr(operand)
                ));
                self.line(format!(
                    "{BARRIER} v{variable} = (({pointer}))[{cell}]; {BARRIER}"
                ));
            }
            Stmt::GlobalAtomic {
                op,
                ty,
                row,
                cell,
                operand,
            } => self.line(format!(
                "atomic_{}((volatile global {} *)cells + {} + ({}), {});",
                name(*op),
                ty.name(),
                row * CELLS,
                modulo(cell, CELLS),
                expr(operand)
            )),
            Stmt::OwnAtomic {
                op,
                variable,
                row,
                operands,
            } => {
                let name = match op {
                    OwnAtomic::Exchange => "xchg".to_owned(),
                    OwnAtomic::CompareExchange => "cmpxchg".to_owned(),
                    OwnAtomic::Op(op) => name(*op),
                };
                let ty = operands.first().map_or("uint", |o| o.ty.scalar.name());
                self.line(format!(
                    "v{variable} = atomic_{name}((volatile global {ty} *)own + {} + g, {});",
                    row * GLOBAL_SIZE,
                    list(operands)
                ));
            }
            Stmt::BlockWrite { row, value } => {
                let ty = value.ty;
                let at = row * BLOCK_ROW;
                self.line(format!(
                    "intel_sub_group_block_write{}((global {} *)(blocks + {at} + number * {}), {});",
                    block_suffix(ty),
                    ty.scalar.name(),
                    self.kernel.written_block(ty),
                    expr(value)
                ));
            }
            _ => {}
        }
    }

    /// A vector's components are folded into one number.
    fn out_row(&mut self, row: usize, value: &Expr) {
        let ty = value.ty;
        self.line(format!("{{ {ty} x = {}; ulong r = 0;", expr(value)));
        for component in 0..ty.components {
            let x = if ty.is_vector() {
                format!("x.{}", swizzle(&[component]))
            } else {
                "x".to_owned()
            };
            let bits = if ty.scalar.is_float() {
                format!("bits_{}({x})", ty.scalar.name())
            } else {
                x
            };
            self.line(format!("  r = r * 31 + (ulong){bits};"));
        }
        self.line(format!("  out[{} + g] = r; }}", row * GLOBAL_SIZE));
    }
}

/// The names of vector components.
fn swizzle(components: &[usize]) -> String {
    let digits = components.iter().map(|c| format!("{c:x}"));
    format!("s{}", digits.collect::<String>())
}

fn modulo(value: &Expr, limit: usize) -> String {
    format!("(uint)({}) & {}u", expr(value), limit - 1)
}

fn list(operands: &[Expr]) -> String {
    operands.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// The name of an operation as functions have it: `add`.
fn name(op: IntegerOp) -> String {
    format!("{op:?}").to_lowercase()
}

fn block_suffix(ty: Type) -> String {
    let suffix = match ty.scalar.bits() {
        8 => "_uc",
        16 => "_us",
        32 => "",
        _ => "_ul",
    };
    if ty.is_vector() {
        format!("{suffix}{}", ty.components)
    } else {
        suffix.to_owned()
    }
}

fn constant(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::F16 => format!("as_half((ushort){bits:#x})"),
        Scalar::F32 => format!("as_float({bits:#x}u)"),
        _ if scalar.bits() == 64 => format!("({}){bits:#x}ul", scalar.name()),
        _ => format!("({}){bits:#x}u", scalar.name()),
    }
}

/// An expression in a form that can be used as any operand.
fn expr(e: &Expr) -> String {
    let ty = e.ty;
    match &e.kind {
        Kind::Constant(bits) => {
            let values: Vec<_> = bits.iter().map(|b| constant(ty.scalar, *b)).collect();
            format!("(({ty})({}))", values.join(", "))
        }
        Kind::Variable(variable) => format!("v{variable}"),
        Kind::Item(item) => match item {
            Item::GlobalId => "g",
            Item::LocalId => "l",
            Item::GroupId => "((uint)get_group_id(0))",
            Item::SubGroupId => "get_sub_group_id()",
            Item::Lane => "get_sub_group_local_id()",
        }
        .to_owned(),
        Kind::Counter(counter) => format!("i{counter}"),
        Kind::Element(array, index) => format!("a{array}[{}]", modulo(index, ELEMENTS)),
        Kind::Integer(op, operands) => integer(*op, operands),
        Kind::Float(op, operands) => float(*op, ty, operands),
        Kind::Compare(op, operands) => {
            let [x, y] = operands.each_ref().map(expr);
            let op = match op {
                Comparison::Eq => "==",
                Comparison::Ne => "!=",
                Comparison::Lt => "<",
                Comparison::Ge => ">=",
            };
            format!("({x} {op} {y})")
        }
        Kind::Choose(operands) => {
            let [condition, x, y] = operands.each_ref().map(expr);
            if ty.is_vector() {
                format!("select({y}, {x}, {condition})")
            } else {
                format!("(({ty})({condition} ? {x} : {y}))")
            }
        }
        Kind::Convert(value, saturated, rounding) => {
            let floats = ty.scalar.is_float() || value.ty.scalar.is_float();
            let saturated = if *saturated { "_sat" } else { "" };
            let rounding = match rounding {
                _ if !floats => "",
                Rounding::NearestEven => "_rte",
                Rounding::Zero => "_rtz",
                Rounding::Up => "_rtp",
                Rounding::Down => "_rtn",
            };
            format!("convert_{ty}{saturated}{rounding}({})", expr(value))
        }
        Kind::Bits(value) if value.ty.scalar.is_float() => {
            let from = value.ty.scalar.name();
            format!("(({ty})bits_{from}({}))", expr(value))
        }
        Kind::Bits(value) => format!("as_{ty}({})", expr(value)),
        Kind::Swizzle(value, components) => format!("({}).{}", expr(value), swizzle(components)),
        Kind::Gather(values) => format!("(({ty})({}))", list(values)),
        Kind::SubGroup(op, operands) => sub_group(*op, operands),
        Kind::BlockRead(at) => format!(
            "intel_sub_group_block_read{}((const global {} *)(in + {at} + number * \
             (uint)(get_max_sub_group_size() * {})))",
            block_suffix(ty),
            ty.scalar.name(),
            ty.components * ty.scalar.bytes()
        ),
    }
}

fn integer(op: IntegerOp, operands: &[Expr]) -> String {
    let Some(ty) = operands.first().map(|first| first.ty) else {
        return String::new();
    };
    let unsigned = ty.with(ty.scalar.unsigned());
    let text = |index: usize| operands.get(index).map(expr).unwrap_or_default();
    let [x, y, z] = [0, 1, 2].map(text);
    // Signed overflow has no result: wrap as the unsigned type does. Narrow scalars are promoted
    // to int, which holds everything but the product of two ushorts.
    let narrow = !ty.is_vector() && ty.scalar.bits() < 32;
    let wrapping = |op: &str| {
        if ty.is_vector() {
            format!("as_{ty}(as_{unsigned}({x}) {op} as_{unsigned}({y}))")
        } else if narrow && (ty.scalar.is_signed() || op != "*") {
            format!("(({ty})({x} {op} {y}))")
        } else if narrow {
            format!("(({ty})((uint){x} {op} (uint){y}))")
        } else {
            format!("(({ty})(({unsigned}){x} {op} ({unsigned}){y}))")
        }
    };
    let plain = |op: &str| {
        if ty.is_vector() {
            format!("({x} {op} {y})")
        } else {
            format!("(({ty})({x} {op} {y}))")
        }
    };
    let shift = |op: &str| {
        if narrow {
            format!("(({ty})({x} {op} ({y} & {})))", ty.scalar.bits() - 1)
        } else {
            format!("({x} {op} {y})")
        }
    };
    let divide = |op: &str| {
        let divisor = if ty.scalar.is_signed() {
            format!("(({y} & ({ty})(~1)) | ({ty})(2))")
        } else {
            format!("({y} | ({ty})(1))")
        };
        if ty.is_vector() {
            format!("({x} {op} {divisor})")
        } else {
            format!("(({ty})({x} {op} ({ty}){divisor}))")
        }
    };
    let low24 = |x: &str| {
        if ty.scalar.is_signed() {
            format!("(({x} << ({ty})(8)) >> ({ty})(8))")
        } else {
            format!("({x} & ({ty})(0xffffff))")
        }
    };
    let call = |name: &str| format!("{name}({})", list(operands));
    match op {
        IntegerOp::Add => wrapping("+"),
        IntegerOp::Sub => wrapping("-"),
        IntegerOp::Mul => wrapping("*"),
        IntegerOp::And => plain("&"),
        IntegerOp::Or => plain("|"),
        IntegerOp::Xor => plain("^"),
        IntegerOp::Not if ty.is_vector() => format!("(~{x})"),
        IntegerOp::Not => format!("(({ty})(~{x}))"),
        IntegerOp::Neg if ty.is_vector() => format!("(-({x} | ({ty})(1)))"),
        IntegerOp::Neg => format!("(({ty})(-({x} | 1)))"),
        IntegerOp::Shl => shift("<<"),
        IntegerOp::Shr => shift(">>"),
        IntegerOp::Div => divide("/"),
        IntegerOp::Rem => divide("%"),
        IntegerOp::AddSat => call("add_sat"),
        IntegerOp::SubSat => call("sub_sat"),
        IntegerOp::MadSat => call("mad_sat"),
        IntegerOp::MulHi => call("mul_hi"),
        IntegerOp::MadHi => call("mad_hi"),
        IntegerOp::Hadd => call("hadd"),
        IntegerOp::Rhadd => call("rhadd"),
        IntegerOp::Rotate => call("rotate"),
        IntegerOp::Min => call("min"),
        IntegerOp::Max => call("max"),
        IntegerOp::Clamp => format!("clamp({x}, min({y}, {z}), max({y}, {z}))"),
        IntegerOp::Abs => call("abs"),
        IntegerOp::AbsDiff => call("abs_diff"),
        IntegerOp::Clz => call("clz"),
        IntegerOp::Popcount => call("popcount"),
        IntegerOp::Bitselect => call("bitselect"),
        IntegerOp::Mul24 => format!("mul24({}, {})", low24(&x), low24(&y)),
        IntegerOp::Mad24 => format!("mad24({}, {}, {z})", low24(&x), low24(&y)),
    }
}

fn float(op: FloatOp, ty: Type, operands: &[Expr]) -> String {
    let text = |index: usize| operands.get(index).map(expr).unwrap_or_default();
    let [x, y] = [0, 1].map(text);
    let call = |name: &str| format!("{name}({})", list(operands));
    match op {
        FloatOp::Add => format!("({x} + {y})"),
        FloatOp::Sub => format!("({x} - {y})"),
        FloatOp::Mul => format!("({x} * {y})"),
        FloatOp::Fma => call("fma"),
        // Which zero is smaller is left open; adding zero makes both positive.
        FloatOp::Min => format!("(fmin({x}, {y}) + ({ty})(0))"),
        FloatOp::Max => format!("(fmax({x}, {y}) + ({ty})(0))"),
        FloatOp::Abs => call("fabs"),
        FloatOp::Neg => format!("(-{x})"),
        FloatOp::Trunc => call("trunc"),
        FloatOp::Floor => call("floor"),
        FloatOp::Ceil => call("ceil"),
        FloatOp::Rint => call("rint"),
        FloatOp::Round => format!("(round({x}) + ({ty})(0))"),
        FloatOp::Copysign => call(&format!("sign_{}", ty.scalar.name())),
    }
}

fn sub_group(op: SubGroupOp, operands: &[Expr]) -> String {
    let operands = list_with_type(operands);
    let (x, ty) = &operands;
    // The functions for narrow types are Intel's.
    let prefix = if ty.scalar.bits() < 32 { "intel_" } else { "" };
    match op {
        SubGroupOp::Shuffle => {
            format!("intel_sub_group_shuffle({x} & (get_max_sub_group_size() - 1))")
        }
        SubGroupOp::ShuffleXor(mask) => format!("intel_sub_group_shuffle_xor({x}, {mask}u)"),
        SubGroupOp::ShuffleUp(delta) => format!("intel_sub_group_shuffle_up({x}, {delta}u)"),
        SubGroupOp::ShuffleDown(delta) => format!("intel_sub_group_shuffle_down({x}, {delta}u)"),
        SubGroupOp::Broadcast(lane) => format!("{prefix}sub_group_broadcast({x}, {lane}u)"),
        SubGroupOp::Collective(kind, reduction) => {
            let kind = match kind {
                Collective::Reduce => "reduce",
                Collective::InclusiveScan => "scan_inclusive",
                Collective::ExclusiveScan => "scan_exclusive",
            };
            let reduction = name(reduction);
            format!("{prefix}sub_group_{kind}_{reduction}({x})")
        }
        SubGroupOp::Any => format!("sub_group_any({x})"),
        SubGroupOp::All => format!("sub_group_all({x})"),
    }
}

fn list_with_type(operands: &[Expr]) -> (String, Type) {
    let ty = operands.first().map_or(Scalar::U32.into(), |o| o.ty);
    (list(operands), ty)
}
