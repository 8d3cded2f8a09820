//! Modules that are small and ask for much: types, values and calls that double at each step. An
//! answer comes soon, and without much memory. And such as break a rule of SPIR-V, which the answer names.

use eu_compiler::{Options, compile};

/// The module, and a part of its error if it has one.
const MODULES: [(&str, &[u8], Option<&str>); 14] = [
    (
        "64 addresses of a constant of 2 million scalars",
        include_bytes!("../hostile/addresses.spv"),
        None,
    ),
    (
        "26 functions that call the next one twice",
        include_bytes!("../hostile/blocks.spv"),
        Some("a kernel of more than"),
    ),
    (
        "2^32 - 1 structures of nothing",
        include_bytes!("../hostile/empty.spv"),
        None,
    ),
    (
        "selections of a selection and itself",
        include_bytes!("../hostile/selects.spv"),
        None,
    ),
    (
        "40 structures of two of the one before",
        include_bytes!("../hostile/sizes.spv"),
        None,
    ),
    (
        "6 GiB of local memory",
        include_bytes!("../hostile/slm.spv"),
        Some("local memory of more than 2 GiB"),
    ),
    (
        "48 squares, each of the one before, in addresses",
        include_bytes!("../hostile/squares.spv"),
        None,
    ),
    (
        "a structure of more than 4 GiB",
        include_bytes!("../hostile/struct.spv"),
        Some("a type of more than 2 GiB"),
    ),
    (
        "an integer of 33 bits, as LLVM makes them of loops that sum up their counter",
        include_bytes!("../hostile/width.spv"),
        Some("integers of 33 bits; there are 8, 16, 32 and 64. Clang's optimizer"),
    ),
    (
        "a value that is not defined on one way to its use",
        include_bytes!("../hostile/undominated.spv"),
        Some(
            "OpStore (made/undominated.cl:7): kernel k: the definition of an operand does not dominate",
        ),
    ),
    (
        "a condition that is not defined on one way to its use",
        include_bytes!("../hostile/decides.spv"),
        Some("kernel k: the definition of an operand does not dominate"),
    ),
    (
        "the address of a function",
        include_bytes!("../hostile/function_address.spv"),
        Some(
            "OpConstantFunctionPointerINTEL (made/function_address.cl:7): \
             the address of the function twice; every call must name its function",
        ),
    ),
    (
        "a call by an address",
        include_bytes!("../hostile/function_call.spv"),
        Some("OpFunctionPointerCallINTEL (made/function_call.cl:9): a call of what a pointer"),
    ),
    (
        "a variable with addresses of functions",
        include_bytes!("../hostile/function_table.spv"),
        Some("OpVariable (made/function_table.cl:3): the address of the function twice; every"),
    ),
];

#[test]
fn small_modules_that_ask_for_much_get_an_answer() {
    let platform = devinfo::by_name("tgl").unwrap();
    for (what, module, wanted) in MODULES {
        match (compile(module, &Options::new(platform)), wanted) {
            (Ok(_), None) => {}
            (Err(error), Some(part)) if error.to_string().contains(part) => {}
            (outcome, _) => panic!("{what}: {:?}", outcome.err().map(|error| error.to_string())),
        }
    }
}
