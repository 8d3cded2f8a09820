//! Which copies of a work-group a wait is for.
//!
//! An event is what a copy makes. It is stored in a variable, and a wait takes a pointer to one or more of them. Events that
//! meet in one place are one class. A wait is for the classes that it names, and for those of which not all is known.

use std::collections::{BTreeSet, HashMap, HashSet};

use spirv::Op;

use crate::bounds::layout::{Kind, Layout};
use crate::module::{Instruction, Module};

/// The bit of classes of which not all is known, and of those that are too many.
const UNKNOWN: u32 = 1;

/// A value, or an element of a variable.
type Node = (u32, i64);

/// By the offset of an instruction, the bits of its classes.
#[derive(Debug, Default)]
pub(super) struct Events(HashMap<usize, u32>);

impl Events {
    pub fn of(module: &Module, layout: &Layout) -> Self {
        let ops = |op: Op| {
            module
                .instructions()
                .filter(move |one| one.op() == Some(op))
        };
        let Some(event) = ops(Op::TypeEvent).next() else {
            return Self::default();
        };
        let mut classes = Classes::new(layout, event.word(0));
        module.instructions().for_each(|one| classes.follow(&one));
        classes.join_elements();
        let mut bits: HashMap<Node, u32> = HashMap::new();
        let mut all = HashMap::new();
        for one in ops(Op::GroupAsyncCopy) {
            let class = classes.root((one.word(1), 0));
            let known = !classes.unknown.contains(&class);
            let next = UNKNOWN.checked_shl(1 + bits.len() as u32).filter(|_| known);
            let bit = bits.entry(class).or_insert(next.unwrap_or(UNKNOWN));
            all.insert(one.offset, *bit);
        }
        for one in ops(Op::GroupWaitEvents) {
            let named = classes.named(&one);
            let bits = named.map_or(u32::MAX, |named| {
                let bits = named.iter().filter_map(|class| bits.get(class));
                bits.fold(UNKNOWN, |all, bit| all | bit)
            });
            all.insert(one.offset, bits);
        }
        Self(all)
    }

    /// The bit of a copy's event, or those of the events that are waited for.
    pub fn bits(&self, one: &Instruction<'_>) -> Option<u32> {
        self.0.get(&one.offset).copied()
    }
}

#[derive(Debug)]
struct Classes<'a> {
    layout: &'a Layout,
    event: u32,
    /// Where pointers lead: to an element of a variable, if it is known which.
    places: HashMap<u32, (u32, Option<i64>)>,
    /// Values that are events, and those that are none at all.
    values: HashSet<u32>,
    none: HashSet<u32>,
    /// Each node leads to another one of its class, up to the root.
    parents: HashMap<Node, Node>,
    /// By variable, the elements that are met; and the variables of which one is met and not known.
    elements: HashMap<u32, BTreeSet<i64>>,
    mixed: HashSet<u32>,
    /// Nodes of whose classes not all is known; in the end, roots.
    unknown: HashSet<Node>,
}

impl<'a> Classes<'a> {
    fn new(layout: &'a Layout, event: u32) -> Self {
        Self {
            layout,
            event,
            places: HashMap::new(),
            values: HashSet::new(),
            none: HashSet::new(),
            parents: HashMap::new(),
            elements: HashMap::new(),
            mixed: HashSet::new(),
            unknown: HashSet::new(),
        }
    }

    fn root(&self, mut node: Node) -> Node {
        while let Some(parent) = self.parents.get(&node) {
            node = *parent;
        }
        node
    }

    fn join(&mut self, one: Node, other: Node) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents.insert(one, other);
        }
    }

    /// The node of a place.
    fn node(&mut self, (variable, element): (u32, Option<i64>)) -> Node {
        if element.is_none() {
            self.mixed.insert(variable);
        }
        let element = element.unwrap_or(0);
        self.elements.entry(variable).or_default().insert(element);
        (variable, element)
    }

    /// Those elements of a variable that are not told apart are one.
    fn join_elements(&mut self) {
        for variable in self.mixed.clone() {
            let all = self.elements.insert(variable, BTreeSet::from([0]));
            for element in all.unwrap_or_default() {
                self.join((variable, element), (variable, 0));
            }
        }
        let unknown = std::mem::take(&mut self.unknown);
        self.unknown = unknown.into_iter().map(|node| self.root(node)).collect();
    }

    /// The classes that a wait names; `None` if it may name others.
    fn named(&self, one: &Instruction<'_>) -> Option<Vec<Node>> {
        let count = self.layout.constant(one.word(1))?;
        let (variable, first) = *self.places.get(&one.word(2))?;
        let named = |element: i64| match self.mixed.contains(&variable) {
            true => true,
            false => first.is_none_or(|first| element >= first && element - first < count),
        };
        let elements = self.elements.get(&variable)?.iter().copied();
        let named = elements.filter(|element| named(*element));
        let roots: Vec<Node> = named
            .map(|element| self.root((variable, element)))
            .collect();
        let is_known = roots.iter().all(|root| !self.unknown.contains(root));
        is_known.then_some(roots)
    }

    /// Where a chain of indices leads.
    fn chain(&self, op: Op, one: &Instruction<'_>) -> Option<(u32, Option<i64>)> {
        let (variable, base) = *self.places.get(&one.word(2))?;
        let steps = self.steps(op, one);
        let element = base
            .zip(steps)
            .and_then(|(base, steps)| base.checked_add(steps));
        Some((variable, element))
    }

    /// How many elements a chain goes on; `None` if its indices are no constants.
    fn steps(&self, op: Op, one: &Instruction<'_>) -> Option<i64> {
        let (_, pointee) = self.layout.pointee(one.word(2))?;
        let count = match self.layout.kind(pointee) {
            Some(Kind::Array { count, .. }) => i64::try_from(*count).ok()?,
            _ => 1,
        };
        let constant = |index: &u32| self.layout.constant(*index);
        let indices = one.operands.get(3..)?;
        let (whole, indices) = match (op, indices) {
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [first, rest @ ..]) => {
                (constant(first)?.checked_mul(count)?, rest)
            }
            _ => (0, indices),
        };
        match indices {
            [] => Some(whole),
            [index] => whole.checked_add(constant(index)?),
            _ => None,
        }
    }

    /// What is stored in a variable, or read from it.
    fn meet(&mut self, place: (u32, Option<i64>), value: u32) {
        let node = self.node(place);
        match self.values.contains(&value) {
            true => self.join(node, (value, 0)),
            false if self.none.contains(&value) => {}
            false => {
                self.unknown.insert(node);
            }
        }
    }

    fn follow(&mut self, one: &Instruction<'_>) {
        let Some(op) = one.op() else { return };
        let place = |word: usize| self.places.get(&one.word(word)).copied();
        let makes = one.word(0) == self.event;
        match op {
            Op::ConstantNull | Op::Undef if makes => {
                self.none.insert(one.word(1));
            }
            Op::Variable => {
                let Some((_, pointee)) = self.layout.pointee(one.word(1)) else {
                    return;
                };
                let is_event = match self.layout.kind(pointee) {
                    Some(Kind::Array { element, .. }) => *element == self.event,
                    _ => pointee == self.event,
                };
                if is_event {
                    self.places.insert(one.word(1), (one.word(1), Some(0)));
                }
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                if let Some(place) = self.chain(op, one) {
                    self.places.insert(one.word(1), place);
                }
            }
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit => {
                if let Some(place) = place(2) {
                    self.places.insert(one.word(1), place);
                }
            }
            Op::Load => {
                if let Some(place) = place(2) {
                    self.values.insert(one.word(1));
                    self.meet(place, one.word(1));
                }
            }
            Op::Store => match (place(0), place(1)) {
                (to, Some(stored)) => {
                    for place in to.into_iter().chain([stored]) {
                        let node = self.node(place);
                        self.unknown.insert(node);
                    }
                }
                (Some(to), None) => self.meet(to, one.word(1)),
                (None, None) => self.escape([one.word(1)]),
            },
            Op::GroupAsyncCopy => {
                self.values.insert(one.word(1));
                if self.values.contains(&one.word(7)) {
                    self.join((one.word(1), 0), (one.word(7), 0));
                } else if !self.none.contains(&one.word(7)) {
                    self.unknown.insert((one.word(1), 0));
                }
            }
            Op::FunctionParameter if makes => {
                self.values.insert(one.word(1));
                self.unknown.insert((one.word(1), 0));
            }
            Op::Phi | Op::Select if makes => {
                self.values.insert(one.word(1));
                let (first, step) = if op == Op::Phi { (2, 2) } else { (3, 1) };
                let values = one.operands.get(first..).unwrap_or_default();
                for value in values.iter().step_by(step).copied() {
                    if !self.none.contains(&value) {
                        self.join((one.word(1), 0), (value, 0));
                    }
                }
            }
            Op::FunctionCall
            | Op::ReturnValue
            | Op::Phi
            | Op::Select
            | Op::CopyObject
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::ConvertPtrToU => {
                if makes {
                    self.values.insert(one.word(1));
                }
                self.escape(one.operands.iter().copied());
            }
            _ => {}
        }
    }

    /// These values are used in a way that is not followed.
    fn escape(&mut self, values: impl IntoIterator<Item = u32>) {
        for value in values {
            if let Some(place) = self.places.get(&value).copied() {
                let node = self.node((place.0, None));
                self.unknown.insert(node);
            } else if self.values.contains(&value) {
                self.unknown.insert((value, 0));
            }
        }
    }
}
