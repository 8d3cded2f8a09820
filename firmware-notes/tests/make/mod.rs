//! Makes firmware files for tests: right headers, and code of zeros.
#![allow(dead_code, reason = "not every test makes all kinds")]

use firmware_notes::Version;

/// Writes little-endian dwords at a byte offset.
fn put(file: &mut [u8], offset: usize, dwords: &[u32]) {
    for (index, dword) in dwords.iter().enumerate() {
        let at = offset + 4 * index;
        file[at..at + 4].copy_from_slice(&dword.to_le_bytes());
    }
}

fn packed((major, minor, patch): Version) -> u32 {
    u32::from(major) << 16 | u32::from(minor) << 8 | u32::from(patch)
}

/// A file with a CSS header: a GuC, or a HuC for DG1 and before.
pub fn css(version: Version, submission: Version) -> Vec<u8> {
    const KEY: u32 = 64;
    const CODE: u32 = 16;
    // The modulus and the exponent are counted, and not in the file.
    let header = 32 + KEY + KEY + 1;
    let mut file = vec![0; 4 * (32 + CODE + KEY) as usize];
    put(&mut file, 0, &[6, header, 0x1_0000, 0, 0x8086, 0x2026_0101]);
    put(&mut file, 24, &[header + CODE, KEY, KEY, 1]);
    put(&mut file, 64, &[packed(version), packed(submission)]);
    file
}

/// A code partition directory with these modules.
fn directory(modules: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = vec![0; 20 + 24 * modules.len()];
    file[..4].copy_from_slice(b"$CPD");
    put(&mut file, 4, &[modules.len() as u32]);
    file[8..12].copy_from_slice(&[2, 1, 20, 0]);
    for (index, (name, content)) in modules.iter().enumerate() {
        let entry = 20 + 24 * index;
        file[entry..entry + name.len()].copy_from_slice(name.as_bytes());
        let place = [file.len() as u32, content.len() as u32];
        put(&mut file, entry + 12, &place);
        file.extend_from_slice(content);
    }
    file
}

fn manifest((major, minor, patch): Version, build: u16) -> Vec<u8> {
    let mut file = vec![0; 128];
    put(&mut file, 0, &[4, 32]);
    let numbers = [major, minor, patch, build];
    put(
        &mut file,
        36,
        &[
            u32::from(numbers[0]) | u32::from(numbers[1]) << 16,
            u32::from(numbers[2]) | u32::from(numbers[3]) << 16,
        ],
    );
    file
}

/// A HuC for DG2, whose code has no header of its own.
pub fn huc_of_dg2(version: Version) -> Vec<u8> {
    let manifest = manifest(version, 0);
    directory(&[("HUCP.man", &manifest), ("huc_fw", &[0x90; 64])])
}

/// A HuC for Meteor Lake and later, whose code is a file with a CSS header.
pub fn huc(version: Version) -> Vec<u8> {
    let (manifest, code) = (manifest(version, 0), css(version, (0, 0, 0)));
    directory(&[("HUCP.man", &manifest), ("huc_fw", &code)])
}

/// A GSC.
pub fn gsc(version: Version, build: u16) -> Vec<u8> {
    const BOOT: u32 = 0x1000;
    let manifest = manifest(version, build);
    let modules = directory(&[("other.met", &[0; 8]), ("RBEP.man", &manifest)]);
    let mut boot = vec![0; 24 + 2 * 12];
    let inside = boot.len() as u32;
    put(&mut boot, 0, &[0x55aa, 2]);
    put(&mut boot, 24, &[7, 0, 0, 1, inside, modules.len() as u32]);
    boot.extend_from_slice(&modules);
    let mut file = vec![0xff; BOOT as usize];
    put(&mut file, 32, &[BOOT, boot.len() as u32]);
    file.extend_from_slice(&boot);
    file
}

/// A DMC with a program for each of these processors: 0 is the main one. A package of version 1 has
/// programs of the main one only.
pub fn dmc(major: u16, minor: u16, package: u8, processors: &[u8]) -> Vec<u8> {
    let room = if package == 1 { 20 } else { 32 };
    let size = 16 + 12 * room;
    let mut file = vec![0; 128 + size];
    put(&mut file, 0, &[9, 32, 0x1_0000]);
    put(&mut file, 88, &[u32::from(major) << 16 | u32::from(minor)]);
    file[128..130].copy_from_slice(&[(size / 4) as u8, package]);
    put(&mut file, 140, &[processors.len() as u32]);
    for (index, processor) in processors.iter().enumerate() {
        let entry = 144 + 12 * index;
        file[entry + 1..entry + 4].copy_from_slice(&[*processor, b'*', b'*']);
        let offset = (file.len() - 128 - size) / 4;
        put(&mut file, entry + 4, &[offset as u32]);
        let (version, length, bytes) = match package {
            1 => (1, 128, 128),
            _ => (3, 64, 256),
        };
        let begin = file.len();
        file.resize(begin + bytes + 32, 0);
        put(&mut file, begin, &[0x4040_3e3e]);
        file[begin + 4..begin + 6].copy_from_slice(&[length, version]);
        put(&mut file, begin + 12, &[8]);
    }
    file
}
