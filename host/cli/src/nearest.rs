//! The name that somebody probably meant.

/// The known name that is most like `name`; none when nothing is near enough to be worth suggesting.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    let likeness = |other: &str| {
        let other = other.to_lowercase().replace('_', "-");
        let begins = !name.is_empty() && (other.starts_with(&name) || name.starts_with(&other));
        strsim::jaro_winkler(&name, &other) + if begins { 0.1 } else { 0.0 }
    };
    known
        .into_iter()
        .map(|other| (likeness(other), other))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_nonsense_is_not() {
        let known = ["hosts", "interval", "batch-rows", "precision"];
        assert_eq!(nearest("host", known), Some("hosts"));
        assert_eq!(nearest("batch_rows", known), Some("batch-rows"));
        assert_eq!(nearest("presicion", known), Some("precision"));
        assert_eq!(nearest("zzz", known), None);
    }
}
