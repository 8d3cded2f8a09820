#![doc = include_str!("../README.md")]
#![no_std]

mod table;

pub use table::{FIRMWARE, Firmware, Kind, files};

#[cfg(test)]
mod tests;
