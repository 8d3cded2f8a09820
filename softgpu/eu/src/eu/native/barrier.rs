//! Barriers that host code does not pass by itself.

use eu_native::Frame;

use super::run::{Run, show_channels, show_signal, take_channels};
use crate::eu::op::Op;
use crate::eu::thread;

impl Run<'_, '_> {
    /// Passes a barrier, or leaves where the thread has to wait.
    pub fn barrier(&mut self, frame: &mut Frame, op: &Op, number: u32) -> u32 {
        let state = &mut *self.turns.state;
        take_channels(state, frame);
        state.ip = op.ip;
        if thread::wait(state, op, self.env).is_some() {
            // It has not been executed.
            frame.left += 1;
            frame.channels -= u64::from(op.exec_size);
            return Frame::LEAVE;
        }
        show_channels(state, frame);
        show_signal(state, frame);
        self.next(number as usize)
    }
}
