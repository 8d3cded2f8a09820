#![doc = include_str!("../README.md")]

mod abi;
mod builder;
mod code;
mod compile;
mod emit;
mod error;
mod front;
pub mod ir;
mod lines;
mod passes;
mod prolog;
mod regalloc;
mod relocate;
mod schedule;
mod select;
mod target;
mod zebin;

pub use compile::{KernelReport, Options, SCHEDULE, Zebin, compile, compile_showing, pass_names};
pub use error::{Error, Place};
