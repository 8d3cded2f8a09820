//! Families that came after genxml's files: what they change of the one before.

use std::collections::BTreeSet;

use batchbuffer::PacketId;
use devinfo::{Family, Span};

use crate::declared;

/// Facts of Xe3 that Xe2 does not have (`+`), and the other way round (`-`).
///
/// Source: Intel's compute-runtime, `hw_cmds_generated_xe3_core.inl` against
/// `hw_cmds_generated_xe2_hpg_core.inl` and the masks in its `hw_cmds_base.h`; for coarse pixels,
/// `gen30.xml` of Mesa 26.2. Walkers repeat what
/// their body and descriptor have.
#[rustfmt::skip]
const XE3: &[&str] = &[
    "+ 3DSTATE_COARSE_PIXEL: header 78890000",
    "+ 3DSTATE_COARSE_PIXEL: length 2 in 7:0",
    "- 3DSTATE_CPS_POINTERS: header 78220000",
    "- 3DSTATE_CPS_POINTERS: length 2 in 15:0",
    "+ 3DSTATE_BTD: field 1:11:9 uint Dynamic Stack Management Mechanism Miss Penalty",
    "+ 3DSTATE_BTD: field 1:14:12 uint Dynamic Stack Management Mechanism Hit Reward",
    "+ 3DSTATE_BTD: field 1:17:15 uint Dynamic Stack Management Mechanism Scaling Factor",
    "+ 3DSTATE_BTD: field 1:20:18 uint Dynamic Stack Management Mechanism Reduction Cap",
    "+ 3DSTATE_BTD: field 1:30:30 bool RT Mem Structures 64b Mode Enable",
    "- CFE_STATE: field 3:10:10 bool Large GRF Thread Adjust Disable",
    "+ CFE_STATE: field 3:2:2 bool Dynamic Stack ID Control",
    "+ COMPUTE_WALKER_BODY: field 3:4:3 uint Thread Group Batch Size",
    "+ INTERFACE_DESCRIPTOR_DATA: field 2:1:0 uint EU Thread Scheduling Mode Override",
    "+ INTERFACE_DESCRIPTOR_DATA: field 2:30:26 uint Registers Per Thread",
    "+ INTERFACE_DESCRIPTOR_DATA: field 6:10:8 uint Z Pass Async Compute Thread Limit",
    "+ INTERFACE_DESCRIPTOR_DATA: field 6:13:12 uint NP Z Async Throttle settings",
    "+ INTERFACE_DESCRIPTOR_DATA: field 6:18:16 uint PS Async Thread Limit",
    "- MI_FLUSH_DW: field 1:47:3 address Address",
    "+ MI_FLUSH_DW: field 1:63:3 address Address",
    "- RENDER_SURFACE_STATE: field 1:15:15 bool Sample Tap Discard Disable",
    "- RENDER_SURFACE_STATE: field 1:18:18 bool Corner Texel Mode",
    "+ RENDER_SURFACE_STATE: field 13:30:30 bool Disable Sampler Backing By LSC",
    "+ STATE_COMPUTE_MODE: field 1:10:10 bool Enable Variable Register Size Allocation",
    "+ STATE_COMPUTE_MODE: field 1:12:12 bool Enable Pipelined EU Thread Arbitration",
    "+ STATE_COMPUTE_MODE: field 1:26:26 bool Enable Variable Register Size Allocation Mask",
    "+ STATE_COMPUTE_MODE: field 1:28:28 bool Enable Pipelined EU Thread Arbitration Mask",
    "- STATE_COMPUTE_MODE: field 2:11:11 uint Memory allocation for Scratch and Midthread Preemption buffers",
    "- STATE_COMPUTE_MODE: field 2:27:27 uint Memory allocation for Scratch and Midthread Preemption buffers Mask",
];

fn of(family: Family) -> BTreeSet<String> {
    let facts = declared::facts(Span::only(family));
    let bodies = [PacketId::ComputeWalker, PacketId::ExecuteIndirectDispatch].map(|p| p.layout());
    facts
        .iter()
        .filter(|(layout, _, fact)| {
            !fact.starts_with("value ") && !bodies.iter().any(|body| body.name == *layout)
        })
        .map(|(layout, _, fact)| format!("{layout}: {fact}"))
        .collect()
}

#[test]
fn xe3_changes_what_compute_runtime_says() {
    let (before, after) = (of(Family::Xe2), of(Family::Xe3));
    let gone = before.difference(&after).map(|fact| format!("- {fact}"));
    let new = after.difference(&before).map(|fact| format!("+ {fact}"));
    let changes: BTreeSet<String> = gone.chain(new).collect();
    let expected: BTreeSet<String> = XE3.iter().map(|&change| change.to_owned()).collect();
    assert_eq!(changes, expected);
}
