//! `run --check` on memory orders and scopes: what the source asks for decides, where machine code shows more.

#![cfg(test)]

mod common;

use common::{each, talk, tool};

/// A kernel of `orders.cl`, its local size, and for the wrong choices what replaces a right one.
type Row = (&'static str, u32, &'static [&'static str]);

const RELAXED: [&str; 3] = [
    "RELEASE=memory_order_relaxed",
    "ACQUIRE=memory_order_relaxed",
    "BOTH=memory_order_relaxed",
];
const NARROW: [&str; 2] = [
    "RELEASES_TO=memory_scope_work_group",
    "ACQUIRES_FROM=memory_scope_work_group",
];
const NOTHING: [&str; 2] = ["BEFORE=", "AFTER="];
const LOCAL: [&str; 2] = [
    "BEFORE=work_group_barrier(CLK_LOCAL_MEM_FENCE)",
    "AFTER=work_group_barrier(CLK_LOCAL_MEM_FENCE)",
];
const GLOBAL: &str = "AFTER=work_group_barrier(CLK_GLOBAL_MEM_FENCE)";
const SUB_GROUP: [&str; 2] = [
    "AFTER=sub_group_barrier(CLK_LOCAL_MEM_FENCE)",
    "AFTER=sub_group_barrier(CLK_GLOBAL_MEM_FENCE)",
];

const ASKED_ONCE: [&str; 2] = ["TAKE=atomic_cmpxchg(lock,0,1)", "TAKE=atomic_xchg(lock,1)"];

/// Groups of 16 or 32 work-items may be one sub-group, those of 64 are several.
const KERNELS: &[Row] = &[
    (
        "flag",
        16,
        &[
            RELAXED[0], RELAXED[1], NARROW[0], NARROW[1], NOTHING[0], NOTHING[1], LOCAL[0],
            LOCAL[1],
        ],
    ),
    ("flag", 64, &[RELAXED[1], NARROW[0], LOCAL[0], LOCAL[1]]),
    (
        "fences",
        16,
        &[
            RELAXED[0],
            RELAXED[1],
            NARROW[0],
            NARROW[1],
            NOTHING[0],
            LOCAL[1],
            "RELEASED=CLK_LOCAL_MEM_FENCE",
            "RELEASE=memory_order_acquire",
        ],
    ),
    (
        "flags",
        64,
        &[RELAXED[0], RELAXED[1], NARROW[0], NARROW[1], "NEIGHBOUR"],
    ),
    (
        "last",
        64,
        &[
            RELAXED[2],
            "BOTH=memory_order_release",
            "BOTH=memory_order_acquire",
            NARROW[0],
            LOCAL[1],
        ],
    ),
    ("lock", 16, &[RELAXED[0], RELAXED[1], NARROW[0], NARROW[1]]),
    ("waits", 16, &ASKED_ONCE),
    ("waits_locally", 64, &ASKED_ONCE),
    ("counts", 16, &[NARROW[0]]),
    (
        "chain",
        64,
        &[
            RELAXED[1],
            "HANDED=atomic_store_explicit(flag+1,1,memory_order_relaxed,memory_scope_device)",
            "HANDED=atomic_fetch_add_explicit(flag+1,1,memory_order_relaxed,memory_scope_device)",
            "HANDED=atomic_store_explicit(flag+1,1,memory_order_release,memory_scope_work_group)",
            "HANDED=atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_release,\
             memory_scope_work_group);atomic_store_explicit(flag+1,1,memory_order_relaxed,\
             memory_scope_device)",
        ],
    ),
    (
        "sequence",
        64,
        &[
            RELAXED[1],
            "STEP=atomic_store_explicit(flag,2,memory_order_relaxed,memory_scope_device)",
        ],
    ),
    (
        "compares",
        16,
        &[RELAXED[0], "LATE=*data=5", "FOUND=memory_order_relaxed"],
    ),
    ("pushes", 64, &[NARROW[0]]),
    (
        "kinds",
        32,
        &[NOTHING[1], LOCAL[1], GLOBAL, SUB_GROUP[0], SUB_GROUP[1]],
    ),
    ("kinds", 64, &[NOTHING[1], LOCAL[1], GLOBAL]),
    ("tries", 16, &["TRIES=1", "TRIES=2"]),
    ("tickets", 16, &["WAITS_FOR=mine-1"]),
    ("looks_at_first", 64, &["TRIES=1", "TRIES=4"]),
    ("looks_at_last", 64, &["TRIES=1", "TRIES=4"]),
];

#[test]
fn orders_and_scopes_are_those_of_the_source() {
    if !oracles::debian("ocloc") {
        return;
    }
    let runs = [
        ("skl", "own"),
        ("skl", "ocloc"),
        ("tgl", "own"),
        ("dg2:8", "own"),
        ("dg2:8", "ocloc"),
        ("bmg", "own"),
    ];
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/orders.cl");
    let rows = KERNELS.iter().flat_map(|(kernel, local, wrong)| {
        let wrong = wrong.iter().map(move |wrong| (*kernel, *local, *wrong));
        std::iter::once((*kernel, *local, "")).chain(wrong)
    });
    let rows: Vec<_> = rows.collect();
    each(&rows, |&(kernel, local, wrong)| {
        for (platform, compiler) in runs {
            let options = match wrong {
                "" => String::new(),
                wrong => format!("-D{}", wrong.replace(' ', "")),
            };
            let (options, local) = (format!("--build-options={options}"), local.to_string());
            let device = format!("soft:{platform}");
            let what = ["run", "--check", "--device", &device, "--kernel", kernel];
            let range = ["--global", "256", "--local", &local];
            let how = ["--compiler", compiler, &options, source];
            let buffers = ["--arg", "fill=0:4096"].repeat(3);
            let run = tool(&[&what[..], &range, &how, &buffers].concat());
            let text = talk(&run);
            let context = format!("{kernel} of {local}, {platform} {compiler}, {wrong}: {text}");
            let expected = if wrong.is_empty() { 0 } else { 5 };
            assert_eq!(run.status.code(), Some(expected), "{context}");
            let is_told = ["data race", "missing fence"]
                .iter()
                .any(|rule| text.contains(rule));
            assert_eq!(is_told, !wrong.is_empty(), "{context}");
        }
    });
}
