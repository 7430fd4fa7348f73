//! What objectives are checked against, and which texts are none.

use super::*;
use crate::recording::{Ending, Spans, Stamps};

fn recording() -> Recording {
    let mut recording = Recording::default();
    for i in 1..=1000_u64 {
        let sent = Duration::from_millis(5);
        let stamps = Stamps { intended: Some(Duration::ZERO), sent, done: sent + Duration::from_millis(i) };
        recording.operation(Ending::Ok, stamps, Spans::default());
        recording.rows.acknowledged += 10;
    }
    recording
}

fn check(text: &str) -> Kept {
    text.parse::<Objective>().unwrap().check(&recording(), Duration::from_secs(10))
}

#[test]
fn objectives_are_checked_against_the_clock_they_name_and_else_the_leading_one() {
    assert_eq!(check("p50<600ms"), Kept::Yes);
    assert!(matches!(check("p99<900ms"), Kept::No(found) if found.contains("99")));
    assert_eq!(check("service.p50<=501ms"), Kept::Yes);
    assert_eq!(check("lag.max<6ms"), Kept::Yes);
    assert_eq!(check("p99.9<1s"), Kept::TooFew);
    assert_eq!(check("errors<=0.1%"), Kept::Yes);
    assert_eq!(check("rate>=1krows"), Kept::Yes);
    assert_eq!(check("rate>1krows"), Kept::No("1000 rows/s".into()));
    assert_eq!(check("mean<1s"), Kept::Yes);
}

#[test]
fn operations_that_timed_out_or_failed_count_in_every_time() {
    let mut recording = Recording::default();
    let mut end = |ending, seconds: u64, times: u32| {
        let (sent, done) = (Duration::from_millis(1), Duration::from_secs(seconds));
        let stamps = Stamps { intended: Some(Duration::ZERO), sent, done };
        (0..times).for_each(|_| recording.operation(ending, stamps, Spans::default()));
    };
    end(Ending::Ok, 1, 1900);
    end(Ending::TimedOut, 30, 60);
    end(Ending::Failed, 20, 40);
    let check = |text: &str| text.parse::<Objective>().unwrap().check(&recording, Duration::from_secs(10));
    assert!(matches!(check("p99<2s"), Kept::No(found) if found.starts_with("30")));
    assert!(matches!(check("service.p96<2s"), Kept::No(found) if found.starts_with("20")));
    assert_eq!(check("p90<2s"), Kept::Yes);
    assert!(matches!(check("max<2s"), Kept::No(_)) && matches!(check("mean<2s"), Kept::No(_)));
    assert_eq!(check("lag.max<2ms"), Kept::Yes);
}

#[test]
fn a_text_that_is_no_objective_is_refused_with_the_words_that_are_known() {
    for text in
        ["p99", "p99=3ms", "latency<3ms", "p99<3", "p0<3ms", "p100<1s", "errors<5", "rate>5", "p99<-1ms", "<3ms"]
    {
        let error = text.parse::<Objective>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{text}` is no objective")) && error.contains("p99<50ms"), "{error}");
    }
}
