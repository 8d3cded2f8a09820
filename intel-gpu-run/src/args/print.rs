//! `--print ARG:TYPE:N`.

use std::str::FromStr;

use super::{ArgRef, ElementType, number};

/// Show the first elements of a buffer after the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// Which argument.
    pub arg: ArgRef,
    /// The element type.
    pub element: ElementType,
    /// How many elements.
    pub count: u64,
}

impl FromStr for Print {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.rsplitn(3, ':');
        let (Some(count), Some(element), Some(arg)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(format!(
                "expected ARG:TYPE:N, such as 2:f32:8, not {text:?}"
            ));
        };
        Ok(Self {
            arg: arg.parse()?,
            element: element.parse()?,
            count: number::count(count).map_err(|e| format!("N: {e}"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ArgRef, ElementType, Print};

    #[test]
    fn reads_the_three_parts() {
        let print: Print = "2:f32:8".parse().unwrap();
        assert_eq!(
            print,
            Print {
                arg: ArgRef::Index(2),
                element: ElementType::F32,
                count: 8
            }
        );
        assert!("2:f32".parse::<Print>().unwrap_err().contains("ARG:TYPE:N"));
        assert!(
            "2:f31:8"
                .parse::<Print>()
                .unwrap_err()
                .contains("unknown type \"f31\"")
        );
        assert!(
            "2:f32:x"
                .parse::<Print>()
                .unwrap_err()
                .starts_with("N: expected a number")
        );
    }
}
