//! What becomes of each field of `.ze_info` that decides how a kernel runs.

use batchbuffer::dispatch::ThreadScheduling;

use crate::binary::entry::{EuMode, KernelAbi, LocalIds};
use crate::binary::error::BinaryError;
use crate::binary::zeinfo;

fn lower(platform: &str, text: &str, relocated: bool) -> Result<KernelAbi, BinaryError> {
    let text = format!("version: '1.73'\nkernels:\n  - name: k\n{text}");
    let info = zeinfo::parse(text.as_bytes()).unwrap();
    let platform = devinfo::by_name(platform).unwrap();
    let path = "kernels[0]";
    super::kernel(path, &info.kernels[0], None, platform, relocated)
}

/// A kernel with these lines in its `execution_env`.
fn env(platform: &str, lines: &[&str]) -> KernelAbi {
    try_env(platform, lines, false).unwrap()
}

fn try_env(platform: &str, lines: &[&str], relocated: bool) -> Result<KernelAbi, BinaryError> {
    let mut text = "    execution_env:\n      grf_count: 128\n".to_owned();
    if !lines.iter().any(|line| line.starts_with("simd_size")) {
        text += "      simd_size: 16\n";
    }
    for line in lines {
        text += &format!("      {line}\n");
    }
    lower(platform, &text, relocated)
}

fn refusal(entry: &KernelAbi) -> &str {
    entry.unsupported.as_deref().unwrap_or("it is not refused")
}

#[test]
fn eus_are_set_up_as_the_kernel_wants() {
    let mode = |platform, lines: &[&str]| env(platform, lines).eu;
    assert_eq!(mode("tgl", &[]), EuMode::default());
    assert!(mode("tgl", &["require_disable_eufusion: true"]).no_fusion);
    assert!(mode("dg2", &["require_disable_eufusion: true"]).no_fusion);
    // EUs that are not fused need no switch.
    assert!(!mode("pvc", &["require_disable_eufusion: true"]).no_fusion);
    assert!(mode("dg2", &["has_dpas: true"]).systolic);
    for (text, expected) in [
        ("age_based", ThreadScheduling::OldestFirst),
        ("round_robin", ThreadScheduling::RoundRobin),
        ("round_robin_stall", ThreadScheduling::StallBasedRoundRobin),
    ] {
        let line = format!("thread_scheduling_mode: {text}");
        assert_eq!(mode("pvc", &[&line]).scheduling, expected);
    }
    let progress = mode("pvc", &["subgroup_independent_forward_progress: true"]);
    assert_eq!(progress.scheduling, ThreadScheduling::RoundRobin);
    let error = try_env("pvc", &["thread_scheduling_mode: other"], false).unwrap_err();
    assert!(
        error.to_string().contains("thread_scheduling_mode"),
        "{error}"
    );
}

#[test]
fn what_is_not_possible_is_named() {
    for (line, name) in [
        ("has_device_enqueue: true", "has_device_enqueue"),
        ("has_rtcalls: true", "has_rtcalls"),
        ("require_assert_buffer: true", "require_assert_buffer"),
        ("require_sync_buffer: true", "require_sync_buffer"),
        ("slm_alloc_mode: 2", "slm_alloc_mode"),
        ("of_the_future: 1", "execution_env.of_the_future"),
        ("require_iab: true", "require_iab"),
    ] {
        let entry = env("tgl", &[line]);
        assert!(
            refusal(&entry).contains(name),
            "{line}: {}",
            refusal(&entry)
        );
    }
    let entry = env("pvc", &["has_sample: true"]);
    assert_eq!(refusal(&entry), "it uses images; pvc has none");
    let entry = env("mtl", &["has_dpas: true"]);
    assert_eq!(refusal(&entry), "it uses dpas; mtl has no systolic arrays");
    assert!(env("arl", &["has_dpas: true"]).unsupported.is_none());
    let entry = env("pvc", &["simd_size: 8"]);
    assert!(refusal(&entry).contains("SIMD8"), "{}", refusal(&entry));
    let sampler = "    execution_env:\n      grf_count: 128\n      simd_size: 16\n    \
                   payload_arguments:\n      - arg_type: arg_bypointer\n        arg_index: 0\n        \
                   addrmode: stateful\n        addrspace: sampler\n        sampler_index: 0\n        \
                   sampler_type: vme\n";
    let entry = lower("tgl", sampler, false).unwrap();
    assert!(refusal(&entry).contains("\"vme\""), "{}", refusal(&entry));
    let attribute = "    execution_env:\n      grf_count: 128\n      simd_size: 16\n    \
                     user_attributes:\n      intel_reqd_thread_group_dispatch_size: 4\n";
    let entry = lower("tgl", attribute, false).unwrap();
    assert!(refusal(&entry).contains("intel_reqd_thread_group_dispatch_size"));
}

#[test]
fn informative_fields_refuse_nothing() {
    let entry = env(
        "tgl",
        &[
            "disable_mid_thread_preemption: true",
            "eu_thread_count: 7",
            "has_4gb_buffers: true",
            "has_bindless_image_read: true",
            "has_fence_for_image_access: true",
            "has_global_atomics: true",
            "has_indirect_calls: true",
            "has_lsc_stores_with_non_default_l1_cache_controls: true",
            "has_multi_scratch_spaces: true",
            "has_no_stateless_write: true",
            "hw_preemption_mode: 1",
            "indirect_stateless_count: 3",
            "offset_to_skip_set_ffid_gp: 64",
            "private_size: 8",
            "spill_size: 8",
        ],
    );
    assert_eq!(entry.unsupported, None);
}

#[test]
fn implicit_arguments_lie_before_the_payload_where_code_asks_for_it() {
    let block = |platform, lines: &[&str], relocated| {
        try_env(platform, lines, relocated).unwrap().implicit_block
    };
    for platform in ["dg2", "pvc", "bmg", "ptl"] {
        assert!(block(platform, &["require_iab: true"], false));
        assert!(block(platform, &["has_stack_calls: true"], true));
        assert!(!block(platform, &["has_stack_calls: true"], false));
        assert!(!block(platform, &[], true));
    }
    assert!(!block("tgl", &["has_stack_calls: true"], true));
    let prints = &["has_stack_calls: true", "has_printf_calls: true"];
    assert!(try_env("pvc", prints, true).unwrap().info.has_printf);
}

#[test]
fn sizes_that_the_source_requires() {
    let entry = env("tgl", &["required_sub_group_size: 16"]);
    assert_eq!(entry.info.required_sub_group_size, Some(16));
    let error = try_env("tgl", &["required_sub_group_size: 8"], false).unwrap_err();
    assert!(error.to_string().contains("simd_size is 16"), "{error}");
    let entry = env("tgl", &["required_work_group_size: [8, 4, 1]"]);
    assert_eq!(entry.info.required_local_size, Some([8, 4, 1]));
}

#[test]
fn orders_of_one_and_two_dimensions() {
    for (dimensions, order) in [
        ("[0, 0, 0]", [0, 1, 2]),
        ("[0, 1, 0]", [0, 1, 2]),
        ("[1, 0, 0]", [1, 0, 2]),
        ("[2, 1, 0]", [2, 1, 0]),
    ] {
        let line = format!("work_group_walk_order_dimensions: {dimensions}");
        assert_eq!(env("tgl", &[&line]).walk_order, order);
    }
    let line = "work_group_walk_order_dimensions: [2, 2, 0]";
    assert!(try_env("tgl", &[line], false).is_err());
}

#[test]
fn ids_of_kernels_of_one_lane_are_packed() {
    let text = "    execution_env:\n      grf_count: 128\n      simd_size: 1\n    \
                per_thread_payload_arguments:\n      - arg_type: packed_local_ids\n        \
                offset: 0\n        size: 6\n";
    for platform in ["skl", "tgl", "dg2", "pvc", "bmg", "ptl"] {
        let entry = lower(platform, text, false).unwrap();
        let packed = LocalIds {
            dimensions: 3,
            bytes_per_dimension: 2,
            packed: true,
        };
        assert_eq!((entry.unsupported, entry.local_ids), (None, packed));
    }
}
