//! Options of compiling and linking (specification, sections 5.8.6 and 5.8.7).

use compilers::words;

/// What kernels are compiled for: buffers that begin at any byte.
pub(super) const INTERNAL: &str = "-cl-intel-has-buffer-offset-arg";
/// With pipes, an option of OpenCL C 3.0 that Intel's compiler has when told so.
pub(super) const WITH_PIPES: &str = "-cl-intel-has-buffer-offset-arg -cl-ext=+__opencl_c_pipes";
/// Code that reaches buffers by addresses, and so takes pointers to any byte. It is longer.
pub(super) const ANYWHERE: &str = "-cl-intel-greater-than-4GB-buffer-required";

/// What options are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Compile,
    Link,
}

/// Options of the compiler that are one word. What the value of `-cl-std=` may be, the compiler
/// says.
const COMPILE: &[&str] = &[
    "-cl-single-precision-constant",
    CORRECTLY_ROUNDED,
    "-cl-opt-disable",
    "-cl-strict-aliasing",
    "-cl-mad-enable",
    "-cl-kernel-arg-info",
    "-cl-uniform-work-group-size",
    "-w",
    "-Werror",
    "-g",
    "-gline-tables-only",
];

/// Those of the linker, which the compiler takes, too.
const LINK: &[&str] = &[
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
];

/// Makes the linker link a library.
const CREATE_LIBRARY: &str = "-create-library";
/// Lets options of the linker change a library, which ours takes from every program.
const ENABLE_LINK_OPTIONS: &str = "-enable-link-options";

/// Options with a value behind them, in the same word or in the next.
const VALUED: &[&str] = &["-D", "-I", "-x", "-igc_opts"];
/// Options with a value in the same word; those of vendors the compiler knows.
const PREFIXES: &[&str] = &["-cl-std=", "-spir-std=", INTELS, "-ze-"];

const CORRECTLY_ROUNDED: &str = "-cl-fp32-correctly-rounded-divide-sqrt";
/// Intel's own, of registers and addresses.
const INTELS: &str = "-cl-intel-";

/// What is wrong with options, if something is.
pub(crate) fn check(options: &str, purpose: Use) -> Result<(), String> {
    let words = words(options).map_err(|open| format!("{open} is not closed"))?;
    let is_library = words.iter().any(|word| word == CREATE_LIBRARY);
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let is_known = match purpose {
            Use::Link => {
                LINK.contains(&word)
                    || word == CREATE_LIBRARY
                    // "-enable-link-options … must be specified with the -create-library option"
                    || word == ENABLE_LINK_OPTIONS && is_library
                    || PREFIXES.iter().skip(2).any(|prefix| word.starts_with(prefix))
            }
            Use::Compile => {
                let valued = VALUED.iter().find_map(|name| word.strip_prefix(name));
                LINK.contains(&word)
                    || COMPILE.contains(&word)
                    || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
                    || valued.is_some_and(|value| !value.is_empty() || rest.next().is_some())
            }
        };
        if !is_known {
            return Err(format!(
                "the option {word:?} is not known, or lacks its value"
            ));
        }
    }
    Ok(())
}

/// Whether options of the linker ask for a library.
pub(crate) fn asks_for_library(options: &str) -> bool {
    has(options, CREATE_LIBRARY)
}

/// Options that compiling what is linked takes: those of the linker, and what the modules were
/// compiled with where SPIR-V does not say it.
pub(crate) fn for_linked(options: &str, inherited: &[String]) -> String {
    let own = words(options).unwrap_or_default().into_iter();
    let mut all: Vec<_> = own
        .filter(|word| ![CREATE_LIBRARY, ENABLE_LINK_OPTIONS].contains(&&**word))
        .collect();
    for options in inherited {
        let kept = words(options).unwrap_or_default().into_iter();
        let kept = kept.filter(|word| word == CORRECTLY_ROUNDED || word.starts_with(INTELS));
        for word in kept {
            if !all.contains(&word) {
                all.push(word);
            }
        }
    }
    // None of these options has spaces or quotes in it.
    all.join(" ")
}

/// Whether all work-groups of a launch must have one size. In OpenCL C before 2.0 they must, and if
/// an option says so.
pub(crate) fn is_uniform(options: &str) -> bool {
    let newer = ["CL2.0", "CL3.0", "CLC++"];
    let is_newer = compilers::language(options)
        .is_some_and(|language| newer.iter().any(|name| language.starts_with(name)));
    !is_newer || must_be_uniform(options)
}

/// Whether an option says that all work-groups of a launch have one size.
pub(crate) fn must_be_uniform(options: &str) -> bool {
    has(options, "-cl-uniform-work-group-size")
}

fn has(options: &str, wanted: &str) -> bool {
    words(options).is_ok_and(|words| words.iter().any(|word| word == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_specification_lists_is_taken() {
        for good in [
            "",
            "-D A -DB=1 -D 'C=x y' -I /a -I/b -cl-std=CL3.0 -w -Werror -g",
            "-cl-fast-relaxed-math -cl-intel-greater-than-4GB-buffer-required -x spir",
        ] {
            check(good, Use::Compile).unwrap();
        }
        for good in [
            "-create-library -enable-link-options",
            "-cl-fast-relaxed-math",
            "",
        ] {
            check(good, Use::Link).unwrap();
        }
        for bad in [
            "-foo",
            "bogus",
            "-D",
            "-I",
            "-create-library",
            "-O2",
            "-D 'A",
        ] {
            assert!(check(bad, Use::Compile).is_err(), "{bad}");
        }
        for bad in ["-enable-link-options", "-DA", "-w", "-cl-std=CL3.0", "x"] {
            assert!(check(bad, Use::Link).is_err(), "{bad}");
        }
    }

    #[test]
    fn quotes_are_no_part_of_an_option() {
        let options = r#""-create-library" '-enable-link-options' "-cl-mad-enable""#;
        assert!(asks_for_library(options));
        assert_eq!(for_linked(options, &[]), "-cl-mad-enable");
        let inherited = [
            "-cl-fp32-correctly-rounded-divide-sqrt -DA",
            "-w -cl-intel-x",
        ];
        let inherited = inherited.map(str::to_owned);
        let all = "-cl-mad-enable -cl-fp32-correctly-rounded-divide-sqrt -cl-intel-x";
        assert_eq!(for_linked(options, &inherited), all);
        assert!(!asks_for_library("-DA='x -create-library y'"));
        assert!(must_be_uniform("'-cl-uniform-work-group-size'"));
        assert!(!is_uniform("\"-cl-std=CL3.0\""));
        assert!(is_uniform("-DA='-cl-std=CL3.0'"));
    }

    #[test]
    fn the_size_of_groups_is_uniform_before_2_0() {
        assert!(is_uniform("-cl-std=CL1.2"));
        assert!(is_uniform("-cl-std=CL3.0 -cl-uniform-work-group-size"));
        assert!(!is_uniform("-cl-std=CL2.0"));
    }
}
