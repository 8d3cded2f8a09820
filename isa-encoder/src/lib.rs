//! The EU instruction set: decode, encode, compaction, send messages, assembler and disassembler.
