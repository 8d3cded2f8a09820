//! Clients of the bus.

#![cfg(test)]

mod client;
mod submit;
mod tbx;
