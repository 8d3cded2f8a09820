//! `--expect ARG=PATH[,TOLERANCE]`: the comparison of a buffer with a file.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{ArgRef, ElementType, number};

/// Compare a buffer with a file after the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Which argument.
    pub arg: ArgRef,
    /// The file with the expected bytes.
    pub path: PathBuf,
    /// How far elements may be apart.
    pub tolerance: Tolerance,
}

/// How far two elements may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Byte for byte.
    Exact,
    /// `|got - expected| <= limit * max(1, |expected|)`.
    Relative {
        /// The type that the bytes are read as.
        element: ElementType,
        /// The factor.
        limit: f64,
    },
    /// At most so many representable values apart.
    Ulps {
        /// The floating-point type that the bytes are read as.
        element: ElementType,
        /// The distance.
        limit: u64,
    },
}

/// The first difference between a buffer and its expected bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    index: usize,
    element: ElementType,
    got: String,
    expected: String,
    total: usize,
    compared: usize,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "element {} ({}) is {}, expected {}; {} of {} elements differ",
            self.index, self.element, self.got, self.expected, self.total, self.compared
        )
    }
}

impl Tolerance {
    /// The type that elements are compared as.
    fn element(self) -> ElementType {
        match self {
            Tolerance::Exact => ElementType::U8,
            Tolerance::Relative { element, .. } | Tolerance::Ulps { element, .. } => element,
        }
    }

    fn accepts(self, got: &[u8], expected: &[u8]) -> bool {
        if got == expected {
            return true;
        }
        match self {
            Tolerance::Exact => false,
            Tolerance::Relative { element, limit } => {
                match (element.float(got), element.float(expected)) {
                    (Some(got), Some(expected)) => {
                        got == expected
                            || (got.is_nan() && expected.is_nan())
                            || (got - expected).abs() <= limit * expected.abs().max(1.0)
                    }
                    _ => false,
                }
            }
            Tolerance::Ulps { element, limit } => element
                .ulps(got, expected)
                .is_some_and(|apart| apart <= limit),
        }
    }

    /// Compares the leading `expected.len()` bytes of `got`.
    ///
    /// # Errors
    /// A text if the lengths cannot be compared.
    pub fn compare(self, got: &[u8], expected: &[u8]) -> Result<Option<Mismatch>, String> {
        let element = self.element();
        let size = element.size();
        if expected.len() > got.len() {
            return Err(format!(
                "the file has {} bytes, but the buffer only {}",
                expected.len(),
                got.len()
            ));
        }
        if !expected.len().is_multiple_of(size) {
            return Err(format!(
                "the file has {} bytes, which is no whole number of {element} elements",
                expected.len()
            ));
        }
        let show = |bytes| element.show(bytes).unwrap_or_default();
        let mut first = None;
        let mut total = 0;
        for (index, (got, expected)) in got
            .chunks_exact(size)
            .zip(expected.chunks_exact(size))
            .enumerate()
        {
            if !self.accepts(got, expected) {
                total += 1;
                first.get_or_insert_with(|| (index, show(got), show(expected)));
            }
        }
        let compared = expected.len() / size;
        Ok(first.map(|(index, got, expected)| Mismatch {
            index,
            element,
            got,
            expected,
            total,
            compared,
        }))
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (element, limit) = match text.split_once(':') {
            Some((element, limit)) => (element.parse()?, limit),
            None => (ElementType::F32, text),
        };
        if let Some(ulps) = limit.strip_suffix("ulp") {
            if !element.is_float() {
                return Err(format!("ulp needs a floating-point type, not {element}"));
            }
            let limit = number::count(ulps).map_err(|e| format!("TOLERANCE: {e}"))?;
            return Ok(Tolerance::Ulps { element, limit });
        }
        match limit.parse::<f64>() {
            Ok(limit) if limit.is_finite() && limit >= 0.0 => {
                Ok(Tolerance::Relative { element, limit })
            }
            _ => Err(format!(
                "TOLERANCE: expected [TYPE:]NUMBER or [TYPE:]Nulp, such as 1e-5 or f16:2ulp, not {text:?}"
            )),
        }
    }
}

impl FromStr for Expect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected ARG=PATH[,TOLERANCE], such as 2=want.bin, not {text:?}");
        let (arg, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (path, tolerance) = match rest.rsplit_once(',') {
            Some((path, tolerance)) => (path, tolerance.parse()?),
            None => (rest, Tolerance::Exact),
        };
        if path.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            arg: arg.parse()?,
            path: path.into(),
            tolerance,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ArgRef, ElementType, Expect, Tolerance};

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn reads_every_form() {
        let exact: Expect = "1=a.bin".parse().unwrap();
        assert_eq!(
            (exact.arg, exact.tolerance),
            (ArgRef::Index(1), Tolerance::Exact)
        );
        let relative: Expect = "out=a,b.bin,1e-5".parse().unwrap();
        assert_eq!(relative.arg, ArgRef::Name("out".into()));
        assert_eq!(relative.path.to_str(), Some("a,b.bin"));
        assert_eq!(
            relative.tolerance,
            Tolerance::Relative {
                element: ElementType::F32,
                limit: 1e-5
            }
        );
        let ulps: Expect = "0=a.bin,f16:2ulp".parse().unwrap();
        assert_eq!(
            ulps.tolerance,
            Tolerance::Ulps {
                element: ElementType::F16,
                limit: 2
            }
        );
        assert!(
            "0=a.bin,u8:2ulp"
                .parse::<Expect>()
                .unwrap_err()
                .contains("floating-point")
        );
        assert!(
            "0=a.bin,x"
                .parse::<Expect>()
                .unwrap_err()
                .starts_with("TOLERANCE")
        );
        assert!("a.bin".parse::<Expect>().unwrap_err().contains("ARG=PATH"));
    }

    #[test]
    fn names_the_first_difference() {
        let mismatch = Tolerance::Exact
            .compare(&[1, 2, 3, 4], &[1, 9, 3, 8])
            .unwrap()
            .unwrap();
        assert_eq!(
            mismatch.to_string(),
            "element 1 (u8) is 2, expected 9; 2 of 4 elements differ"
        );
    }

    #[test]
    fn tolerances_are_inclusive() {
        let tolerance: Tolerance = "0.5".parse().unwrap();
        assert_eq!(
            tolerance.compare(&floats(&[1.5, f32::NAN]), &floats(&[1.0, f32::NAN])),
            Ok(None)
        );
        assert!(
            tolerance
                .compare(&floats(&[1.75]), &floats(&[1.0]))
                .unwrap()
                .is_some()
        );
        assert!(
            tolerance
                .compare(&floats(&[f32::NAN]), &floats(&[1.0]))
                .unwrap()
                .is_some()
        );
        let tolerance: Tolerance = "1ulp".parse().unwrap();
        assert_eq!(
            tolerance.compare(&floats(&[1.0f32.next_up()]), &floats(&[1.0])),
            Ok(None)
        );
    }

    #[test]
    fn lengths_must_fit() {
        assert!(
            Tolerance::Exact
                .compare(&[1], &[1, 2])
                .unwrap_err()
                .contains("only 1")
        );
        let tolerance: Tolerance = "1ulp".parse().unwrap();
        assert!(
            tolerance
                .compare(&[1, 2, 3, 4], &[1, 2])
                .unwrap_err()
                .contains("whole number")
        );
        // A shorter file compares the beginning.
        assert_eq!(Tolerance::Exact.compare(&[1, 2], &[1]), Ok(None));
    }
}
