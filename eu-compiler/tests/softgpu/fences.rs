//! Barriers and fences show what they say to whom they say: with no message within a sub-group, and
//! with load/store messages not further than the work-group if that is enough.

use crate::common::{PLATFORMS, Run, Value, compiled, run};

const ITEMS: usize = 128;
const GROUP: usize = 64;

/// The kernels, and the scope of the fence of global memory in load/store messages.
const KERNELS: [(&str, Option<&str>); 7] = [
    ("lanes_none", None),
    ("lanes_group", Some("group")),
    ("lanes_device", Some("gpu")),
    ("lanes_all", Some("gpu")),
    ("group_group", Some("group")),
    ("group_device", Some("gpu")),
    ("group_all", Some("gpu")),
];

#[test]
fn fences_reach_as_far_as_their_scope() {
    let spirv = include_bytes!("../kernels/fences.spv");
    let mut ran = 0;
    for platform in PLATFORMS {
        for (kernel, scope) in KERNELS {
            let what = Run {
                spirv,
                kernel,
                simd: None,
                global: &[ITEMS as u64],
                local: Some(&[GROUP as u32]),
                args: vec![
                    Value::Buffer(vec![0; 8 * ITEMS]),
                    Value::Local(4 * GROUP as u32),
                ],
            };
            let out = run(platform, &what).unwrap();
            let words = out[0].as_chunks::<4>().0;
            let words: Vec<usize> = words
                .iter()
                .map(|w| u32::from_le_bytes(*w) as usize)
                .collect();
            for (g, word) in words[ITEMS..].iter().enumerate() {
                let l = g % GROUP;
                let other = match kernel.starts_with("lanes") {
                    true => l ^ 1,
                    false => GROUP - 1 - l,
                };
                assert_eq!(*word, 3 * other + 1, "{platform} {kernel} {g}");
            }
            let zebin = compiled(platform, &what, None).unwrap();
            let code = zebin.kernels.iter().find(|k| k.name == kernel).unwrap();
            let text = code.text();
            let of = |port: &str| -> Vec<&str> {
                let lines = text.lines().filter_map(|line| line.split_once("// "));
                let words = lines.filter_map(|(_, comment)| comment.split_once("; "));
                let fences = words.map(|(_, message)| message);
                fences.filter(|message| message.contains(port)).collect()
            };
            let global = match of("fence.ugm").is_empty() {
                true => of("global fence"),
                false => of("fence.ugm"),
            };
            let has_scopes = global.iter().all(|fence| fence.starts_with("fence.ugm"));
            match scope {
                None => assert!(global.is_empty() && of("fence").is_empty(), "{platform}"),
                Some(scope) => {
                    assert_eq!(global.len(), 1, "{platform} {kernel}");
                    let named = global[0].ends_with(&format!(".{scope}"));
                    assert!(named || !has_scopes, "{platform} {kernel}: {global:?}");
                }
            }
            ran += 1;
        }
    }
    assert_eq!(ran, KERNELS.len() * PLATFORMS.len());
}

#[test]
fn acquiring_for_the_device_drops_what_the_cache_holds() {
    let spirv = include_bytes!("../kernels/fences.spv");
    let what = Run {
        spirv,
        kernel: "acquires",
        simd: None,
        global: &[1],
        local: None,
        args: Vec::new(),
    };
    let mut checked = 0;
    for platform in PLATFORMS {
        let zebin = compiled(platform, &what, None).unwrap();
        let code = zebin.kernels.iter().find(|k| k.name == "acquires").unwrap();
        let text = code.text();
        let messages: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once("; "))
            .map(|(_, message)| message)
            .collect();
        let atomic = messages.iter().rposition(|m| m.contains("atomic"));
        let next = messages[atomic.unwrap() + 1];
        // Before load/store messages the data port's cache is that of the whole device.
        let has_cache = text.contains("ugm");
        match has_cache {
            true => assert_eq!(next, "fence.ugm.invalidate.gpu", "{platform}"),
            false => assert!(next.contains("fence"), "{platform}: {next}"),
        }
        checked += usize::from(has_cache);
    }
    assert_eq!(checked, 6);
}
