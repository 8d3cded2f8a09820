#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stack_tests::hostile::feed("firmware", bytes));
