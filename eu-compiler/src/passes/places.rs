//! Where private variables lie. Those that never hold something at the same time share a place, as the
//! variables of functions that are called one after the other.
//!
//! A variable holds something from what is written there until the last access that may read it. What
//! begins and ends with a call says so (`Op::Lifetime`): in a loop, nothing of it is left for the next
//! round. One whose address goes to memory may be accessed by anybody as long as it has begun.

use hashbrown::HashMap;

use crate::ir::cfg::reverse_postorder;
use crate::ir::{Block, Function, InstData, Op, Type, Value};

/// The most variables, and the most of them times blocks, that are compared.
const MOST: usize = 1 << 10;
const MOST_IN_BLOCKS: usize = 1 << 22;

/// The places of variables.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Bytes of all.
    pub(super) size: u32,
    /// The largest alignment.
    pub(super) align: u32,
    /// Where each begins.
    pub(super) at: Vec<(Value, u32)>,
}

impl Places {
    /// Finds the places of a function's variables, which may share some if `shares`.
    pub(super) fn find(function: &Function, shares: bool) -> Result<Self, String> {
        let variables: Vec<Variable> = function
            .listed()
            .filter_map(|data| match data.op {
                Op::Alloca { size, align } => Some(Variable {
                    value: data.results[0],
                    size,
                    align,
                }),
                _ => None,
            })
            .collect();
        let in_blocks = variables.len().saturating_mul(function.blocks.len());
        let compared =
            shares && (2..=MOST).contains(&variables.len()) && in_blocks <= MOST_IN_BLOCKS;
        let met = compared.then(|| Lives::new(function, &variables).met());
        let mut places = Self::default();
        let mut known: Vec<(u64, u64)> = Vec::with_capacity(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            let before = known.iter().enumerate();
            let meets = |other: usize| met.as_ref().is_none_or(|met| met[index].has(other));
            let taken = before.filter(|(other, _)| meets(*other));
            let at = variable.fit(taken.map(|(_, range)| *range).collect());
            let end = at + u64::from(variable.size);
            let fits = u32::try_from(end).ok().zip(u32::try_from(at).ok());
            let (end32, at32) = fits.ok_or("more than 4 GiB of private memory")?;
            known.push((at, end));
            places.size = places.size.max(end32);
            places.align = places.align.max(variable.align);
            places.at.push((variable.value, at32));
        }
        Ok(places)
    }
}

/// A private variable.
struct Variable {
    value: Value,
    size: u32,
    align: u32,
}

impl Variable {
    /// The first place that is free beside these ranges.
    fn fit(&self, mut taken: Vec<(u64, u64)>) -> u64 {
        taken.sort_unstable();
        let mut at = 0u64;
        for (from, to) in taken {
            if at + u64::from(self.size) <= from {
                break;
            }
            at = at.max(to.next_multiple_of(self.align.into()));
        }
        at
    }
}

/// A set of variables, by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, index: usize) -> bool {
        self.0
            .get(index / 64)
            .is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Adds others; says whether there is a new one.
    fn add(&mut self, others: &Set) -> bool {
        let mut changed = false;
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            changed |= *other & !*word != 0;
            *word |= other;
        }
        changed
    }

    fn remove(&mut self, others: &Set) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word &= !other;
        }
    }

    fn both(&self, others: &Set) -> Set {
        let words = self.0.iter().zip(&others.0);
        Set(words.map(|(a, b)| a & b).collect())
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(number, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(64 * number + bit as usize)
            })
        })
    }
}

/// What happens to variables.
#[derive(Clone, Debug)]
struct Event {
    what: Happens,
    to: Set,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Happens {
    Access,
    Begin,
    End,
}

/// When variables hold something.
struct Lives {
    order: Vec<Block>,
    successors: Vec<Vec<Block>>,
    /// What happens in each block.
    events: Vec<Vec<Event>>,
    /// Variables whose address is in memory.
    escaped: Set,
    count: usize,
}

impl Lives {
    fn new(function: &Function, variables: &[Variable]) -> Self {
        let count = variables.len();
        let order = reverse_postorder(function);
        let pointers = pointers(function, variables, &order);
        let mut lives = Self {
            successors: function
                .blocks
                .iter()
                .map(|block| block.end.successors().to_vec())
                .collect(),
            events: vec![Vec::new(); function.blocks.len()],
            escaped: Set::new(count),
            count,
            order,
        };
        for block in &lives.order {
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                let mut to = Set::new(count);
                for arg in &data.args {
                    if let Some(set) = pointers.get(arg) {
                        to.add(set);
                    }
                }
                let Some(what) = happens(data).filter(|_| to.iter().next().is_some()) else {
                    continue;
                };
                // A pointer that is more than an address here is known to others from now on.
                for arg in data.args.iter().skip(1) {
                    if let Some(set) = pointers.get(arg) {
                        lives.escaped.add(set);
                    }
                }
                lives.events[block.index()].push(Event { what, to });
            }
        }
        lives
    }

    /// What is in a set behind an event, in the code's direction.
    fn forwards(&self, event: &Event, set: &mut Set) {
        match event.what {
            Happens::Access => {
                set.add(&event.to);
            }
            Happens::Begin => {
                set.remove(&event.to);
                set.add(&event.to.both(&self.escaped));
            }
            Happens::End => set.remove(&event.to),
        }
    }

    /// What is in a set before an event, against it.
    fn backwards(event: &Event, set: &mut Set) {
        match event.what {
            Happens::Access => {
                set.add(&event.to);
            }
            Happens::Begin | Happens::End => set.remove(&event.to),
        }
    }

    /// The variables that may have been accessed where each block begins.
    fn begun(&self) -> Vec<Set> {
        let mut begun = vec![Set::new(self.count); self.events.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in &self.order {
                let mut set = begun[block.index()].clone();
                for event in &self.events[block.index()] {
                    self.forwards(event, &mut set);
                }
                for next in &self.successors[block.index()] {
                    changed |= begun[next.index()].add(&set);
                }
            }
        }
        begun
    }

    /// The variables that may still be accessed where each block ends.
    fn needed(&self) -> Vec<Set> {
        let mut begins = vec![Set::new(self.count); self.events.len()];
        let mut ends = begins.clone();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in self.order.iter().rev() {
                let mut set = std::mem::take(&mut ends[block.index()]);
                for next in &self.successors[block.index()] {
                    set.add(&begins[next.index()]);
                }
                ends[block.index()] = set.clone();
                for event in self.events[block.index()].iter().rev() {
                    Self::backwards(event, &mut set);
                }
                changed |= begins[block.index()].add(&set);
            }
        }
        ends
    }

    /// For each variable those that hold something when it does, or when it is accessed.
    fn met(&self) -> Vec<Set> {
        let mut met = vec![Set::new(self.count); self.count];
        let (begun, needed) = (self.begun(), self.needed());
        for block in &self.order {
            let events = &self.events[block.index()];
            // What is needed before each event.
            let mut need = needed[block.index()].clone();
            let mut before = vec![need.clone()];
            for event in events.iter().rev() {
                Self::backwards(event, &mut need);
                before.push(need.clone());
            }
            before.reverse();
            let mut begun = begun[block.index()].clone();
            let live = |begun: &Set, number: usize| {
                let mut need = before[number].clone();
                need.add(&self.escaped);
                begun.both(&need)
            };
            let first = live(&begun, 0);
            for variable in first.iter() {
                met[variable].add(&first);
            }
            for (number, event) in events.iter().enumerate() {
                let mut here = live(&begun, number);
                self.forwards(event, &mut begun);
                let holds = match event.what {
                    Happens::Access => event.to.clone(),
                    Happens::Begin => event.to.both(&self.escaped),
                    Happens::End => continue,
                };
                here.add(&holds);
                for variable in holds.iter() {
                    met[variable].add(&here);
                    here.iter().for_each(|other| met[other].insert(variable));
                }
            }
        }
        met
    }
}

/// What an instruction does to the variables that its operands point into.
fn happens(data: &InstData) -> Option<Happens> {
    match data.op {
        Op::Lifetime { begins: true } => Some(Happens::Begin),
        Op::Lifetime { begins: false } => Some(Happens::End),
        Op::Load(_) | Op::BlockLoad(_) => Some(Happens::Access),
        _ => data.op.has_effect().then_some(Happens::Access),
    }
}

/// The variables that values may point into.
fn pointers(function: &Function, variables: &[Variable], order: &[Block]) -> HashMap<Value, Set> {
    let mut pointers: HashMap<Value, Set> = HashMap::new();
    for (index, variable) in variables.iter().enumerate() {
        let mut set = Set::new(variables.len());
        set.insert(index);
        pointers.insert(variable.value, set);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in order {
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                if happens(data).is_some() {
                    continue;
                }
                let mut all = Set::default();
                for set in data.args.iter().filter_map(|arg| pointers.get(arg)) {
                    match all.0.is_empty() {
                        true => all = set.clone(),
                        false => _ = all.add(set),
                    }
                }
                if all.0.is_empty() {
                    continue;
                }
                for result in &data.results {
                    if function.ty(*result) == Type::I1 {
                        continue;
                    }
                    let known = pointers.entry(*result);
                    let known = known.or_insert_with(|| Set::new(variables.len()));
                    changed |= known.add(&all);
                }
            }
        }
    }
    pointers
}

#[cfg(test)]
mod tests {
    use oracles::Random;

    use super::Places;
    use crate::ir::{Access, Cursor, Function, Input, Op, Space, Terminator, Type, Value, verify};

    /// What is done, one after the other, with two variables of 64 bytes.
    #[derive(Clone, Copy, Debug)]
    enum Do {
        Begin(usize),
        End(usize),
        Write(usize),
        Read(usize),
        /// Writes the address to memory.
        Tell(usize),
        /// What follows is a loop.
        Loop,
    }

    /// Whether they share a place.
    fn share(what: &[Do]) -> bool {
        let mut function = Function::default();
        let entry = function.add_block();
        let mut at = Cursor::new(&mut function, entry);
        let op = Op::Alloca { size: 64, align: 4 };
        let variables: [Value; 2] = [(); 2].map(|()| at.one(op.clone(), &[], Type::I32));
        let out = at.one(Op::Input(Input::Payload(0)), &[], Type::I64);
        let (private, global) = (
            Access::new(Space::Private, 4),
            Access::new(Space::Global, 4),
        );
        let four = at.constant(Type::I32, 4);
        for what in what {
            match *what {
                Do::Begin(n) => _ = at.push(Op::Lifetime { begins: true }, &[variables[n]], &[]),
                Do::End(n) => _ = at.push(Op::Lifetime { begins: false }, &[variables[n]], &[]),
                Do::Write(n) => _ = at.push(Op::Store(private), &[variables[n], four], &[]),
                Do::Read(n) => {
                    let place = at.bin(crate::ir::Bin::Add, variables[n], four);
                    let value = at.one(Op::Load(private), &[place], Type::I32);
                    at.push(Op::Store(global), &[out, value], &[]);
                }
                Do::Tell(n) => {
                    let wide = Op::ToGeneric(Space::Private);
                    let wide = at.one(wide, &[variables[n]], Type::I64);
                    at.push(Op::Store(global), &[out, wide], &[]);
                }
                Do::Loop => {
                    let body = at.function.add_block();
                    at.function.blocks[at.block.index()].end = Terminator::Jump(body);
                    at.block = body;
                }
            }
        }
        let last = at.block;
        let end = match last == entry {
            true => Terminator::Return,
            false => {
                let after = at.function.add_block();
                at.function.blocks[after.index()].end = Terminator::Return;
                let more = at.one(Op::Input(Input::Payload(8)), &[], Type::I1);
                Terminator::Branch(more, last, after)
            }
        };
        function.blocks[last.index()].end = end;
        verify(&function).unwrap();
        let places = Places::find(&function, true).unwrap();
        let [(_, a), (_, b)] = places.at[..] else {
            panic!("two variables")
        };
        assert_eq!(places.size, 64 + a.max(b));
        a == b
    }

    #[test]
    fn what_is_not_held_together_shares_a_place() {
        use Do::*;
        assert!(share(&[Write(0), Read(0), Write(1), Read(1)]));
        assert!(!share(&[Write(0), Write(1), Read(0), Read(1)]));
        // Where it is written, it would write the other.
        assert!(!share(&[Write(0), Write(1), Read(0)]));
    }

    #[test]
    fn nothing_of_what_begins_in_a_round_comes_from_the_last() {
        use Do::*;
        let plain = [Loop, Write(0), Read(0), Write(1), Read(1)];
        assert!(!share(&plain));
        let begun = [
            Loop,
            Begin(0),
            Write(0),
            Read(0),
            Begin(1),
            Write(1),
            Read(1),
        ];
        assert!(share(&begun));
        // The second lives from round to round.
        assert!(!share(&[
            Write(1),
            Loop,
            Begin(0),
            Write(0),
            Read(0),
            Read(1)
        ]));
    }

    #[test]
    fn others_may_access_what_they_know_until_it_ends() {
        use Do::*;
        assert!(!share(&[Write(0), Tell(0), Write(1), Read(1)]));
        assert!(!share(&[
            Begin(0),
            Write(0),
            Tell(0),
            Begin(1),
            Write(1),
            Read(1)
        ]));
        assert!(!share(&[Write(1), Begin(0), Tell(0), Read(1)]));
        assert!(share(&[
            Begin(0),
            Write(0),
            Tell(0),
            End(0),
            Write(1),
            Read(1)
        ]));
        // In the next round it has not begun yet.
        let told = [Loop, Begin(0), Tell(0), End(0), Begin(1), Tell(1), End(1)];
        assert!(share(&told));
        assert!(!share(&[Loop, Begin(0), Tell(0), Begin(1), Tell(1)]));
    }

    /// Whether two variables in one place keep what programs may read of them, in three rounds of the loop. What
    /// was told may be read at any time until it begins anew or ends.
    fn keeps(what: &[Do]) -> bool {
        let rounds = what.iter().position(|one| matches!(one, Do::Loop));
        let again = &what[rounds.unwrap_or(what.len())..];
        // Who has written last; and of each variable whether it was written, and told.
        let (mut last, mut written, mut told) = (2, [false; 2], [false; 2]);
        for one in what.iter().chain(again).chain(again) {
            let is_read = |n: usize| written[n] && last != n;
            match *one {
                Do::Begin(n) | Do::End(n) => (written[n], told[n]) = (false, false),
                Do::Write(n) => (last, written[n]) = (n, true),
                Do::Read(n) if is_read(n) => return false,
                Do::Tell(n) => told[n] = true,
                Do::Read(_) | Do::Loop => {}
            }
            if (0..2).any(|n| told[n] && written[n] && last != n) {
                return false;
            }
        }
        true
    }

    #[test]
    fn what_shares_a_place_is_kept() {
        let seed = 0x5eed_91ac;
        eprintln!("seed {seed:#x}");
        let mut random = Random::new(seed);
        let mut shared = 0;
        for _ in 0..20_000 {
            let count = 2 + random.below(9) as usize;
            let begin = random.below(2 * count as u64) as usize;
            let mut what: Vec<Do> = (0..count)
                .map(|_| {
                    let n = random.below(2) as usize;
                    match random.below(8) {
                        0 => Do::Begin(n),
                        1 => Do::End(n),
                        2 | 3 => Do::Read(n),
                        4 => Do::Tell(n),
                        _ => Do::Write(n),
                    }
                })
                .collect();
            if begin <= count {
                what.insert(begin, Do::Loop);
            }
            if share(&what) {
                shared += 1;
                assert!(keeps(&what), "{what:?}");
            }
        }
        assert!(shared > 2_000, "{shared}");
    }
}
