//! Labels in the text that VictoriaMetrics publishes about itself.

/// The value of `label` of the first sample of `metric` that has `also` in its labels.
pub(crate) fn label(text: &str, metric: &str, also: &str, label: &str) -> Option<String> {
    let labels = text
        .lines()
        .filter_map(|line| line.strip_prefix(metric)?.strip_prefix('{'))
        .find(|labels| labels.contains(also))?;
    // ` version="` must not be found at the end of `short_version="`.
    let at =
        labels.match_indices(&format!("{label}=\"")).find(|(at, _)| *at == 0 || labels[..*at].ends_with([',', ' ']))?;
    let value = &labels[at.0 + at.1.len()..];
    value.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
process_x 1
flag{name=\"httpListenAddr\", value=\":8428\", is_set=\"false\"} 1
flag{name=\"retentionPeriod\", value=\"100y\", is_set=\"true\"} 1
vm_app_version{version=\"victoria-metrics-2026-tags-v1.151.0\", short_version=\"v1.151.0\"} 1
";

    #[test]
    fn a_label_is_found_by_its_whole_name() {
        assert_eq!(label(TEXT, "vm_app_version", "", "short_version").as_deref(), Some("v1.151.0"));
        let version = label(TEXT, "vm_app_version", "", "version");
        assert_eq!(version.as_deref(), Some("victoria-metrics-2026-tags-v1.151.0"));
    }

    #[test]
    fn the_sample_is_chosen_by_another_label() {
        assert_eq!(label(TEXT, "flag", "name=\"retentionPeriod\"", "value").as_deref(), Some("100y"));
        assert_eq!(label(TEXT, "flag", "name=\"other\"", "value"), None);
    }
}
