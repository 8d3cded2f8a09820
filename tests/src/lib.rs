//! Whole-stack tests: outside oracles, golden data, hardware in the loop.
