//! How long answers are held. Only lower bounds: a busy machine may hold anything longer.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Client, holding, injecting, server};
use benchhost_reference::{Distribution, Injection, InjectionError, Server, ServerOptions, Stall, StartError, Truth};

const MS: Duration = Duration::from_millis(1);

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes one row and says how long that took.
fn timed(client: &mut Client) -> Duration {
    let began = Instant::now();
    assert_eq!(client.write("cpu v=1 5").status, 204);
    began.elapsed()
}

#[test]
fn a_write_is_held_as_long_as_was_injected_and_nothing_else_is() {
    let server = holding(Distribution::Constant(5 * MS));
    let mut client = Client::new(&server);
    for _ in 0..5 {
        assert!(timed(&mut client) >= 5 * MS);
    }
    client.ask("GET", "/ping", "");
    client.count(0, 10);
    let truth = server.truth();
    assert_eq!((truth.writes, truth.not_kept), (5, 0));
    assert!(truth.held.p50_ns >= Some(5_000_000));
    assert_eq!((truth.nominal.p50_ns, truth.nominal.max_ns), (Some(5_000_000), Some(5_000_000)));
}

#[test]
fn what_is_refused_is_held_too() {
    let server = holding(Distribution::Constant(5 * MS));
    let began = Instant::now();
    assert_eq!(Client::new(&server).ask("POST", "/write?db=none", "cpu v=1 5").status, 404);
    assert!(began.elapsed() >= 5 * MS);
    assert_eq!(server.truth().writes, 1);
}

#[test]
fn the_draws_of_a_seed_are_known_by_number_and_each_is_a_lower_bound() {
    let service = Distribution::Exponential { mean: MS };
    let server = server(ServerOptions {
        injection: Injection { service, ..Injection::default() },
        seed: 9,
        ..ServerOptions::default()
    });
    let mut client = Client::new(&server);
    let drawn: Vec<Duration> = (0..20).map(|n| service.draw(9, n)).collect();
    for (number, draw) in drawn.iter().enumerate() {
        let held = timed(&mut client);
        assert!(held >= *draw, "{number}: {held:?} is less than {draw:?}");
    }
    let truth = server.truth();
    assert_eq!(truth.nominal.max_ns, drawn.iter().max().map(|draw| ns(*draw)));
    assert!(truth.held.max_ns >= truth.nominal.max_ns);
}

#[test]
fn requests_on_many_connections_are_held_at_the_same_time() {
    let server = holding(Distribution::Constant(50 * MS));
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert!(timed(&mut Client::new(&server)) >= 50 * MS));
        }
    });
    assert_eq!(server.truth().writes, 16);
}

#[test]
fn a_stall_holds_whatever_arrives_in_it_until_its_end() {
    // From 200 to 400 ms after the first write, which is read between these two moments.
    let stall = Stall { every: 400 * MS, length: 200 * MS };
    let server = injecting(Injection { stall: Some(stall), ..Injection::default() });
    let mut client = Client::new(&server);
    let before = Instant::now();
    timed(&mut client);
    let after = Instant::now();
    thread::sleep((200 * MS).saturating_sub(after.elapsed()));
    // The stall has begun for certain: the next answer comes when it has ended.
    timed(&mut client);
    assert!(before.elapsed() >= 400 * MS);
}

#[test]
fn a_request_in_service_when_a_stall_begins_waits_for_its_end() {
    // The stall begins 500 ms after the first write, which would be answered after 600.
    let stall = Stall { every: 1000 * MS, length: 300 * MS };
    let service = Distribution::Constant(600 * MS);
    let server = injecting(Injection { service, stall: Some(stall), rate_limit: None });
    assert!(timed(&mut Client::new(&server)) >= 800 * MS);
    let truth = server.truth();
    assert_eq!(truth.nominal.max_ns, Some(600_000_000));
    assert!(truth.held.max_ns >= Some(800_000_000));
}

#[test]
fn a_rate_limit_spaces_all_answers_of_all_connections() {
    let server = injecting(Injection { rate_limit: Some(200.0), ..Injection::default() });
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::new(&server);
                for _ in 0..5 {
                    timed(&mut client);
                }
            });
        }
    });
    // The first of 20 is not held, and 19 gaps of 5 ms follow.
    assert!(began.elapsed() >= 95 * MS);
    assert_eq!(server.truth().writes, 20);
}

#[test]
fn the_truth_is_read_and_reset_over_http() {
    let server = holding(Distribution::Constant(MS));
    let mut client = Client::new(&server);
    timed(&mut client);
    let truth: Truth = serde_json::from_str(&client.ask("GET", "/truth", "").body).unwrap();
    assert_eq!(truth, server.truth());
    assert_eq!(truth.writes, 1);
    assert_eq!(client.ask("POST", "/truth/reset", "").status, 204);
    assert_eq!(server.truth(), Truth::default());
    timed(&mut client);
    server.reset();
    assert_eq!(server.truth().writes, 0);
}

#[test]
fn a_server_ends_while_it_holds() {
    let server = holding(Distribution::Constant(Duration::from_secs(60)));
    let mut client = Client::new(&server);
    let asked = thread::spawn(move || client.write("cpu v=1 5"));
    // Once the write has arrived it is the only thing to wait for.
    thread::sleep(20 * MS);
    server.stop();
    // It was let go or cut off: the connection is over either way.
    let _ = asked.join();
}

#[test]
fn a_server_that_cannot_be_is_not_started() {
    let injection = Injection { rate_limit: Some(0.0), ..Injection::default() };
    let error = Server::start(ServerOptions { injection, ..ServerOptions::default() }).unwrap_err();
    assert!(matches!(error, StartError::Injection(InjectionError { .. })));
    assert!(error.to_string().contains("the rate limit must be from 0.1 to"), "{error}");
}

#[test]
fn a_server_that_spins_holds_as_long_and_ends_as_any_other() {
    let injection = Injection { service: Distribution::Constant(6 * MS), ..Injection::default() };
    let server = server(ServerOptions { injection, spin: true, ..ServerOptions::default() });
    let mut client = Client::new(&server);
    for _ in 0..3 {
        assert!(timed(&mut client) >= 6 * MS);
        assert_eq!(client.ask("GET", "/ping", "").status, 204);
    }
    assert!(server.truth().held.p50_ns >= Some(6_000_000));
    // Its thread waits awake for the next request, and sees the end all the same.
    server.stop();
    assert!(client.closed());
}
