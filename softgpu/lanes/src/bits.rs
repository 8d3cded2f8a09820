//! Bit operations and integer oddities.

/// `bfrev`: the 32 bits in reverse.
pub const fn bfrev(value: u32) -> u32 {
    value.reverse_bits()
}

/// `bfe` on unsigned data: `width` bits of `value` from bit `offset` (both modulo 32).
pub const fn bfe_unsigned(width: u32, offset: u32, value: u32) -> u32 {
    let (width, offset) = (width & 31, offset & 31);
    (value >> offset) & ((1 << width) - 1)
}

/// `bfe` on signed data: as [`bfe_unsigned`], sign-extended from the field's top bit. A field that
/// reaches beyond bit 31 is filled with copies of bit 31.
pub const fn bfe_signed(width: u32, offset: u32, value: u32) -> u32 {
    let (width, offset) = (width & 31, offset & 31);
    if width == 0 {
        return 0;
    }
    let field = (value as i32) >> offset;
    ((field << (32 - width)) >> (32 - width)) as u32
}

/// `bfi1`: a mask of `width` bits from bit `offset` (both modulo 32).
pub const fn bfi1(width: u32, offset: u32) -> u32 {
    ((1 << (width & 31)) - 1) << (offset & 31)
}

/// `bfi2`: `insert`, moved up to the lowest bit of `mask`, replaces the bits of `base` under
/// `mask`.
pub const fn bfi2(mask: u32, insert: u32, base: u32) -> u32 {
    let moved = if mask == 0 {
        0
    } else {
        insert << mask.trailing_zeros()
    };
    (moved & mask) | (base & !mask)
}

/// `lzd`: leading zeroes; 32 for zero.
pub const fn lzd(value: u32) -> u32 {
    value.leading_zeros()
}

/// `fbl`: the lowest set bit; all ones for zero.
pub const fn fbl(value: u32) -> u32 {
    if value == 0 {
        u32::MAX
    } else {
        value.trailing_zeros()
    }
}

/// `fbh` on unsigned data: leading zeroes; all ones for zero.
pub const fn fbh_unsigned(value: u32) -> u32 {
    if value == 0 {
        u32::MAX
    } else {
        value.leading_zeros()
    }
}

/// `fbh` on signed data: copies of the sign bit at the top; all ones for 0 and -1.
pub const fn fbh_signed(value: u32) -> u32 {
    let folded = value ^ (((value as i32) >> 31) as u32);
    fbh_unsigned(folded)
}

/// `rol` of the low `bits` (8, 16, 32 or 64) of `value`.
pub const fn rotate_left(value: u64, count: u64, bits: u32) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let (value, count) = (value & mask, count as u32 & (bits - 1));
    if count == 0 {
        value
    } else {
        (value << count | value >> (bits - count)) & mask
    }
}

/// `ror` of the low `bits` (8, 16, 32 or 64) of `value`.
pub const fn rotate_right(value: u64, count: u64, bits: u32) -> u64 {
    rotate_left(value, (bits as u64).wrapping_sub(count), bits)
}

/// `bfn`: bit `4*s2 + 2*s1 + s0` of `table` for each bit position.
pub const fn bfn(table: u8, s0: u64, s1: u64, s2: u64) -> u64 {
    let mut result = 0;
    let mut entry = 0;
    while entry < 8 {
        if table >> entry & 1 != 0 {
            let a = if entry & 1 != 0 { s0 } else { !s0 };
            let b = if entry & 2 != 0 { s1 } else { !s1 };
            let c = if entry & 4 != 0 { s2 } else { !s2 };
            result |= a & b & c;
        }
        entry += 1;
    }
    result
}

/// Integer division of signed dwords: the quotient, truncated, and the remainder.
///
/// Division by zero gives the largest magnitude of the dividend's sign, and the dividend as
/// remainder (TGL PRM vol 2a "math", INT DIV by zero).
pub const fn divide_signed(a: u32, b: u32) -> (u32, u32) {
    let (x, y) = (a as i32, b as i32);
    if y == 0 {
        let quotient = if x < 0 { i32::MIN } else { i32::MAX };
        return (quotient as u32, a);
    }
    (x.wrapping_div(y) as u32, x.wrapping_rem(y) as u32)
}

/// Integer division of unsigned dwords; see [`divide_signed`].
pub const fn divide_unsigned(a: u32, b: u32) -> (u32, u32) {
    if b == 0 {
        return (u32::MAX, a);
    }
    (a / b, a % b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [u32; 10] = [
        0,
        1,
        2,
        0x8000_0000,
        u32::MAX,
        0x7fff_ffff,
        0x00f0_1234,
        0xdead_beef,
        0xffff_fffe,
        0x0001_0000,
    ];

    fn bit(value: u32, index: u32) -> bool {
        index < 32 && value >> index & 1 != 0
    }

    #[test]
    fn fields_bit_by_bit() {
        for value in SAMPLES {
            for width in 0..32 {
                for offset in 0..32 {
                    let unsigned = bfe_unsigned(width, offset, value);
                    let signed = bfe_signed(width, offset, value);
                    for i in 0..32 {
                        assert_eq!(bit(unsigned, i), i < width && bit(value, offset + i));
                        let source = i.min(width.wrapping_sub(1));
                        let want = width != 0 && bit(value, (offset + source).min(31));
                        assert_eq!(bit(signed, i), want, "{value:#x} {width} {offset} {i}");
                    }
                    let mask = bfi1(width, offset);
                    let merged = bfi2(mask, 0xa5a5_5a5a, value);
                    for i in 0..32 {
                        let inside = i >= offset && i < offset + width;
                        assert_eq!(bit(mask, i), inside);
                        let want = if inside {
                            bit(0xa5a5_5a5a, i - offset)
                        } else {
                            bit(value, i)
                        };
                        assert_eq!(bit(merged, i), want);
                    }
                }
            }
        }
    }

    #[test]
    fn searches_by_counting() {
        for value in SAMPLES {
            let lowest = (0..32).find(|&i| bit(value, i)).unwrap_or(u32::MAX);
            assert_eq!(fbl(value), lowest);
            let highest = (0..32).rev().find(|&i| bit(value, i)).map(|i| 31 - i);
            assert_eq!(fbh_unsigned(value), highest.unwrap_or(u32::MAX));
            assert_eq!(lzd(value), highest.unwrap_or(32));
            let sign = bit(value, 31);
            let other = (0..32).rev().find(|&i| bit(value, i) != sign);
            assert_eq!(fbh_signed(value), other.map_or(u32::MAX, |i| 31 - i));
        }
    }

    #[test]
    fn rotations_by_single_steps() {
        for bits in [8, 16, 32, 64] {
            let mask = u64::MAX >> (64 - bits);
            let mut value = 0x9e37_79b9_7f4a_7c15 & mask;
            let start = value;
            for count in 0..=u64::from(bits) {
                assert_eq!(rotate_left(start, count, bits), value);
                assert_eq!(rotate_right(value, count, bits), start);
                value = (value << 1 | value >> (bits - 1)) & mask;
            }
        }
    }

    #[test]
    fn boolean_functions_by_table() {
        for table in 0..=u8::MAX {
            let result = bfn(table, 0b1010_1010, 0b1100_1100, 0b1111_0000);
            assert_eq!(result & 0xff, u64::from(table));
        }
    }
}
