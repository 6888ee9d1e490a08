//! The `ruleout` command.
fn main() {}
