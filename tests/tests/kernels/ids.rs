//! Ids and sizes of work-items, work-groups and sub-groups, non-uniform ranges and offsets
//! included.

use stack_tests::corpus::{Set, set_named};
use stack_tests::{Launch, compare};
use umd::Binary;

use crate::{everywhere_with, sub_groups_of};

/// An index space in three dimensions, walked in the order of the global linear id.
#[derive(Clone, Copy, Debug)]
struct Space {
    global: [u32; 3],
    local: [u32; 3],
    offset: [u32; 3],
}

/// One work-item of a [`Space`].
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Without the offset.
    position: [u32; 3],
    local_id: [u32; 3],
    group: [u32; 3],
    /// The size of its group: smaller at the upper edges.
    size: [u32; 3],
}

impl Item {
    fn local_linear(&self) -> u32 {
        (self.local_id[2] * self.size[1] + self.local_id[1]) * self.size[0] + self.local_id[0]
    }

    fn group_items(&self) -> u32 {
        self.size.iter().product()
    }
}

/// Without an offset.
const fn space(global: [u32; 3], local: [u32; 3]) -> Space {
    Space {
        global,
        local,
        offset: [0; 3],
    }
}

impl Space {
    const fn from(self, offset: [u32; 3]) -> Self {
        Self { offset, ..self }
    }

    fn items(self) -> Vec<Item> {
        let [x, y, z] = self.global;
        (0..x * y * z)
            .map(|at| {
                let position = [at % x, at / x % y, at / x / y];
                let each = |f: &dyn Fn(usize) -> u32| std::array::from_fn(f);
                let group: [u32; 3] = each(&|d| position[d] / self.local[d]);
                Item {
                    position,
                    local_id: each(&|d| position[d] % self.local[d]),
                    group,
                    size: each(&|d| self.local[d].min(self.global[d] - group[d] * self.local[d])),
                }
            })
            .collect()
    }

    fn groups(self, d: usize) -> u32 {
        self.global[d].div_ceil(self.local[d])
    }

    fn launch<'a>(self, kernel: &str, dimensions: usize) -> Launch<'a> {
        let wide = |v: [u32; 3]| {
            v[..dimensions]
                .iter()
                .map(|v| u64::from(*v))
                .collect::<Vec<_>>()
        };
        Launch::new("ids", kernel, &wide(self.global))
            .local(&self.local[..dimensions])
            .offset(&wide(self.offset))
    }
}

#[test]
fn required_local_size() {
    let space = space([32, 4, 4], [16, 2, 2]);
    let expected: Vec<u32> = space
        .items()
        .iter()
        .map(|item| {
            item.local_id[0]
                + item.local_id[1] * 100
                + item.local_id[2] * 10_000
                + item.group[0] * 1_000_000
                + item.group[1] * 10_000_000
                + item.group[2] * 100_000_000
        })
        .collect();
    // The size that the kernel requires need not be given.
    Launch::new("ids", "required", &[32, 4, 4])
        .gives(&expected)
        .everywhere();
}

fn check_everything(space: Space, dimensions: usize) {
    let items = space.items();
    let expected: Vec<u32> = items
        .iter()
        .flat_map(|item| {
            let mut values = Vec::new();
            for d in 0..3 {
                values.push(item.position[d] + space.offset[d]);
                values.push(item.local_id[d]);
                values.push(item.group[d]);
                values.push(space.global[d]);
                values.push(item.size[d]);
                values.push(space.local[d]);
            }
            values.push(space.groups(0) + space.groups(1) * 1000 + space.groups(2) * 1_000_000);
            values.push(space.offset[0] + space.offset[1] * 1000 + space.offset[2] * 1_000_000);
            values.push(dimensions as u32);
            values.push(item.local_linear());
            values
        })
        .collect();
    space
        .launch("everything", dimensions)
        .gives(&expected)
        .everywhere();
}

#[test]
fn one_dimension() {
    check_everything(space([96, 1, 1], [32, 1, 1]), 1);
    check_everything(space([7, 1, 1], [7, 1, 1]), 1);
    check_everything(space([100, 1, 1], [33, 1, 1]).from([17, 0, 0]), 1);
}

#[test]
fn two_dimensions() {
    check_everything(space([24, 10, 1], [8, 5, 1]), 2);
    check_everything(space([21, 11, 1], [8, 4, 1]).from([3, 5, 0]), 2);
}

#[test]
fn three_dimensions() {
    check_everything(space([8, 6, 4], [4, 3, 2]).from([1, 2, 3]), 3);
    check_everything(space([13, 5, 7], [5, 2, 3]).from([9, 8, 7]), 3);
    check_everything(space([3, 3, 40], [1, 1, 16]), 3);
}

#[test]
fn hints_change_nothing() {
    Launch::new("ids", "hinted", &[50])
        .gives::<i32>(&[1; 50])
        .everywhere();
}

fn simd(platform: &str, kernel: &str) -> u32 {
    let binary = Binary::parse(&set_named(platform).zebin("ids")).unwrap();
    binary.kernel(kernel).unwrap().simd
}

fn check_sub_groups(kernel: &str, space: Space, dimensions: usize) {
    let items = space.items();
    let has_kernel = |set: &Set| kernel != "sub_groups_8" || sub_groups_of(8)(set);
    everywhere_with(has_kernel, |platform| {
        let simd = simd(platform, kernel);
        let enqueued = space.local.iter().product::<u32>();
        let expected: Vec<u32> = items
            .iter()
            .flat_map(|item| {
                let linear = item.local_linear();
                let id = linear / simd;
                let count = item.group_items().div_ceil(simd);
                [
                    simd.min(item.group_items() - id * simd),
                    simd.min(enqueued),
                    count,
                    enqueued.div_ceil(simd),
                    id,
                    linear % simd,
                    linear,
                    0xabcd,
                ]
            })
            .collect();
        let results = space
            .launch(kernel, dimensions)
            .out::<u32>(items.len() * 8)
            .run(platform);
        let got = results.read::<u32>(0);
        // A group smaller than a sub-group: the specification requires the smaller number, Intel's
        // compiler hard-codes the SIMD width; either is fine for get_max_sub_group_size.
        let max = |values: &[u32]| -> Vec<u32> {
            values
                .iter()
                .enumerate()
                .map(|(i, v)| if i % 8 == 1 { simd.max(*v) } else { *v })
                .collect()
        };
        compare::equal(
            &format!("{platform} {kernel} {space:?}"),
            &max(&got),
            &max(&expected),
        );
    });
}

#[test]
fn sub_groups_of_uniform_ranges() {
    for kernel in ["sub_groups", "sub_groups_8"] {
        check_sub_groups(kernel, space([128, 1, 1], [64, 1, 1]), 1);
        check_sub_groups(kernel, space([50, 1, 1], [25, 1, 1]), 1);
        check_sub_groups(kernel, space([10, 10, 4], [5, 5, 2]), 3);
    }
}

#[test]
fn sub_groups_of_non_uniform_ranges() {
    for kernel in ["sub_groups", "sub_groups_8"] {
        check_sub_groups(kernel, space([100, 1, 1], [64, 1, 1]), 1);
        check_sub_groups(kernel, space([19, 7, 1], [8, 4, 1]), 2);
        check_sub_groups(kernel, space([13, 5, 7], [5, 2, 3]), 3);
    }
}
