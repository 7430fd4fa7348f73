//! Takes secrets out of what a guest says. A plugin must not repeat its password; this is for the one that does.

use crate::coded;

/// Shorter secrets are not looked for: they would tear ordinary words apart.
const SHORTEST: usize = 4;

/// Knows the secrets of one run of a plugin.
#[derive(Default)]
pub(crate) struct Redactor {
    /// Longest first, so that a secret that holds another one goes as a whole.
    secrets: Vec<String>,
}

impl Redactor {
    /// Looks for each of these, as it is and as protocols write it, and for each line of those that have several: what a guest writes arrives line by line.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| std::iter::once(secret).chain(secret.lines().map(str::trim)))
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(coded::forms)
            .collect();
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Self { secrets }
    }

    /// The text with `***` for every secret, and without control characters that could steer a terminal.
    pub(crate) fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), "***");
            }
        }
        if text.chars().any(steers) {
            text = text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect();
        }
        text
    }

    /// Length of the longest secret, in bytes: what a cut text must hold more of to show no part of one.
    pub(crate) fn longest(&self) -> usize {
        self.secrets.first().map_or(0, String::len)
    }
}

fn steers(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_of_every_secret_is_replaced() {
        let redactor = Redactor::new(["hunter22", "token-1"]);
        assert_eq!(redactor.clean("a hunter22 b token-1 c hunter22"), "a *** b *** c ***");
    }

    #[test]
    fn a_secret_inside_another_one_leaves_nothing_of_the_longer_one() {
        assert_eq!(Redactor::new(["pass", "password1"]).clean("x password1 y pass z"), "x *** y *** z");
    }

    #[test]
    fn each_line_of_a_long_secret_is_a_secret() {
        let redactor = Redactor::new(["-----BEGIN-----\nMIIBVg\n-----END-----\n"]);
        assert_eq!(redactor.clean("line MIIBVg"), "line ***");
    }

    #[test]
    fn secrets_too_short_to_find_are_left_alone() {
        assert_eq!(Redactor::new(["abc", ""]).clean("abcd"), "abcd");
    }

    #[test]
    fn a_guest_cannot_steer_the_terminal() {
        assert_eq!(Redactor::default().clean("\u{1b}[2Jhello\tyou\n"), "\u{fffd}[2Jhello\tyou\n");
    }
}
