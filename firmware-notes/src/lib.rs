#![doc = include_str!("../README.md")]
#![no_std]

pub mod blob;
mod rules;
mod table;

pub use rules::{Verdict, needs_force_probe, pairing, verdict};
pub use table::{
    FIRMWARE, FORCE_PROBE, Firmware, Kind, Need, SUBMISSION_INTERFACES, Version, files,
    submission_interface,
};

#[cfg(test)]
mod tests;
