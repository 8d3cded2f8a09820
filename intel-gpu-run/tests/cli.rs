//! The tool's words: help, errors and listings, as its users see them (`tests/cmd`).

#[test]
fn words() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
