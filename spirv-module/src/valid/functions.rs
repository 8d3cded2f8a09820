//! Functions: what they take and give, and their blocks.

use std::collections::{HashMap, HashSet};

use spirv::Op;

use super::Check;
use crate::module::{Instruction, Module};
use crate::types::{Type, Types};

/// The functions of a module, and the one where the walk is.
#[derive(Default)]
pub(super) struct Functions<'a> {
    /// The type of each.
    types: HashMap<u32, u32>,
    /// The labels of each function's blocks, and those that lead to a label.
    flow: HashMap<u32, Flow>,
    selectors: Selectors,
    now: Option<Function<'a>>,
}

/// The blocks of a function.
#[derive(Default)]
struct Flow {
    labels: HashSet<u32>,
    before: HashMap<u32, HashSet<u32>>,
}

/// A function that is walked through.
struct Function<'a> {
    begin: Instruction<'a>,
    ty: u32,
    params: usize,
    first: Option<u32>,
    /// The label of the open block.
    block: Option<u32>,
    /// Only phis came in the block.
    at_phis: bool,
}

impl<'a> Functions<'a> {
    pub(super) fn of(module: &'a Module, types: &Types) -> Self {
        let mut all = Self::default();
        let (mut function, mut label) = (0, 0);
        all.selectors = Selectors::of(module, types);
        for one in module.instructions() {
            match one.op() {
                Some(Op::Function) => {
                    function = one.word(1);
                    all.types.entry(function).or_insert(one.word(3));
                }
                Some(Op::Label) => {
                    label = one.word(0);
                    let flow = all.flow.entry(function).or_default();
                    flow.labels.insert(label);
                }
                _ => {
                    let flow = all.flow.entry(function).or_default();
                    for target in all.selectors.targets(&one) {
                        flow.before.entry(target).or_default().insert(label);
                    }
                }
            }
        }
        all
    }
}

/// The words of the literals of each switch: as many as its selector has.
#[derive(Default)]
struct Selectors(HashMap<usize, usize>);

impl Selectors {
    fn of(module: &Module, types: &Types) -> Self {
        let all = module.instructions();
        let switches = all.filter(|one| one.op() == Some(Op::Switch));
        let words = switches.map(|one| match types.of_value(one.word(0)) {
            Some(Type::Int { width: 64, .. }) => (one.offset, 2),
            _ => (one.offset, 1),
        });
        Self(words.collect())
    }

    /// The labels that an instruction may go to.
    fn targets(&self, one: &Instruction<'_>) -> Vec<u32> {
        let words = one.operands;
        let (first, rest) = match one.op() {
            Some(Op::Branch) => (0, 1),
            Some(Op::BranchConditional) => (1, 2),
            Some(Op::Switch) => {
                let literal = self.0.get(&one.offset).copied().unwrap_or(1);
                let cases = words.get(2..).unwrap_or_default().chunks_exact(literal + 1);
                let labels = cases.filter_map(|case| case.last());
                return words.get(1).into_iter().chain(labels).copied().collect();
            }
            _ => return Vec::new(),
        };
        words.iter().copied().skip(first).take(rest).collect()
    }
}

fn ends_block(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
    )
}

impl Check {
    pub(super) fn function<'a>(&mut self, all: &mut Functions<'a>, one: &Instruction<'a>) {
        let Some(op) = one.op() else { return };
        match op {
            Op::Function => {
                if all.now.is_some() {
                    self.wrong(one, "the function before it has no end");
                }
                let ty = one.word(3);
                match (self.types.get(ty), self.types.parts(ty).first()) {
                    (Some(Type::Function), Some(result)) => {
                        if !self.types.are_alike(*result, one.word(0)) {
                            let why = "its result is not that of the function's type";
                            self.wrong(one, why);
                        }
                    }
                    _ => self.wrong(one, format!("%{ty} is no function's type")),
                }
                all.now = Some(Function {
                    begin: *one,
                    ty,
                    params: 0,
                    first: None,
                    block: None,
                    at_phis: false,
                });
                return;
            }
            Op::FunctionCall => self.call(all, one),
            Op::EntryPoint => return,
            _ => {}
        }
        let Some(mut now) = all.now.take() else {
            return;
        };
        let ends = op == Op::FunctionEnd;
        self.in_function(&mut now, all, op, one);
        if !ends {
            all.now = Some(now);
        }
    }

    fn in_function<'a>(
        &mut self,
        now: &mut Function<'a>,
        all: &Functions<'a>,
        op: Op,
        one: &Instruction<'a>,
    ) {
        match op {
            Op::FunctionParameter => {
                let taken = self.types.parts(now.ty).get(1 + now.params).copied();
                now.params += 1;
                if !taken.is_some_and(|taken| self.types.are_alike(taken, one.word(0))) {
                    self.wrong(one, "the function's type has another parameter here");
                }
                return;
            }
            Op::FunctionEnd => {
                let params = self.types.parts(now.ty).len().saturating_sub(1);
                if now.params < params {
                    let why = format!("it has {} parameters, its type has {params}", now.params);
                    self.wrong(&now.begin, why);
                }
                if now.block.is_some() {
                    self.broken(one, "the last block of the function has no end");
                }
                return;
            }
            Op::Label => {
                if now.block.is_some() {
                    self.broken(one, "the block before it has no end");
                }
                now.first.get_or_insert(one.word(0));
                now.block = Some(one.word(0));
                now.at_phis = true;
                return;
            }
            Op::Line | Op::NoLine | Op::Nop => return,
            _ => {}
        }
        let Some(block) = now.block else {
            // What is not known may be something between functions.
            self.broken(one, "it is in no block");
            return;
        };
        match op {
            Op::Phi => self.phi(now, all, block, one),
            Op::ReturnValue => self.returned(now, one),
            Op::Return => {
                let result = self.types.parts(now.ty).first();
                let result = result.and_then(|result| self.types.get(*result));
                if !matches!(result, None | Some(Type::Void)) {
                    self.broken(one, "the function gives a value");
                }
            }
            Op::BranchConditional if ![3, 5].contains(&one.operands.len()) => {
                self.broken(
                    one,
                    "it has a condition, two labels, and weights of both or none",
                );
            }
            Op::BranchConditional if self.types.of_value(one.word(0)) != Some(Type::Bool) => {
                let is = self.describe_value(one.word(0));
                self.broken(one, format!("its condition is {is}, not a boolean"));
            }
            Op::Switch if !matches!(self.types.of_value(one.word(0)), Some(Type::Int { .. })) => {
                let is = self.describe_value(one.word(0));
                self.broken(one, format!("its selector is {is}, not an integer"));
            }
            _ => {}
        }
        // What describes the source may stand among them.
        let result = self.types.get(one.word(0));
        let describes = op == Op::ExtInst && result == Some(Type::Void);
        // The translator from LLVM writes a merge, or what else it knows of a loop, for each latch before the phis.
        now.at_phis &= matches!(op, Op::Phi | Op::LoopMerge | Op::LoopControlINTEL) || describes;
        if ends_block(op) {
            now.block = None;
            let flow = all.flow.get(&now.begin.word(1));
            for to in all.selectors.targets(one) {
                if !flow.is_some_and(|flow| flow.labels.contains(&to)) {
                    self.broken(one, format!("%{to} is no label of the function"));
                } else if now.first == Some(to) {
                    self.broken(one, "nothing goes to a function's first block");
                }
            }
        }
    }

    fn phi(&mut self, now: &Function<'_>, all: &Functions<'_>, block: u32, one: &Instruction<'_>) {
        if !now.at_phis {
            self.wrong(one, "phis come first in a block");
        }
        let (pairs, rest) = one.operands.get(2..).unwrap_or_default().as_chunks::<2>();
        if !rest.is_empty() {
            self.wrong(one, "its operands are values, each with its label");
        }
        let none = HashSet::new();
        let flow = all.flow.get(&now.begin.word(1));
        let before = flow.and_then(|flow| flow.before.get(&block));
        let before = before.unwrap_or(&none);
        let mut seen = HashMap::new();
        for [value, from] in pairs {
            self.of_result(one, *value);
            if !before.contains(from) {
                self.wrong(one, format!("the block %{from} does not lead here"));
            } else if seen
                .insert(*from, *value)
                .is_some_and(|known| known != *value)
            {
                // The translator from LLVM has an operand for each case of a switch that leads here,
                // always the same value. `spirv-val` refuses that, Intel's compiler takes it.
                self.wrong(one, format!("the block %{from} has two values"));
            }
        }
        if let Some(missing) = before.iter().filter(|from| !seen.contains_key(*from)).min() {
            self.wrong(one, format!("the block %{missing} leads here, too"));
        }
    }

    fn returned(&mut self, now: &Function<'_>, one: &Instruction<'_>) {
        let Some(&wanted) = self.types.parts(now.ty).first() else {
            return;
        };
        let is = self.types.type_of(one.word(0));
        if !is.is_some_and(|is| self.types.are_alike(is, wanted)) {
            let (is, wanted) = (self.describe_value(one.word(0)), self.describe(wanted));
            self.broken(one, format!("it gives {is}; the function gives {wanted}"));
        }
    }

    fn call(&mut self, all: &Functions<'_>, one: &Instruction<'_>) {
        let Some(&ty) = all.types.get(&one.word(2)) else {
            self.wrong(one, format!("%{} is no function", one.word(2)));
            return;
        };
        let parts = self.types.parts(ty).to_vec();
        let Some((result, params)) = parts.split_first() else {
            return;
        };
        if !self.types.are_alike(*result, one.word(0)) {
            self.wrong(one, "its result is not that of the function");
        }
        let given = one.operands.get(3..).unwrap_or_default();
        if given.len() != params.len() {
            let why = format!(
                "{} arguments; the function takes {}",
                given.len(),
                params.len()
            );
            self.wrong(one, why);
            return;
        }
        for (number, (value, param)) in (1..).zip(given.iter().zip(params)) {
            let is = self.types.type_of(*value);
            if !is.is_some_and(|is| self.types.are_alike(is, *param)) {
                let (is, wanted) = (self.describe_value(*value), self.describe(*param));
                self.wrong(
                    one,
                    format!("argument {number} is {is}; the function takes {wanted}"),
                );
            }
        }
    }
}
