//! What each function gives, from the specifications' words.

use super::element::{Combine, Element};
use super::function::{BY, BuiltInMask, FROM, FROM_ITEM, Function as F, MASK, Number, Over, Set};

/// A work-item: what it has, and whether it calls the function.
#[derive(Clone, Debug, Default)]
pub struct Item {
    pub x: Vec<u64>,
    pub y: Vec<u64>,
    pub lane: u32,
    pub calls: bool,
}

/// A work-group, and the sub-group of it that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub simd: usize,
    pub group: &'a [Item],
    /// The number of the sub-group.
    pub number: usize,
    /// The work-items of a whole work-group.
    pub enqueued: usize,
}

/// The results of the work-items of a sub-group; none where nothing is said.
pub fn results(function: F, of: Element, place: Place<'_>) -> Vec<Option<Vec<u64>>> {
    let Place {
        simd,
        group,
        number,
        enqueued,
    } = place;
    let items = group.chunks(simd).nth(number).unwrap_or_default();
    let calling = || items.iter().enumerate().filter(|(_, item)| item.calls);
    let first = calling().next().map_or(0, |(lane, _)| lane);
    // The value of a lane that calls it too.
    let of_lane = |lane: Option<usize>| {
        let item = items.get(lane?)?;
        item.calls.then(|| item.x.clone())
    };
    let odd = |item: &Item| item.x[0] & 1;
    // Bits of a ballot count to the largest sub-group.
    let most = u64::MAX >> (64 - simd);
    let mask = |ones: u64| Some(vec![ones, 0, 0, 0]);
    let one = |value: u64| Some(vec![value]);
    let folded = |how: Combine, of: Element, list: &mut dyn Iterator<Item = u64>| {
        list.reduce(|a, b| of.combine(how, a, b))
    };
    items
        .iter()
        .enumerate()
        .map(|(lane, item)| {
            if !item.calls {
                return None;
            }
            // Of those that a reduction or scan combines: whether this one belongs to it.
            let belongs = |over: Over, other: usize| match over {
                Over::Reduce => true,
                Over::Inclusive => other <= lane,
                Over::Exclusive => other < lane,
                Over::Cluster(size) => other / size as usize == lane / size as usize,
            };
            // The same of the work-group.
            let of_group = |over: Over| {
                let own = number * simd + lane;
                &group[..match over {
                    Over::Inclusive => own + 1,
                    Over::Exclusive => own,
                    _ => group.len(),
                }]
            };
            match function {
                F::Group(Set::SubGroup, over, how) | F::NonUniform(over, how) => {
                    let mut list = calling()
                        .filter(|(other, _)| belongs(over, *other))
                        .map(|(_, item)| item.x[0]);
                    let value = folded(how, of, &mut list);
                    one(value.unwrap_or_else(|| of.identity(how)))
                }
                F::Group(Set::WorkGroup, over, how) => {
                    let mut list = of_group(over).iter().map(|item| item.x[0]);
                    let value = folded(how, of, &mut list);
                    one(value.unwrap_or_else(|| of.identity(how)))
                }
                F::GroupLogical(over, how) => {
                    let mut list = of_group(over).iter().map(&odd);
                    let value = folded(how, Element::U32, &mut list);
                    one(value.unwrap_or(u64::from(how == Combine::And)))
                }
                F::Logical(over, how) => {
                    let mut list = calling()
                        .filter(|(other, _)| belongs(over, *other))
                        .map(|(_, item)| odd(item));
                    let value = folded(how, Element::U32, &mut list);
                    one(value.unwrap_or(u64::from(how == Combine::And)))
                }
                F::Broadcast(Set::SubGroup) | F::NonUniformBroadcast => {
                    of_lane(Some(FROM as usize))
                }
                F::Broadcast(Set::WorkGroup) => {
                    group.get(FROM_ITEM as usize).map(|item| item.x.clone())
                }
                F::BroadcastFirst => of_lane(Some(first)),
                F::All(Set::SubGroup) | F::NonUniformAll => {
                    one(u64::from(calling().all(|(_, item)| odd(item) == 1)))
                }
                F::Any(Set::SubGroup) | F::NonUniformAny => {
                    one(u64::from(calling().any(|(_, item)| odd(item) == 1)))
                }
                F::All(Set::WorkGroup) => one(u64::from(group.iter().all(|item| odd(item) == 1))),
                F::Any(Set::WorkGroup) => one(u64::from(group.iter().any(|item| odd(item) == 1))),
                F::AllEqual => {
                    let equal = calling().all(|(_, other)| of.same(other.x[0], item.x[0]));
                    one(u64::from(equal))
                }
                F::Elect => one(u64::from(lane == first)),
                F::Ballot => mask(calling().map(|(lane, item)| odd(item) << lane).sum()),
                F::InverseBallot => one(u64::from(MASK) >> lane & 1),
                F::BitExtract => one(item.x[0] >> item.lane & 1),
                F::BitCount(over) => {
                    let counted = match over {
                        Over::Inclusive => (2 << lane) - 1,
                        Over::Exclusive => (1 << lane) - 1,
                        _ => u64::MAX,
                    };
                    one(u64::from((item.x[0] & most & counted).count_ones()))
                }
                F::FindLsb | F::FindMsb if item.x[0] & most == 0 => None,
                F::FindLsb => one(u64::from((item.x[0] & most).trailing_zeros())),
                F::FindMsb => one(u64::from((item.x[0] & most).ilog2())),
                F::LaneMask(which) => {
                    let own = 1u64 << lane;
                    mask(match which {
                        BuiltInMask::Eq => own,
                        BuiltInMask::Lt => own - 1,
                        BuiltInMask::Le => 2 * own - 1,
                        BuiltInMask::Ge => most & !(own - 1),
                        BuiltInMask::Gt => most & !(2 * own - 1),
                    })
                }
                F::Shuffle | F::IntelShuffle => of_lane(Some(item.lane as usize)),
                F::ShuffleXor | F::IntelShuffleXor => of_lane(Some(lane ^ item.lane as usize)),
                F::ShuffleUp => of_lane(lane.checked_sub(item.lane as usize)),
                F::ShuffleDown => of_lane(Some(lane + item.lane as usize)),
                F::IntelShuffleUp | F::IntelShuffleDown => {
                    let by = item.lane as usize;
                    let at = match function {
                        F::IntelShuffleUp => simd + lane - by,
                        _ => lane + by,
                    };
                    let other = items.get(at % simd).filter(|other| other.calls)?;
                    Some(if at < simd { &other.x } else { &other.y }.clone())
                }
                F::Rotate => of_lane(Some((lane + BY as usize) % simd)),
                F::ClusteredRotate(size) => {
                    let size = (size as usize).min(simd);
                    of_lane(Some(lane / size * size + (lane + BY as usize) % size))
                }
                // `x` has what the sub-group's work-items have in memory one after the other.
                F::BlockRead => {
                    let count = item.x.len();
                    let at = |k: usize| k * simd + lane;
                    Some(
                        (0..count)
                            .map(|k| items[at(k) / count].x[at(k) % count])
                            .collect(),
                    )
                }
                // The columns of an image are the work-items, its rows their components.
                F::ImageRead | F::ImageWrite => Some(item.x.clone()),
                F::BlockWrite => {
                    let count = item.x.len();
                    let at = |k: usize| lane * count + k;
                    Some(
                        (0..count)
                            .map(|k| items[at(k) % simd].x[at(k) / simd])
                            .collect(),
                    )
                }
                F::Number(what) => one(match what {
                    Number::Size => items.len(),
                    Number::MaxSize => simd,
                    Number::Count => group.len().div_ceil(simd),
                    Number::EnqueuedCount => enqueued.div_ceil(simd),
                    Number::Id => number,
                    Number::LocalId => lane,
                } as u64),
            }
        })
        .collect()
}
