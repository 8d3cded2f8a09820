//! Index spaces.

use crate::error::{ArgumentError, ErrorKind};

/// What a kernel runs over: work-items in one to three dimensions, as OpenCL defines it.
///
/// The global size need not be a multiple of the local size: the groups at the upper edges are
/// then smaller (`get_local_size` says so, `get_enqueued_local_size` does not).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    dimensions: u32,
    global: [u64; 3],
    local: Option<[u32; 3]>,
    offset: [u64; 3],
    uniform: bool,
}

impl NdRange {
    /// As many work-items as the product of `global`, which has one to three dimensions. The
    /// driver chooses the local size.
    ///
    /// # Errors
    /// `global` has no or more than three dimensions.
    pub fn new(global: &[u64]) -> Result<Self, ArgumentError> {
        Ok(Self {
            dimensions: dimensions("global size", global.len())?,
            global: padded(global, 1),
            local: None,
            offset: [0; 3],
            uniform: false,
        })
    }

    /// The same with a local size, of as many dimensions.
    ///
    /// # Errors
    /// Another number of dimensions, or a size of zero.
    pub fn with_local(mut self, local: &[u32]) -> Result<Self, ArgumentError> {
        self.same_dimensions("local size", local.len())?;
        if local.contains(&0) {
            return Err(ArgumentError::Range {
                kind: ErrorKind::InvalidWorkGroupSize,
                why: format!("the local size {local:?} has a zero"),
            });
        }
        self.local = Some(padded(local, 1));
        Ok(self)
    }

    /// The same with a global offset, of as many dimensions.
    ///
    /// # Errors
    /// Another number of dimensions.
    pub fn with_offset(mut self, offset: &[u64]) -> Result<Self, ArgumentError> {
        self.same_dimensions("offset", offset.len())?;
        self.offset = padded(offset, 0);
        Ok(self)
    }

    /// The same with groups that all have one size: the local size divides the global size.
    pub fn uniform(mut self) -> Self {
        self.uniform = true;
        self
    }

    /// Whether all groups have one size.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// The number of dimensions: 1 to 3.
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// The global size; 1 in dimensions that are not there.
    pub fn global(&self) -> [u64; 3] {
        self.global
    }

    /// The local size that was asked for; 1 in dimensions that are not there.
    pub fn local(&self) -> Option<[u32; 3]> {
        self.local
    }

    /// The global offset; 0 in dimensions that are not there.
    pub fn offset(&self) -> [u64; 3] {
        self.offset
    }

    fn same_dimensions(&self, what: &str, given: usize) -> Result<(), ArgumentError> {
        if dimensions(what, given)? == self.dimensions {
            return Ok(());
        }
        Err(ArgumentError::Range {
            kind: ErrorKind::InvalidWorkDimension,
            why: format!(
                "the {what} has {given} dimensions, the global size has {}",
                self.dimensions
            ),
        })
    }
}

fn dimensions(what: &str, given: usize) -> Result<u32, ArgumentError> {
    match given {
        1 => Ok(1),
        2 => Ok(2),
        3 => Ok(3),
        _ => Err(ArgumentError::Range {
            kind: ErrorKind::InvalidWorkDimension,
            why: format!("the {what} has {given} dimensions; 1 to 3 are possible"),
        }),
    }
}

fn padded<T: Copy>(values: &[T], rest: T) -> [T; 3] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::NdRange;

    #[test]
    fn missing_dimensions_are_filled() {
        let range = NdRange::new(&[10, 20])
            .and_then(|r| r.with_local(&[5, 2]))
            .and_then(|r| r.with_offset(&[1, 2]))
            .unwrap();
        assert_eq!(range.global(), [10, 20, 1]);
        assert_eq!(range.local(), Some([5, 2, 1]));
        assert_eq!(range.offset(), [1, 2, 0]);
    }

    #[test]
    fn dimensions_must_agree() {
        let range = NdRange::new(&[10]).unwrap();
        assert!(range.with_local(&[5, 1]).is_err());
        assert!(range.with_local(&[0]).is_err());
        assert!(NdRange::new(&[]).is_err());
        assert!(NdRange::new(&[1; 4]).is_err());
    }
}
