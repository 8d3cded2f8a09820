//! Puts single faults of twenty kinds into kernels of the corpus, and says how many of each kind the
//! checks find: `mutate [FAULTS [SEED]]`. The exit code is 5 if they find too few.

use std::io::Write;
use std::process::ExitCode;

use stack_tests::measure::{FAULTS, Measure, SEED};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Result<Vec<u64>, _> = words.iter().map(|word| word.parse()).collect();
    let (faults, seed) = match numbers.as_deref() {
        Ok([]) => (FAULTS, SEED),
        Ok([faults]) => (*faults as usize, SEED),
        Ok([faults, seed]) => (*faults as usize, *seed),
        _ => {
            eprintln!("usage: mutate [FAULTS [SEED]]");
            return ExitCode::from(2);
        }
    };
    let measure = Measure::of(seed, faults);
    // Who closes the pipe has read enough.
    let _ = write!(std::io::stdout(), "{measure}");
    match measure.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(5),
    }
}
