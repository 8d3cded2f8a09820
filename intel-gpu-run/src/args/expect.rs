//! `--expect ARG[:BYTES]=PATH[,TOLERANCE]`: the comparison of a buffer with a file.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{ArgRef, ElementType, number};

/// Compare a buffer with a file after the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Which argument.
    pub arg: ArgRef,
    /// How many bytes to compare, from the beginning; all if not given.
    pub bytes: Option<u64>,
    /// The file with the expected bytes.
    pub path: PathBuf,
    /// How far elements may be apart.
    pub tolerance: Option<Tolerance>,
}

/// How far two elements may be apart, as on the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The type that the bytes are read as; the argument's if not given.
    pub element: Option<ElementType>,
    /// The distance.
    pub limit: Limit,
}

/// How far two elements may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// `|got - expected| <= limit * max(1, |expected|)`.
    Relative(f64),
    /// At most this many representable values apart.
    Ulps(u64),
}

/// How two runs of bytes are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The type that the bytes are read as.
    element: ElementType,
    /// How far elements may be apart; not at all if there is none.
    limit: Option<Limit>,
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

impl Expect {
    /// The requested comparison, for an argument whose elements have the type `own` if that is
    /// known.
    ///
    /// # Errors
    /// A message if a type is needed and none is known, or if the limit does not fit the type.
    pub fn comparison(&self, own: Option<ElementType>) -> Result<Comparison, String> {
        let Some(Tolerance { element, limit }) = self.tolerance else {
            return Ok(Comparison {
                element: ElementType::U8,
                limit: None,
            });
        };
        let element = element.or(own).ok_or(
            "the argument does not say the type of its elements; put it before the tolerance, \
             as in f32:1e-5",
        )?;
        check_limit(element, limit)?;
        Ok(Comparison {
            element,
            limit: Some(limit),
        })
    }
}

fn check_limit(element: ElementType, limit: Limit) -> Result<(), String> {
    match limit {
        Limit::Ulps(_) if !element.is_float() => {
            Err(format!("ulp needs a floating-point type, not {element}"))
        }
        _ => Ok(()),
    }
}

impl Comparison {
    fn accepts(self, got: &[u8], expected: &[u8]) -> bool {
        if got == expected {
            return true;
        }
        let element = self.element;
        match self.limit {
            None => false,
            Some(Limit::Relative(limit)) => {
                if let (Some(got), Some(expected)) =
                    (element.integer(got), element.integer(expected))
                {
                    let apart = got.abs_diff(expected) as f64;
                    return apart <= limit * (expected.unsigned_abs().max(1) as f64);
                }
                match (element.float(got), element.float(expected)) {
                    (Some(got), Some(expected)) => {
                        got == expected
                            || (got.is_nan() && expected.is_nan())
                            || (got - expected).abs() <= limit * expected.abs().max(1.0)
                    }
                    _ => false,
                }
            }
            Some(Limit::Ulps(limit)) => element
                .ulps(got, expected)
                .is_some_and(|apart| apart <= limit),
        }
    }

    /// Whether an expectation of `expected` bytes can be compared with `compared` bytes.
    ///
    /// # Errors
    /// A message if not.
    pub fn check_size(self, expected: u64, compared: u64) -> Result<(), String> {
        if expected == 0 {
            return Err("the file is empty: nothing would be compared".to_owned());
        }
        if expected != compared {
            return Err(format!(
                "the file has {expected} bytes, but {compared} are compared; \
                 ARG:BYTES=PATH compares the first BYTES"
            ));
        }
        if !expected.is_multiple_of(self.element.size() as u64) {
            return Err(format!(
                "the file has {expected} bytes, which is no whole number of {} elements",
                self.element
            ));
        }
        Ok(())
    }

    /// Compares two runs of bytes of the same length.
    pub fn compare(self, got: &[u8], expected: &[u8]) -> Option<Mismatch> {
        let element = self.element;
        let size = element.size();
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
        first.map(|(index, got, expected)| Mismatch {
            index,
            element,
            got,
            expected,
            total,
            compared,
        })
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (element, limit) = match text.split_once(':') {
            Some((element, limit)) => (Some(element.parse::<ElementType>()?), limit),
            None => (None, text),
        };
        let limit = if let Some(ulps) = limit.strip_suffix("ulp") {
            Limit::Ulps(number::count(ulps).map_err(|e| format!("TOLERANCE: {e}"))?)
        } else {
            match limit.parse::<f64>() {
                Ok(limit) if limit.is_finite() && limit >= 0.0 => Limit::Relative(limit),
                _ => {
                    return Err(format!(
                        "TOLERANCE: expected [TYPE:]NUMBER or [TYPE:]Nulp, such as 1e-5 or \
                         f16:2ulp, not {text:?}"
                    ));
                }
            }
        };
        if let Some(element) = element {
            check_limit(element, limit)?;
        }
        Ok(Self { element, limit })
    }
}

impl FromStr for Expect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("expected ARG[:BYTES]=PATH[,TOLERANCE], such as 2=want.bin, not {text:?}");
        let (arg, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (arg, bytes) = match arg.split_once(':') {
            Some((arg, bytes)) => {
                let bytes = number::bytes(bytes).map_err(|e| format!("BYTES: {e}"))?;
                (arg, Some(bytes))
            }
            None => (arg, None),
        };
        let (path, tolerance) = match rest.rsplit_once(',') {
            Some((path, tolerance)) => (path, Some(tolerance.parse()?)),
            None => (rest, None),
        };
        if path.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            arg: arg.parse()?,
            bytes,
            path: path.into(),
            tolerance,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn expect(text: &str) -> Expect {
        text.parse().unwrap()
    }

    fn refusal(text: &str) -> String {
        text.parse::<Expect>().unwrap_err()
    }

    #[test]
    fn reads_every_form() {
        let exact = expect("1=a.bin");
        assert_eq!(
            (exact.arg, exact.bytes, exact.tolerance),
            (ArgRef::Index(1), None, None)
        );
        let relative = expect("out:4K=a,b.bin,1e-5");
        assert_eq!(relative.arg, ArgRef::Name("out".into()));
        assert_eq!(relative.bytes, Some(4096));
        assert_eq!(relative.path.to_str(), Some("a,b.bin"));
        assert_eq!(
            relative.tolerance,
            Some(Tolerance {
                element: None,
                limit: Limit::Relative(1e-5)
            })
        );
        assert_eq!(
            expect("0=a.bin,f16:2ulp").tolerance,
            Some(Tolerance {
                element: Some(ElementType::F16),
                limit: Limit::Ulps(2)
            })
        );
        assert!(refusal("0=a.bin,u8:2ulp").contains("floating-point"));
        assert!(refusal("0=a.bin,x").starts_with("TOLERANCE"));
        assert!(refusal("0:0=a.bin").starts_with("BYTES"));
        assert!(refusal("a.bin").contains("ARG[:BYTES]=PATH"));
    }

    #[test]
    fn the_argument_tells_the_type_unless_the_command_line_does() {
        let element = |text: &str, own| expect(text).comparison(own).map(|c| c.element);
        let own = Some(ElementType::I32);
        assert_eq!(element("0=a,1", own), Ok(ElementType::I32));
        assert_eq!(element("0=a,f64:1", own), Ok(ElementType::F64));
        assert!(element("0=a,1ulp", own).unwrap_err().contains("not i32"));
        assert!(element("0=a,1", None).unwrap_err().contains("f32:1e-5"));
        assert_eq!(element("0=a", None), Ok(ElementType::U8));
    }

    #[test]
    fn integers_that_are_denormal_floats_differ() {
        let comparison = expect("0=a,1e-5").comparison(Some(ElementType::I32));
        let bytes = |value: i32| value.to_le_bytes();
        let found = comparison.unwrap().compare(&bytes(1), &bytes(2));
        assert!(
            found
                .unwrap()
                .to_string()
                .contains("(i32) is 1, expected 2")
        );
        // Both are 2^63 as a double.
        let wide = expect("0=a,u64:0").comparison(None).unwrap();
        let (one, other) = (1u64 << 63, (1u64 << 63) + 1);
        let found = wide.compare(&one.to_le_bytes(), &other.to_le_bytes());
        assert!(found.is_some());
    }

    #[test]
    fn names_the_first_difference() {
        let exact = expect("0=a").comparison(None).unwrap();
        let mismatch = exact.compare(&[1, 2, 3, 4], &[1, 9, 3, 8]).unwrap();
        assert_eq!(
            mismatch.to_string(),
            "element 1 (u8) is 2, expected 9; 2 of 4 elements differ"
        );
    }

    #[test]
    fn tolerances_are_inclusive() {
        let half = expect("0=a,f32:0.5").comparison(None).unwrap();
        let nan = f32::NAN;
        assert_eq!(
            half.compare(&floats(&[1.5, nan]), &floats(&[1.0, nan])),
            None
        );
        assert!(half.compare(&floats(&[1.75]), &floats(&[1.0])).is_some());
        assert!(half.compare(&floats(&[nan]), &floats(&[1.0])).is_some());
        let ulp = expect("0=a,f32:1ulp").comparison(None).unwrap();
        let next = 1.0f32.next_up();
        assert_eq!(ulp.compare(&floats(&[next]), &floats(&[1.0])), None);
    }

    #[test]
    fn sizes_must_be_equal() {
        let exact = expect("0=a").comparison(None).unwrap();
        assert_eq!(exact.check_size(2, 2), Ok(()));
        for expected in [1, 3] {
            let why = exact.check_size(expected, 2).unwrap_err();
            assert!(why.contains("but 2 are compared"), "{why}");
        }
        assert!(exact.check_size(0, 2).unwrap_err().contains("empty"));
        let ulp = expect("0=a,f32:1ulp").comparison(None).unwrap();
        assert!(ulp.check_size(6, 6).unwrap_err().contains("whole number"));
    }
}
