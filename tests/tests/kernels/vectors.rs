//! Vectors.

use stack_tests::{Launch, Random};

use crate::everywhere;

#[test]
fn swizzles() {
    let input = Random::new(80).many(64 * 16, |bits| bits as u8);
    const ORDER: [usize; 16] = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9, 11, 13, 15, 10, 12, 14];
    // .s0246813579bdface
    let mut bytes = Vec::new();
    let mut shorts = Vec::new();
    for v in input.chunks(16) {
        let mut w: Vec<u8> = ORDER.iter().map(|k| v[*k]).collect();
        w[4..8].copy_from_slice(&[v[3], v[2], v[1], v[0]]);
        w[15] = v[5].wrapping_add(1);
        bytes.extend(w);
        shorts.extend((0..8).map(|k| i16::from(v[2 * k]) - i16::from(v[2 * k + 1])));
    }
    Launch::new("vectors", "swizzles", &[64])
        .buffer(&input)
        .gives(&bytes)
        .gives(&shorts)
        .everywhere();
}

#[test]
fn three() {
    let floats: Vec<f32> = (0..99 * 3).map(|i| i as f32 * 0.5).collect();
    let bytes = Random::new(81).many(99 * 3, |bits| bits as i8);
    let rotated: Vec<f32> = floats
        .chunks(3)
        .flat_map(|v| [v[2] * 2.0, v[0] * 2.0, v[1] * 2.0])
        .collect();
    let longs: Vec<i64> = bytes.iter().map(|b| i64::from(*b) << 33).collect();
    Launch::new("vectors", "three", &[99])
        .buffer(&floats)
        .gives(&rotated)
        .buffer(&bytes)
        .gives(&longs)
        .everywhere();
}

#[test]
fn loads() {
    const ITEMS: usize = 50;
    let input = Random::new(82).many(ITEMS * 16 + 32, |bits| bits as u16);
    let expected: Vec<u16> = (0..ITEMS)
        .flat_map(|i| {
            let plus = |from: usize, count: usize, add: u16| -> Vec<u16> {
                input[from..from + count]
                    .iter()
                    .map(|v| v.wrapping_add(add))
                    .collect()
            };
            let mut out = plus(i * 2, 2, 1);
            out.extend(plus(i * 3, 3, 2));
            out.extend(plus(1 + i * 4, 4, 3));
            out.extend(plus(3 + i * 8, 8, 4));
            let wide = &input[5 + i * 16..5 + i * 16 + 16];
            out.extend(wide.iter().skip(1).step_by(2));
            out.extend(wide.iter().step_by(4));
            out.extend([input[7 + i * 2 + 1], input[7 + i * 2]]);
            out
        })
        .collect();
    Launch::new("vectors", "loads", &[ITEMS as u64])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}

#[test]
fn relations() {
    const ITEMS: usize = 64;
    let mut random = Random::new(83);
    let a: Vec<i32> = (0..ITEMS * 4).map(|_| random.below(5) as i32 - 2).collect();
    let b: Vec<i32> = (0..ITEMS * 4).map(|_| random.below(5) as i32 - 2).collect();
    let mut vectors = Vec::new();
    let mut scalars = Vec::new();
    for (x, y) in a.chunks(4).zip(b.chunks(4)) {
        let each = |f: fn(i32, i32) -> i32| (0..4).map(move |k| f(x[k], y[k])).collect::<Vec<_>>();
        vectors.extend(each(|x, y| -i32::from(x < y)));
        vectors.extend(each(|x, y| if x > y { y } else { x }));
        vectors.extend(each(|x, y| -i32::from(x == y) | (-i32::from(x != y) & x)));
        vectors.extend(each(|x, y| if x < y { x } else { -y }));
        let less: Vec<bool> = (0..4).map(|k| x[k] < y[k]).collect();
        scalars.push(
            i32::from(less.contains(&true))
                + 2 * i32::from(!less.contains(&false))
                + 4 * i32::from(x.contains(&0)),
        );
    }
    Launch::new("vectors", "relations", &[ITEMS as u64])
        .buffer(&a)
        .buffer(&b)
        .gives(&vectors)
        .gives(&scalars)
        .everywhere();
}

#[test]
fn shuffles() {
    const ITEMS: usize = 64;
    let input = Random::new(84).many(ITEMS * 8, |bits| bits as u32);
    let mask = Random::new(85).many(ITEMS * 8, |bits| bits as u32);
    let mut one = Vec::new();
    let mut both = Vec::new();
    for (v, m) in input.chunks(8).zip(mask.chunks(8)) {
        one.extend(m.iter().map(|k| v[(k & 7) as usize]));
        both.extend(m[..4].iter().map(|k| v[(k & 7) as usize]));
    }
    Launch::new("vectors", "shuffles", &[ITEMS as u64])
        .buffer(&input)
        .gives(&one)
        .buffer(&mask)
        .gives(&both)
        .everywhere();
}

#[test]
fn longs() {
    const ITEMS: usize = 50;
    let input = Random::new(86).many(ITEMS * 4, |bits| bits as i64 >> 3);
    let mut vectors = Vec::new();
    let mut sums = Vec::new();
    for v in input.chunks(4) {
        vectors.extend((0..4).map(|k| v[3 - k].wrapping_mul(3).wrapping_sub(v[k] >> 2)));
        sums.extend((0..2).map(|k| v[k].wrapping_add(v[k + 2])));
    }
    Launch::new("vectors", "longs", &[ITEMS as u64])
        .buffer(&input)
        .gives(&vectors)
        .gives(&sums)
        .everywhere();
}

/// The structure of the kernel, as OpenCL C lays it out.
#[derive(
    Clone, Copy, Debug, PartialEq, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
)]
#[repr(C)]
struct Record {
    tag: i8,
    padding: u8,
    weights: [i16; 3],
    position: [i32; 2],
    values: [f32; 5],
    tail: u32,
}

#[test]
fn records() {
    let input: Vec<Record> = (0..40)
        .map(|i| Record {
            tag: i as i8,
            padding: 0,
            weights: [i * 100, i * 3, 7],
            position: [i32::from(i) * 1000, -i32::from(i)],
            values: [1.0, 2.0, 3.0, 4.0, f32::from(i)],
            tail: 0,
        })
        .collect();
    everywhere(|platform| {
        let results = Launch::new("vectors", "records", &[40])
            .buffer(&input)
            .out::<Record>(40)
            .run(platform);
        for (got, from) in results.read::<Record>(1).iter().zip(&input) {
            // The compiler decides what padding holds.
            assert_eq!(got.tag, from.tag + 1, "{platform}");
            let weights = [
                from.weights[0],
                from.weights[1],
                from.weights[0] - from.weights[1],
            ];
            assert_eq!(got.weights, weights, "{platform}");
            assert_eq!(
                got.position,
                [from.position[1], from.position[0]],
                "{platform}"
            );
            let values: [f32; 5] = std::array::from_fn(|k| from.values[k] * (k + 1) as f32);
            assert_eq!(got.values, values, "{platform}");
        }
    });
}
