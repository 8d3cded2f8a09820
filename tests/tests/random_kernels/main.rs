//! Random OpenCL C kernels: Intel's compilers and this project's compile each for every instruction
//! set, and the code leaves the same in memory as an interpreter of the kernel's tree, which shares nothing with the
//! software GPU.
//!
//! Kernels have integers of all widths, vectors, halves and floats where results are exact,
//! divergent branches and loops, private arrays, local memory, atomics and sub-group functions.
//! They avoid what C leaves open, and what the compilers are known to get wrong; a new seed may
//! find another compiler bug. Then look at the code of the reduced kernel.
//!
//! A seed makes a kernel. `RANDOM_KERNELS=COUNT` or `FIRST:COUNT` in the environment says which
//! seeds run, `RANDOM_KERNELS_FOR=DEVICE` limits them to one of ocloc's devices,
//! `RANDOM_KERNELS_SECONDS=N` begins no kernel after so many seconds, and
//! `RANDOM_KERNELS_REDUCE=1` first reduces kernels that fail.

#![cfg(test)]

mod arithmetic;
mod ast;
mod evaluate;
mod generate;
mod print;
mod reduce;
mod targets;
mod types;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ast::{BLOCK_ROW, CELLS, GLOBAL_SIZE, Kernel, Stmt};
use evaluate::Memory;
use stack_tests::{Oracle, require};
use targets::{CompiledFor, Compiler, NEWER, TARGETS};

/// The seeds of `RANDOM_KERNELS`: the first and how many.
fn seeds(default: u64) -> (u64, u64) {
    let Ok(text) = env::var("RANDOM_KERNELS") else {
        return (1, default);
    };
    let (first, count) = text.split_once(':').unwrap_or(("1", &text));
    match (first.parse(), count.parse()) {
        (Ok(first), Ok(count)) => (first, count),
        _ => panic!("RANDOM_KERNELS is {text:?}; it is COUNT or FIRST:COUNT"),
    }
}

/// When no more kernels begin, by `RANDOM_KERNELS_SECONDS`.
fn end() -> Option<Instant> {
    let seconds = env::var("RANDOM_KERNELS_SECONDS").ok()?;
    let number = seconds.parse().map(Duration::from_secs);
    let number = number.unwrap_or_else(|e| panic!("RANDOM_KERNELS_SECONDS is {seconds:?}: {e}"));
    Some(Instant::now() + number)
}

/// Runs the kernels of the seeds for all targets of a compiler; compiled as for `--check`, if they are
/// `watched`.
fn check(compiler: Compiler, default: u64, watched: bool) {
    let (first, count) = seeds(default);
    let device = env::var("RANDOM_KERNELS_FOR").unwrap_or_default();
    let targets = TARGETS.iter().filter(|target| target.compiler == compiler);
    let targets = targets.filter(|target| device.is_empty() || target.device == device);
    let targets: Vec<&CompiledFor> = targets.filter(|target| target.runs()).collect();
    let jobs: Vec<(u64, &CompiledFor)> = (first..first + count)
        .flat_map(|seed| targets.iter().map(move |target| (seed, *target)))
        .collect();
    let end = end();
    let is_early = || end.is_none_or(|end| Instant::now() < end);
    let next = AtomicUsize::new(0);
    let ran = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while is_early()
                    && let Some((seed, target)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let kernel = generate::generate(*seed);
                    if target.takes(&kernel) {
                        ran.fetch_add(1, Ordering::Relaxed);
                        if let Err(why) = run(&kernel, target, watched) {
                            eprintln!("seed {seed}, {}: {why}", target.name());
                            failures.lock().unwrap().push((*seed, target.name()));
                        }
                    }
                }
            });
        }
    });
    let ran = ran.into_inner();
    eprintln!("{ran} kernels of {count} seeds from {first} on");
    if let Some((seed, target)) = jobs.get(next.into_inner()) {
        let target = target.name();
        eprintln!("the time was over before seed {seed}, {target}");
    }
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {ran} kernels are wrong: {failures:?}",
        failures.len()
    );
    assert!(
        ran > 0 || count == 0 || !device.is_empty(),
        "no target takes a kernel"
    );
}

/// Compiles, runs and compares one kernel. The text of a failing one and its input are kept.
fn run(kernel: &Kernel, target: &CompiledFor, watched: bool) -> Result<(), String> {
    outcome(kernel, target, watched).map_err(|why| {
        let name = format!("{}-{}.cl", kernel.seed, target.name().replace(' ', "-"));
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let smaller = env::var_os("RANDOM_KERNELS_REDUCE").map(|_| {
            let compiles = compiles(&why);
            reduce::reduce(kernel, |less| {
                outcome(less, target, watched).is_err_and(|why| self::compiles(&why) == compiles)
            })
        });
        let kernel = smaller.as_ref().unwrap_or(kernel);
        let why = outcome(kernel, target, watched).err().unwrap_or(why);
        let input = fs::write(kept.with_extension("in"), &kernel.input);
        match input.and_then(|()| fs::write(&kept, print::source(kernel))) {
            Ok(()) => format!("{why}\n{}", kept.display()),
            Err(error) => format!("{why}\n{}: {error}", kept.display()),
        }
    })
}

fn outcome(kernel: &Kernel, target: &CompiledFor, watched: bool) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let zebin = target.compile(kernel, folder.path(), watched)?;
    if target.is_wrong(kernel, &zebin)? {
        return Ok(());
    }
    let found = target.run(kernel, &zebin, watched)?;
    compare(kernel, &evaluate::evaluate(kernel), &found)
}

/// Whether an outcome is not the compiler's refusal.
fn compiles(why: &str) -> bool {
    !why.starts_with(targets::REFUSED)
}

/// Reports the first element that differs in each row of each kind of memory.
fn compare(kernel: &Kernel, expected: &Memory, found: &Memory) -> Result<(), String> {
    let mut text = String::new();
    differ(
        &mut text,
        "out",
        &expected.out,
        &found.out,
        GLOBAL_SIZE,
        |row| statement(kernel, |s| matches!(s, Stmt::Out(r, _) if *r == row)),
    );
    differ(
        &mut text,
        "blocks",
        &expected.blocks,
        &found.blocks,
        BLOCK_ROW,
        |row| {
            statement(
                kernel,
                |s| matches!(s, Stmt::BlockWrite { row: r, .. } if *r == row),
            )
        },
    );
    differ(
        &mut text,
        "cells",
        &expected.cells,
        &found.cells,
        CELLS,
        |row| {
            statement(
                kernel,
                |s| matches!(s, Stmt::GlobalAtomic { row: r, .. } if *r == row),
            )
        },
    );
    differ(
        &mut text,
        "own",
        &expected.own,
        &found.own,
        GLOBAL_SIZE,
        |_| String::new(),
    );
    if text.is_empty() { Ok(()) } else { Err(text) }
}

/// The text of the first selected top-level statement.
fn statement(kernel: &Kernel, is_meant: impl Fn(&Stmt) -> bool) -> String {
    let found = kernel.body.iter().find(|stmt| is_meant(stmt));
    found.map_or_else(String::new, |stmt| print::statement(kernel, stmt))
}

fn differ<T: PartialEq + std::fmt::LowerHex>(
    text: &mut String,
    name: &str,
    expected: &[T],
    found: &[T],
    row: usize,
    statement: impl Fn(usize) -> String,
) {
    for (number, (e, f)) in expected.chunks(row).zip(found.chunks(row)).enumerate() {
        let wrong = e.iter().zip(f).filter(|(e, f)| e != f).count();
        if let Some(at) = e.iter().zip(f).position(|(e, f)| e != f) {
            let _ = write!(
                text,
                "\n  {name} row {number}: {wrong} wrong, first [{at}] is {:#x}, expected {:#x}\n{}",
                f[at],
                e[at],
                statement(number)
            );
        }
    }
}

#[test]
fn kernels_of_debians_compiler() {
    if require(Oracle::Ocloc) {
        check(Compiler::Debian, 4, false);
    }
}

#[test]
fn kernels_of_the_newer_compiler() {
    if oracles::variable(NEWER, "ocloc 26.27").is_some() {
        check(Compiler::Newer, 4, false);
    }
}

#[test]
fn kernels_of_this_projects_compiler() {
    if require(Oracle::Ocloc) {
        check(Compiler::Own, 6, false);
    }
}

#[test]
fn watched_kernels_of_debians_compiler() {
    if require(Oracle::Ocloc) {
        check(Compiler::Debian, 2, true);
    }
}

#[test]
fn watched_kernels_of_the_newer_compiler() {
    if oracles::variable(NEWER, "ocloc 26.27").is_some() {
        check(Compiler::Newer, 2, true);
    }
}

#[test]
fn watched_kernels_of_this_projects_compiler() {
    if require(Oracle::Ocloc) {
        check(Compiler::Own, 3, true);
    }
}

/// It spills numbers of work-items: 2 and 3, side by side, look like a pointer to the fifth buffer.
#[test]
fn spilled_numbers_are_no_pointers() {
    let newest = |target: &&CompiledFor| target.compiler == Compiler::Newer;
    if oracles::variable(NEWER, "ocloc 26.27").is_some() {
        let mut targets = TARGETS.iter().filter(newest);
        let target = targets.find(|target| target.device == "mtl-h").unwrap();
        run(&generate::generate(713), target, true).unwrap();
    }
}
