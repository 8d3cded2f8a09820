#![doc = include_str!("../README.md")]
#![no_std]

mod table;

pub use table::{
    FIRMWARE, Firmware, Kind, SUBMISSION_INTERFACES, Version, files, submission_interface,
};

#[cfg(test)]
mod tests;
