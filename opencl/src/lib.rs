#![doc = include_str!("../README.md")]

mod api;
mod core;
mod error;

pub use api::dispatch::{clGetExtensionFunctionAddress, clIcdGetPlatformIDsKHR};
