//! Broken modules give errors, never a panic.

/// The modules that are broken.
const MODULES: [&[u8]; 3] = [
    include_bytes!("../kernels/basic.spv"),
    include_bytes!("../kernels/groups.spv"),
    include_bytes!("../kernels/memory.spv"),
];

#[test]
fn broken_modules_are_refused() {
    let target = devinfo::by_name("tgl").unwrap();
    let options = eu_compiler::Options::new(target);
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below.max(1)
    };
    let (mut refused, mut taken) = (0, 0);
    for round in 0..400 {
        let mut words: Vec<u32> = MODULES[round % MODULES.len()]
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        for _ in 0..1 + random(3) {
            let at = 5 + random(words.len() - 5);
            words[at] = match random(5) {
                0 => random(1 << 30) as u32,
                1 => words[5 + random(words.len() - 5)],
                2 => words[at] ^ 1 << random(32),
                3 => random(80) as u32,
                _ => words[at].wrapping_add(1),
            };
        }
        if random(20) == 0 {
            words.truncate(5 + random(words.len() - 5));
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        match eu_compiler::compile(&bytes, &options) {
            Ok(_) => taken += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(
        refused > 50 && taken > 0,
        "{refused} refused, {taken} taken"
    );
}
