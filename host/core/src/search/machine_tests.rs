//! Searches on made-up servers.

use super::*;

const LENGTH: Duration = Duration::from_secs(5);
const LEAST: f64 = 0.1;

const PASSED: Answer = Answer { passed: true, plain: false, limit: None };
const FAILED: Answer = Answer { passed: false, plain: true, limit: None };
const UNLUCKY: Answer = Answer { plain: false, ..FAILED };

/// Searches on a server that answers a window by its number. Gives the end and all windows.
fn search(start: f64, mut server: impl FnMut(u32, &Ask) -> Answer) -> (Outcome, Vec<Ask>) {
    let mut search = Search::new(start, LENGTH, LEAST);
    let mut asked = Vec::new();
    loop {
        match search.next() {
            Next::Done(outcome) => return (outcome, asked),
            Next::Ask(ask) => {
                search.answer(server(asked.len() as u32, &ask));
                asked.push(ask);
            }
        }
        assert!(asked.len() as u32 <= MOST_PROBES, "the search does not end");
    }
}

fn up_to(ceiling: f64) -> impl FnMut(u32, &Ask) -> Answer {
    move |_, ask| if ask.rate_per_s <= ceiling { PASSED } else { FAILED }
}

fn confirming(asked: &[Ask]) -> Vec<f64> {
    asked.iter().filter(|ask| ask.purpose == Purpose::Confirm).map(|ask| ask.rate_per_s).collect()
}

#[test]
fn a_hard_ceiling_is_found_from_below_and_from_above_within_two_percent() {
    for start in [1.0, 40.0, 999.0, 1000.0, 1001.0, 7_777.0, 100_000.0] {
        let (outcome, asked) = search(start, up_to(1000.0));
        let rate = outcome.rate_per_s.unwrap();
        assert!(rate <= 1000.0 && rate > 1000.0 / RESOLUTION, "{rate} from {start}");
        assert_eq!(outcome.limit, None);
        assert!(asked.len() < 25, "{} probes from {start}", asked.len());
        let last = &asked[asked.len() - 5..];
        assert!(last.iter().all(|ask| ask.purpose == Purpose::Confirm && ask.length == LENGTH * 3), "{last:?}");
        assert!(asked[..asked.len() - 5].iter().all(|ask| ask.length == LENGTH));
    }
}

#[test]
fn a_server_that_fails_everything_ends_the_search_without_a_rate() {
    let (outcome, asked) = search(1000.0, |_, _| FAILED);
    assert_eq!((outcome.rate_per_s, asked.len() as u32), (None, MAX_HALVINGS + 1));
    assert!(asked.iter().all(|ask| ask.purpose == Purpose::Double));
    assert!(asked.windows(2).all(|pair| pair[1].rate_per_s < pair[0].rate_per_s));
}

#[test]
fn no_rate_is_tried_that_a_probe_can_tell_nothing_of() {
    let (outcome, asked) = search(1.0, |_, _| FAILED);
    assert_eq!(outcome.rate_per_s, None);
    let lowest = asked.last().unwrap().rate_per_s;
    assert!((LEAST..LEAST * 2.0).contains(&lowest), "{lowest}");
}

#[test]
fn a_failure_by_the_client_bounds_the_rate_and_keeps_its_reason() {
    let busy = Limit::Thread(0.97);
    let (outcome, _) =
        search(10.0, |_, ask| if ask.rate_per_s <= 500.0 { PASSED } else { Answer { limit: Some(busy), ..FAILED } });
    assert!((outcome.rate_per_s.unwrap() - 500.0).abs() < 10.0);
    assert_eq!(outcome.limit, Some(busy));
}

#[test]
fn the_reason_is_that_of_the_lowest_failure() {
    // Far above the server's ceiling the client is at its limit too.
    let (outcome, _) = search(10.0, |_, ask| match ask.rate_per_s {
        rate if rate <= 500.0 => PASSED,
        rate if rate < 600.0 => FAILED,
        _ => Answer { limit: Some(Limit::Thread(1.0)), ..FAILED },
    });
    assert_eq!(outcome.limit, None);
}

#[test]
fn a_server_without_a_ceiling_ends_the_doubling() {
    let (outcome, asked) = search(1.0, |_, _| PASSED);
    assert_eq!(outcome, Outcome { rate_per_s: Some(f64::from(1 << MAX_DOUBLINGS)), limit: Some(Limit::Doublings) });
    assert_eq!(asked.len() as u32, MAX_DOUBLINGS + 1 + CONFIRMATIONS);
}

#[test]
fn a_ceiling_that_falls_between_confirmations_is_followed_and_confirmed_anew() {
    let mut confirmed = 0;
    let (outcome, asked) = search(100.0, |_, ask| {
        confirmed += u32::from(ask.purpose == Purpose::Confirm);
        // The third window finds a server that has lost a tenth.
        up_to(if confirmed >= 3 { 900.0 } else { 1000.0 })(0, ask)
    });
    let rate = outcome.rate_per_s.unwrap();
    assert!(rate <= 900.0 && rate > 900.0 * STEP_DOWN, "{rate}");
    let windows = confirming(&asked);
    assert!(windows[windows.len() - 5..].iter().all(|each| (each - rate).abs() < 1e-9), "{windows:?}");
    assert!(windows.is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_rate_that_is_never_confirmed_is_not_given() {
    let (outcome, asked) =
        search(100.0, |n, ask| if ask.purpose == Purpose::Confirm { FAILED } else { up_to(1000.0)(n, ask) });
    assert_eq!(outcome.rate_per_s, None);
    assert_eq!(confirming(&asked).len() as u32, MAX_STEPS_DOWN + 1);
}

#[test]
fn one_unlucky_probe_sets_no_ceiling_wherever_it_is() {
    let (_, quiet) = search(10.0, up_to(1000.0));
    let lowest = 1000.0 / RESOLUTION * STEP_DOWN;
    for unlucky in 0..quiet.len() as u32 {
        let (outcome, _) = search(10.0, |n, ask| if n == unlucky { UNLUCKY } else { up_to(1000.0)(n, ask) });
        let rate = outcome.rate_per_s.unwrap();
        assert!(rate <= 1000.0 && rate > lowest * 0.999, "{rate} with bad luck in {unlucky}");
    }
}

#[test]
fn a_noisy_server_is_found_to_sustain_what_it_sustains_most_of_the_time() {
    // The nearer to 1000, the more probes fail: none at 800, half at 1000, all at 1200.
    let mut state = 1_u64;
    for _ in 0..200 {
        let (outcome, asked) = search(30.0, |_, ask| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (state >> 33) as f64 / f64::from(1_u32 << 31);
            if (ask.rate_per_s - 800.0) / 400.0 < draw { PASSED } else { UNLUCKY }
        });
        let rate = outcome.rate_per_s.unwrap();
        assert!(rate > 700.0 && rate < 1100.0, "{rate}");
        assert!(asked.len() < 100, "{}", asked.len());
    }
}

#[test]
fn a_search_that_has_ended_asks_for_nothing_more() {
    let mut search = Search::new(1.0, LENGTH, LEAST);
    while let Next::Ask(_) = search.next() {
        search.answer(FAILED);
    }
    let end = search.next();
    search.answer(PASSED);
    assert_eq!(search.next(), end);
    assert_eq!(search.confirmed(), 0);
}
