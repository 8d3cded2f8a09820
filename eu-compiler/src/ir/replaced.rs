//! Values that others take the places of.

use super::function::{Function, Terminator};
use super::ids::Value;

/// What takes the place of each value.
#[derive(Debug, Default)]
pub struct Replaced {
    /// By value; as far as it goes, itself for a value that stays.
    by: Vec<Value>,
}

impl Replaced {
    /// `new` takes the place of `old`.
    pub fn insert(&mut self, old: Value, new: Value) {
        let new = self.find(new);
        let known = self.by.len() as u32;
        self.by.extend((known..=old.0).map(Value));
        self.by[old.index()] = new;
    }

    /// What a value is now.
    pub fn find(&self, mut value: Value) -> Value {
        while let Some(next) = self.by.get(value.index()).filter(|next| **next != value) {
            value = *next;
        }
        value
    }

    /// Whether every value stays.
    pub const fn is_empty(&self) -> bool {
        self.by.is_empty()
    }

    /// Replaces operands everywhere.
    pub fn apply(&self, function: &mut Function) {
        if self.is_empty() {
            return;
        }
        for &block in &function.order {
            let data = &mut function.blocks[block.index()];
            for inst in &data.insts {
                for arg in &mut function.insts[inst.index()].args {
                    *arg = self.find(*arg);
                }
            }
            if let Terminator::Branch(value, ..) = &mut data.end {
                *value = self.find(*value);
            }
        }
    }
}

impl Extend<(Value, Value)> for Replaced {
    fn extend<I: IntoIterator<Item = (Value, Value)>>(&mut self, pairs: I) {
        for (old, new) in pairs {
            self.insert(old, new);
        }
    }
}
