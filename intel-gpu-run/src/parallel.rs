//! Work done in parallel.

use std::num::NonZero;
use std::thread;

/// The number of pieces for work of `size`, if a piece should be no smaller than `least`.
pub fn pieces(size: usize, least: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    (size / least).clamp(1, cores)
}

/// Calls `make` for each item, in a thread each; the results are in the order of the items.
///
/// The calling thread takes no item. In a measurement (Linux 6.18, two cores), a calling thread
/// that kept working shared its core with the thread it had started, for most of the few
/// milliseconds that the work here takes. A waiting thread leaves the core free.
pub fn map<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if let [item] = items {
        return vec![make(item)];
    }
    let make = &make;
    let mut made: Vec<Option<R>> = items.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for (item, made) in items.iter().zip(&mut made) {
            scope.spawn(move || *made = Some(make(item)));
        }
    });
    made.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{map, pieces};

    #[test]
    fn all_are_made_in_their_order() {
        for count in [0, 1, 2, 5, 20] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = (0..count).map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), doubled);
        }
    }

    #[test]
    fn small_work_is_one_piece() {
        let cores = super::thread::available_parallelism().map_or(1, super::NonZero::get);
        assert_eq!(pieces(0, 10), 1);
        assert_eq!(pieces(19, 10), 1);
        assert_eq!(pieces(25, 10), cores.min(2));
        assert_eq!(pieces(1 << 30, 10), cores);
    }
}
