//! xtask
#[cfg(test)]
mod arrows;
fn main() {}
