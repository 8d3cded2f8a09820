//! Option strings.

/// The words of an option string, where quotes keep spaces.
///
/// # Errors
/// The quote that is not closed.
pub fn words(options: &str) -> Result<Vec<String>, char> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    for c in options.chars() {
        match (c, quote) {
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), Err)
}

/// What is wrong with an option string before any compiler sees it: one would take what comes next, the
/// source file, for the missing part.
///
/// # Errors
/// A quote that is not closed, or an option at the end without its value.
pub fn check_options(options: &str) -> Result<(), String> {
    let words = words(options).map_err(|quote| format!("{quote} is not closed"))?;
    match words.last().map(String::as_str) {
        Some(option @ ("-D" | "-U")) => Err(format!("{option} lacks its macro")),
        Some(option @ "-I") => Err(format!("{option} lacks its folder")),
        _ => Ok(()),
    }
}

/// The version of the language that an option string chooses, such as `CL3.0`.
pub fn language(options: &str) -> Option<String> {
    let words = words(options).unwrap_or_default();
    let mut chosen = words
        .iter()
        .filter_map(|word| word.strip_prefix("-cl-std="));
    chosen.next_back().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{check_options, language, words};

    #[test]
    fn the_last_language_counts() {
        let options = "-cl-std=CL1.2 '-cl-std=CL3.0' -DA=\"-cl-std=CL2.0\"";
        assert_eq!(language(options).as_deref(), Some("CL3.0"));
        assert_eq!(language("-DA"), None);
    }

    #[test]
    fn options_have_their_values() {
        for good in ["", "-D A", "-DA=1 -I b -w", "-U x -cl-mad-enable"] {
            assert_eq!(check_options(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("-D", "-D lacks its macro"),
            ("-w -U ", "-U lacks its macro"),
            ("-DA -I", "-I lacks its folder"),
            ("-D 'A", "' is not closed"),
        ] {
            assert_eq!(check_options(bad), Err(why.to_owned()), "{bad}");
        }
    }

    #[test]
    fn quotes_keep_spaces() {
        let options = r#" -DA="x y"  -I 'a b' -cl-mad-enable "" "#;
        let parts = ["-DA=x y", "-I", "a b", "-cl-mad-enable", ""];
        assert_eq!(words(options).unwrap(), parts);
        assert_eq!(words("-D 'a"), Err('\''));
    }
}
