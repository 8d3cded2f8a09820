//! The kernel driver clients against a node: the software GPU of several platforms and every real
//! render node that the table knows.

#![cfg(test)]

mod contexts;
mod faults;
mod memory;
mod rig;
mod submission;
