//! Extents in one to three dimensions: `--global`, `--local`, `--offset`.

use std::fmt;
use std::str::FromStr;

use super::number;

/// `X[,Y[,Z]]` as written, with the number of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    values: [u64; 3],
    dimensions: usize,
}

impl Extent {
    /// The number of dimensions that were written, 1 to 3.
    pub fn dimensions(self) -> usize {
        self.dimensions
    }

    /// All three values, with `fill` for the dimensions that were not written.
    pub fn filled(self, fill: u64) -> [u64; 3] {
        let mut out = [fill; 3];
        for (to, from) in out.iter_mut().zip(self.values).take(self.dimensions) {
            *to = from;
        }
        out
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut values = [0; 3];
        let mut dimensions = 0;
        for (index, part) in text.split(',').enumerate() {
            let slot = values
                .get_mut(index)
                .ok_or_else(|| format!("expected at most 3 numbers (X,Y,Z), got {text:?}"))?;
            *slot = number::count(part).map_err(|e| {
                format!(
                    "{} of {text:?}: {e}",
                    ["X", "Y", "Z"].get(index).unwrap_or(&"part")
                )
            })?;
            dimensions = index + 1;
        }
        Ok(Self { values, dimensions })
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, value) in self.values.iter().take(self.dimensions).enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn remembers_the_dimensions() {
        let extent: Extent = "1024,0x10".parse().unwrap();
        assert_eq!(extent.dimensions(), 2);
        assert_eq!(extent.filled(1), [1024, 16, 1]);
        assert_eq!(extent.to_string(), "1024,16");
    }

    #[test]
    fn names_the_part_that_is_wrong() {
        let error = "1,x,3".parse::<Extent>().unwrap_err();
        assert!(
            error.starts_with("Y of \"1,x,3\": expected a number"),
            "{error}"
        );
        let error = "1,2,3,4".parse::<Extent>().unwrap_err();
        assert!(error.contains("at most 3"), "{error}");
    }
}
