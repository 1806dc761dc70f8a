//! Length of files: the longest file that could be shorter.

use super::FileSet;

/// The words that open what has no parts which could stand in files of their own.
const OPENINGS: [&str; 6] =
    ["pub struct ", "pub enum ", "pub type ", "pub trait ", "pub(crate) trait ", "pub static "];

impl FileSet {
    /// The lines of the longest Rust file that does not hold exactly one type, trait or table, which is as
    /// long as it is.
    pub fn longest_shared(&self) -> usize {
        let sources =
            self.iter().filter(|(path, _)| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs"));
        let shared = sources.filter(|(_, text)| openings(text) != 1);
        shared.map(|(_, text)| text.lines().count()).max().unwrap_or_default()
    }
}

/// How many types, traits and tables a file defines.
fn openings(text: &str) -> usize {
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| OPENINGS.iter().any(|opening| line.starts_with(opening))).count()
}

#[cfg(test)]
mod tests {
    use super::FileSet;

    #[test]
    fn a_file_of_one_type_may_be_long() {
        let long = "\n".repeat(500);
        let mut files = FileSet::owning(["src"]);
        for (name, text) in [
            ("one", format!("pub struct A;{long}")),
            ("macro", format!("open_enum! {{\n    pub enum A {{{long}}}\n}}\n")),
            ("short", "pub struct A;\npub struct B;\n".to_owned()),
        ] {
            files.insert(format!("src/{name}.rs"), text).expect("it is new");
        }
        assert_eq!(files.longest_shared(), 2);
        files.insert("src/two.rs", format!("pub struct A;{long}pub struct B;")).expect("it is new");
        assert_eq!(files.longest_shared(), 501);
        files.insert("src/list.rs", format!("mod a;{long}\n")).expect("it is new");
        assert_eq!(files.longest_shared(), 501);
    }
}
