//! Who looks after a file: CODEOWNERS as GitHub and GitLab read it.
//!
//! The last line that fits a path decides; a line without owners takes them away (GitHub) or falls back on those of its
//! section (GitLab). In GitLab's sections, each section has its say. Patterns are those of `.gitignore` without `!`.

/// The lines of a CODEOWNERS file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Owners {
    sections: Vec<Section>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Section {
    default: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    /// The pattern's segments; `**` stands for any number of folders.
    pattern: Vec<String>,
    owners: Vec<String>,
}

impl Owners {
    /// Reads a file. A line that cannot be understood owns nothing.
    pub fn parse(text: &str) -> Self {
        let mut sections = vec![Section::default()];
        for line in text.lines() {
            let words = words(line);
            let Some((first, owners)) = words.split_first() else { continue };
            if let Some(default) = section_head(line) {
                sections.push(Section { default, lines: Vec::new() });
            } else if let Some(section) = sections.last_mut() {
                section.lines.push(Line { pattern: segments(first), owners: owners.to_vec() });
            }
        }
        Self { sections }
    }

    /// The owners of a path from the project's folder.
    pub fn of(&self, path: &str) -> Vec<String> {
        let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let mut owners: Vec<String> = Vec::new();
        for section in &self.sections {
            let Some(line) = section.lines.iter().rev().find(|line| fits(&line.pattern, &path)) else {
                continue;
            };
            let of = if line.owners.is_empty() { &section.default } else { &line.owners };
            for owner in of {
                if !owners.contains(owner) {
                    owners.push(owner.clone());
                }
            }
        }
        owners
    }
}

/// The words of a line, without a comment; `\ ` does not end a word.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = line.trim().chars();
    while let Some(c) = chars.next() {
        let at_start = words.last().is_some_and(String::is_empty);
        match c {
            '\\' => words.last_mut().into_iter().for_each(|word| word.extend(chars.next())),
            '#' if at_start => break,
            c if c.is_whitespace() && !at_start => words.push(String::new()),
            c if c.is_whitespace() => {}
            c => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The default owners if the line begins a section: `[Database][2] @team`, `^[Optional]`.
fn section_head(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let rest = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?;
    let mut rest = &rest[rest.find(']')? + 1..];
    if let Some(count) = rest.strip_prefix('[') {
        rest = &count[count.find(']')? + 1..];
    }
    Some(words(rest))
}

fn segments(pattern: &str) -> Vec<String> {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let mut segments: Vec<String> = Vec::new();
    if !anchored {
        segments.push("**".to_owned());
    }
    segments.extend(pattern.split('/').filter(|part| !part.is_empty()).map(str::to_owned));
    // A folder stands for all below it; `docs/*` for what lies in it and no deeper.
    let last = segments.last().map_or("", String::as_str);
    if pattern.ends_with('/') {
        segments.extend(["**".to_owned(), "*".to_owned()]);
    } else if last == "**" {
        segments.push("*".to_owned());
    } else if !(anchored && last == "*") {
        segments.push("**".to_owned());
    }
    segments
}

/// Whether a path fits: each row tells which of the path's beginnings fit the pattern so far, so that no pattern is slow.
fn fits(pattern: &[String], path: &[&str]) -> bool {
    let mut row = vec![false; path.len() + 1];
    row[0] = true;
    for segment in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            next[at] = if segment == "**" {
                row[at] || at > 0 && next[at - 1]
            } else {
                at > 0 && row[at - 1] && glob(segment, path[at - 1])
            };
        }
        row = next;
    }
    row[path.len()]
}

/// `*` and `?` within one segment.
fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let mut row = vec![false; name.len() + 1];
    row[0] = true;
    for c in pattern {
        let mut next = vec![false; name.len() + 1];
        for at in 0..=name.len() {
            next[at] = match c {
                '*' => row[at] || at > 0 && next[at - 1],
                '?' => at > 0 && row[at - 1],
                c => at > 0 && row[at - 1] && name[at - 1] == c,
            };
        }
        row = next;
    }
    row[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, path: &str) -> String {
        Owners::parse(text).of(path).join(" ")
    }

    #[test]
    fn patterns_are_those_of_github() {
        for (pattern, path, expected) in [
            ("*", "a/b/C.java", true),
            ("*.java", "a/b/C.java", true),
            ("*.java", "a/b/C.kt", false),
            ("/build/logs/", "build/logs/a/b.txt", true),
            ("/build/logs/", "x/build/logs/b.txt", false),
            ("docs/*", "docs/a.md", true),
            ("docs/*", "docs/b/a.md", false),
            ("apps/", "x/apps/a.java", true),
            ("/docs", "docs/a/b.md", true),
            ("**/logs", "a/b/logs/c", true),
            ("/src/**/bank", "src/main/java/bank/A.java", true),
            ("/src/**", "src/a/b", true),
            ("src/main", "lib/src/main/A.java", false),
            ("Account.java", "a/Account.java", true),
            ("Acc?unt.*", "a/Account.java", true),
            ("a\\ b/", "a b/C.java", true),
        ] {
            assert_eq!(of(&format!("{pattern} @me"), path) == "@me", expected, "{pattern} {path}");
        }
    }

    #[test]
    fn the_last_line_that_fits_decides() {
        let text = "# all\n* @all\n*.java @java @jvm # comment\n/gen/\n";
        assert_eq!(of(text, "a.txt"), "@all");
        assert_eq!(of(text, "x/A.java"), "@java @jvm");
        assert_eq!(of(text, "gen/A.java"), "");
    }

    #[test]
    fn each_section_of_gitlab_has_its_say() {
        let text = "* @all\n[Banking][2] @bank\nbank/\nbank/secret/ @vault\n^[Docs]\n*.md @docs\n";
        assert_eq!(of(text, "bank/A.java"), "@all @bank");
        assert_eq!(of(text, "bank/secret/A.md"), "@all @vault @docs");
    }

    #[test]
    fn no_pattern_takes_long() {
        let slow = format!("{} @me", "*a".repeat(2000));
        assert_eq!(of(&slow, &"a".repeat(5000)), "@me");
        assert_eq!(of(&format!("{}x @me", "**/".repeat(2000)), &"a/".repeat(2000)), "");
    }
}
