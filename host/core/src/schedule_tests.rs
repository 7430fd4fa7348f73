//! Schedules are arithmetic, whoever has which part of them.

use super::*;

fn seconds(length: u64, from_per_s: f64, to_per_s: f64) -> Stage {
    Stage { length: Duration::from_secs(length), from_per_s, to_per_s }
}

/// Workers dealt to threads in turn.
fn share(thread: u32, workers: u32, threads: u32) -> Share {
    Share::new(thread, workers, (0..workers).filter(|worker| worker % threads == thread).collect())
}

#[test]
fn a_thread_has_as_many_arrivals_as_its_part_of_the_workers() {
    let profile = Profile::new(vec![seconds(100, 90.0, 90.0)]);
    let count = |arrival, thread| Arrivals::new(profile.clone(), arrival, 1, share(thread, 3, 2)).count();
    assert_eq!([0, 1].map(|thread| count(Arrival::Uniform, thread)), [6000, 3000]);
    let [two, one] = [0, 1].map(|thread| count(Arrival::Poisson, thread) as f64);
    // Five standard deviations.
    assert!((two - 6000.0).abs() < 5.0 * 78.0 && (one - 3000.0).abs() < 5.0 * 55.0, "{two} {one}");
    for arrival in [Arrival::Uniform, Arrival::Poisson] {
        assert_eq!(Arrivals::new(profile.clone(), arrival, 1, Share::new(1, 3, Vec::new())).count(), 0);
    }
}

#[test]
fn a_constant_rate_is_due_at_i_over_rate_whatever_the_number_of_threads() {
    let profile = Profile::new(vec![seconds(10, 1000.0, 1000.0)]);
    for threads in [1, 2, 3, 5] {
        let mut all: Vec<_> = (0..threads)
            .flat_map(|thread| Arrivals::new(profile.clone(), Arrival::Uniform, 0, share(thread, 5, threads)))
            .collect();
        all.sort_unstable();
        assert_eq!(all.len(), 10_000);
        for (i, due) in all.iter().enumerate() {
            let truth = i as f64 / 1000.0;
            assert!((due.as_secs_f64() - truth).abs() < 1e-8, "{i}: {due:?}");
        }
    }
}

#[test]
fn a_ramp_offers_the_area_under_its_line() {
    let profile = Profile::new(vec![seconds(10, 0.0, 100.0), seconds(10, 100.0, 100.0), seconds(5, 100.0, 0.0)]);
    assert!((profile.operations() - 1750.0).abs() < 1e-9);
    let due: Vec<_> = Arrivals::new(profile.clone(), Arrival::Uniform, 0, share(0, 1, 1)).collect();
    assert_eq!(due.len(), 1750);
    assert!(due.is_sorted());
    for n in [0.0, 1.0, 333.0, 777.5, 1749.0] {
        assert!((profile.operations_by(profile.due(n).unwrap()) - n).abs() < 1e-4, "{n}");
    }
    // Half of the first ramp's operations are due after 1/√2 of its time.
    assert!((due[250].as_secs_f64() - 10.0 / 2_f64.sqrt()).abs() < 1e-6);
    assert!((due[500].as_secs_f64() - 10.0).abs() < 1e-6);
    assert!(due[1749] < profile.length());
}

#[test]
fn poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process_and_are_repeatable() {
    let profile = Profile::new(vec![seconds(200, 500.0, 500.0)]);
    let draw = |seed| -> Vec<Duration> {
        let mut all: Vec<_> =
            (0..4).flat_map(|t| Arrivals::new(profile.clone(), Arrival::Poisson, seed, share(t, 9, 4))).collect();
        all.sort_unstable();
        all
    };
    let all = draw(7);
    assert_eq!(all, draw(7));
    assert_ne!(all, draw(8));
    // 100,000 expected, standard deviation 316.
    assert!((all.len() as f64 - 100_000.0).abs() < 5.0 * 316.0, "{}", all.len());
    let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    // The gaps of a Poisson process have a coefficient of variation of 1.
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "{}", variance.sqrt() / mean);
}

#[test]
fn a_profile_that_has_ended_has_nothing_due() {
    let profile = Profile::new(vec![seconds(1, 10.0, 10.0)]);
    assert_eq!(profile.due(10.0), None);
    assert_eq!(Profile::new(Vec::new()).due(0.0), None);
    assert_eq!(profile.due(0.0), Some(Duration::ZERO));
}
