//! Packed dot products and sums of differences.

use super::value::int_of;
use isa_encoder::Type;

const fn byte_type(signed: bool) -> Type {
    if signed { Type::B } else { Type::Ub }
}

/// The sum of the products of four byte pairs, each side signed or not (`dp4a`).
pub const fn dot4(a: u32, a_signed: bool, b: u32, b_signed: bool) -> i128 {
    let mut sum = 0;
    let mut i = 0;
    while i < 4 {
        let x = int_of((a >> (8 * i)) as u64 & 0xff, byte_type(a_signed));
        let y = int_of((b >> (8 * i)) as u64 & 0xff, byte_type(b_signed));
        sum += x * y;
        i += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::dot4;

    #[test]
    fn signs_are_per_side() {
        assert_eq!(dot4(0x0403_0201, false, 0x0101_0101, false), 10);
        assert_eq!(dot4(0xffff_ffff, true, 0xffff_ffff, true), 4);
        assert_eq!(dot4(0xffff_ffff, false, 0xffff_ffff, false), 4 * 255 * 255);
        assert_eq!(dot4(0xffff_ffff, false, 0xffff_ffff, true), -4 * 255);
    }
}
