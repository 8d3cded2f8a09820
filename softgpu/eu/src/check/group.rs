//! The group that runs: its threads' clocks and its shared local memory.

use super::Checks;
use super::bytes::UNWRITTEN;
use super::cell::Cell;
use super::order::{Known, Order, Side};

/// What the checks know of a resident group.
#[derive(Debug, Default)]
pub struct Group {
    /// The group's ids.
    ids: [u32; 3],
    /// The number of its first thread.
    pub(super) first: u32,
    /// By thread.
    pub(super) threads: Vec<Order>,
    /// The hardware slots of the threads.
    pub(super) slots: Vec<u16>,
    /// By word of shared local memory.
    pub(super) cells: Vec<Cell>,
    /// By byte of it.
    pub(super) states: Vec<u8>,
    /// By word of it, what atomics tell.
    pub(super) told: std::collections::BTreeMap<u64, Known>,
}

impl Group {
    /// A thread of a launch, in words.
    pub(super) fn name(&self, thread: u32, lane: Option<u8>) -> String {
        let channel = lane.map_or(String::new(), |lane| format!(", channel {lane}"));
        match thread.checked_sub(self.first) {
            Some(index) if (index as usize) < self.threads.len() => {
                let [x, y, z] = self.ids;
                format!("work-group ({x}, {y}, {z}), sub-group {index}{channel}")
            }
            _ => format!("another work-group{channel}"),
        }
    }
}

impl Checks {
    /// A group of the launch begins: `slots` are those of its threads, `local_bytes` its shared
    /// local memory.
    pub fn begin_group(&self, ids: [u32; 3], slots: &[u32], local_bytes: usize) -> Group {
        Group {
            ids,
            first: self.memory().take_threads(slots.len() as u32),
            threads: vec![Order::new(); slots.len()],
            slots: slots.iter().map(|slot| *slot as u16).collect(),
            cells: vec![Cell::default(); local_bytes.div_ceil(4)],
            states: vec![UNWRITTEN; local_bytes.next_multiple_of(4)],
            told: Default::default(),
        }
    }

    /// The group that runs is exchanged for this one.
    pub fn exchange_group(&self, group: &mut Group) {
        std::mem::swap(&mut *self.group.borrow_mut(), group);
    }

    /// This thread of the group runs.
    pub fn set_thread(&self, index: u32) {
        self.thread.set(index);
    }

    /// The thread that runs, in words.
    pub(super) fn who(&self, lane: Option<u8>) -> String {
        let group = self.group.borrow();
        group.name(group.first + self.thread.get(), lane)
    }

    fn order(&self, change: impl FnOnce(&mut Order)) {
        let mut group = self.group.borrow_mut();
        if let Some(order) = group.threads.get_mut(self.thread.get() as usize) {
            change(order);
        }
    }

    /// The thread fences what it did to shared local memory, or to all other.
    pub(crate) fn fence(&self, local: bool) {
        let side = if local { Side::Local } else { Side::Global };
        self.order(|order| order.fence(side));
    }

    /// The thread signals the group's barrier.
    pub(crate) fn signal(&self) {
        self.order(Order::signal);
    }

    /// The barrier that the thread waited for has passed.
    pub(crate) fn pass(&self) {
        let mut group = self.group.borrow_mut();
        let index = self.thread.get() as usize;
        // What one thread of the group has learnt by atomics, all know after the barrier.
        let told: Vec<Known> = group
            .threads
            .iter()
            .filter(|order| !order.known.is_empty())
            .map(|order| order.known.clone())
            .collect();
        if let Some(order) = group.threads.get_mut(index) {
            order.pass();
            told.iter().for_each(|known| order.acquire(known));
        }
    }
}
