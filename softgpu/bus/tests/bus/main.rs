//! Clients of the bus.

#![cfg(test)]

mod aub;
mod client;
mod submit;
mod tbx;
