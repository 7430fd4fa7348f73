//! A histogram as the text that HdrHistogram's `outputPercentileDistribution` prints, which its plotters read. Values are milliseconds.

use std::fmt::Write;

use benchhost_stats::Histogram;

const NS_PER_MS: f64 = 1e6;
/// Lines for each halving of the distance to 100 %, as the official tools have it.
const TICKS_PER_HALF_DISTANCE: u32 = 5;

/// The distribution, with a newline at its end.
#[must_use]
pub fn percentile_distribution(histogram: &Histogram) -> String {
    let hdr = histogram.hdr();
    let digits = usize::from(hdr.sigfig());
    let mut text = format!("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    let mut total = 0;
    // Writing to a string does not fail.
    for step in hdr.iter_quantiles(TICKS_PER_HALF_DISTANCE) {
        total += step.count_since_last_iteration();
        let quantile = step.quantile_iterated_to();
        let value = step.value_iterated_to() as f64 / NS_PER_MS;
        let _ = write!(text, "{value:12.digits$} {quantile:2.12} {total:10}");
        // The last line has no end to count to.
        let _ = if quantile < 1.0 { writeln!(text, " {:14.2}", 1.0 / (1.0 - quantile)) } else { writeln!(text) };
    }
    let (mean, deviation) = (hdr.mean() / NS_PER_MS, hdr.stdev() / NS_PER_MS);
    let _ = writeln!(text, "#[Mean    = {mean:12.digits$}, StdDeviation   = {deviation:12.digits$}]");
    let (longest, count) = (hdr.max() as f64 / NS_PER_MS, hdr.len());
    let _ = writeln!(text, "#[Max     = {longest:12.digits$}, Total count    = {count:12}]");
    // Two buckets' worth of values keep the last digit, rounded up to a power of two.
    let sub_buckets = (2 * 10_u64.pow(u32::from(hdr.sigfig()))).next_power_of_two();
    let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {sub_buckets:12}]", hdr.buckets());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_printed_as_the_official_tools_print_it() {
        let mut histogram = Histogram::new();
        (1..=4).for_each(|ms| histogram.record(ms * 1_000_000));
        let text = percentile_distribution(&histogram);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[1], "");
        assert_eq!(lines[2], "       1.000 0.000000000000          1           1.00");
        let last = lines.iter().rposition(|line| !line.starts_with("#[")).unwrap();
        assert_eq!(lines[last], "       4.002 1.000000000000          4");
        assert_eq!(lines[last + 1], "#[Mean    =        2.500, StdDeviation   =        1.118]");
        assert_eq!(lines[last + 2], "#[Max     =        4.002, Total count    =            4]");
        assert_eq!(lines[last + 3], "#[Buckets =           32, SubBuckets     =         2048]");
    }

    #[test]
    fn counts_rise_to_the_total() {
        let mut histogram = Histogram::new();
        (1..=10_000).for_each(|us| histogram.record(us * 1000));
        let text = percentile_distribution(&histogram);
        let rows = text.lines().skip(2).filter(|line| !line.starts_with('#'));
        let counts: Vec<u64> = rows.map(|row| row.split_whitespace().nth(2).unwrap().parse().unwrap()).collect();
        assert!(counts.is_sorted() && counts.last() == Some(&10_000), "{counts:?}");
    }
}
