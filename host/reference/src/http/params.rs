//! The query of a URL, and forms.

/// Names and values in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query or a form. An escape that is malformed stays as it is, as browsers and servers do.
    pub(crate) fn of(text: Option<&str>) -> Self {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (plain(name), plain(value))
                })
                .collect(),
        )
    }

    /// Adds what another one has; what comes first counts.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The value of a name, also if it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Undoes percent-encoding, and `+` for a space.
fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let decoded = code.filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        match decoded.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                plain.push(decoded);
                at += 3;
            }
            None => {
                plain.push(if byte == b'+' { b' ' } else { byte });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_the_first_of_a_name_counts() {
        let params = Params::of(Some("q=a%20b+c%26&x&&y=%C3%A9&q=2&z=100%&w=%zz%4"));
        let found = ["q", "x", "y", "z", "w", "v"].map(|name| params.get(name));
        assert_eq!(found, [Some("a b c&"), Some(""), Some("é"), Some("100%"), Some("%zz%4"), None]);
        assert_eq!(Params::of(Some("a=1")).and(Params::of(Some("a=2&b=3"))).get("b"), Some("3"));
    }
}
