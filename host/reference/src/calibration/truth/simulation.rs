//! Simulations of a load: events in the order of their times, in whole nanoseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::calibration::injection::Injection;
use crate::calibration::samples::Samples;
use crate::calibration::timeline::{Timeline, nanos};

/// The most operations of a simulation: 32 MB of samples.
pub const MAX_OPERATIONS: u64 = 2_000_000;

/// Who asks, and whom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Client {
    /// What the server does.
    pub injection: Injection,
    /// The seed of its draws.
    pub seed: u64,
    /// Requests that may be in flight.
    pub workers: u32,
    /// What a request takes beside the server's hold: wire, kernel and client. It is added on the way back.
    pub floor: Duration,
}

/// A schedule: the `i`-th operation is due at `i / rate`, and is taken up by the first worker that is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenLoop {
    /// Who asks whom.
    pub client: Client,
    /// Operations a second; more than 0.
    pub rate_per_s: f64,
    /// Operations in all.
    pub operations: u64,
}

/// Every worker asks again as soon as it is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedLoop {
    /// Who asks whom.
    pub client: Client,
    /// No operation begins after it.
    pub length: Duration,
}

/// What a simulated client saw, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulated {
    /// From due to answered; in a closed loop, the service time.
    pub response: Samples,
    /// From sent to answered.
    pub service: Samples,
    /// When the last answer came, counted from the start.
    pub end: Duration,
}

impl OpenLoop {
    /// Runs the simulation, in a time that grows with the operations. At most [`MAX_OPERATIONS`] are simulated.
    #[must_use]
    pub fn simulate(&self) -> Simulated {
        let mut server = Server::new(&self.client);
        let due = |i: u64| Some((i as f64 * 1e9 / self.rate_per_s) as u64);
        server.run(self.operations, due)
    }
}

impl ClosedLoop {
    /// Runs the simulation. At most [`MAX_OPERATIONS`] are simulated, so that a server without service time ends too.
    #[must_use]
    pub fn simulate(&self) -> Simulated {
        let length = nanos(self.length);
        let mut server = Server::new(&self.client);
        server.length = length;
        server.run(u64::MAX, |_| None)
    }
}

/// Workers and the server behind them.
struct Server {
    timeline: Timeline,
    floor: u64,
    length: u64,
    /// When each worker is free again.
    free: BinaryHeap<Reverse<u64>>,
}

impl Server {
    fn new(client: &Client) -> Self {
        Self {
            timeline: Timeline::new(client.injection, client.seed),
            floor: nanos(client.floor),
            length: u64::MAX,
            free: (0..client.workers.max(1)).map(|_| Reverse(0)).collect(),
        }
    }

    /// Runs operations; `due` is none where an operation is due when a worker is free.
    fn run(&mut self, operations: u64, due: impl Fn(u64) -> Option<u64>) -> Simulated {
        let (mut response, mut service, mut end) = (Vec::new(), Vec::new(), 0);
        for i in 0..operations.min(MAX_OPERATIONS) {
            // The worker that is free first takes the operation that is due first; so operations are sent in order.
            let Some(Reverse(free)) = self.free.pop() else { break };
            let intended = due(i).unwrap_or(free);
            let sent = free.max(intended);
            if sent >= self.length {
                break;
            }
            let done = self.timeline.admit(sent).release.saturating_add(self.floor);
            response.push(done - intended);
            service.push(done - sent);
            end = end.max(done);
            self.free.push(Reverse(done));
        }
        Simulated { response: Samples::new(response), service: Samples::new(service), end: Duration::from_nanos(end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::distribution::Distribution;
    use crate::calibration::injection::Stall;

    const MS: u64 = 1_000_000;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn client(injection: Injection, workers: u32) -> Client {
        Client { injection, seed: 1, workers, floor: Duration::ZERO }
    }

    fn constant(service_ms: u64) -> Injection {
        Injection { service: Distribution::Constant(ms(service_ms)), ..Injection::default() }
    }

    fn stalled() -> Injection {
        Injection { stall: Some(Stall { every: ms(10_000), length: ms(1000) }), ..constant(1) }
    }

    #[test]
    fn a_stall_with_enough_workers_gives_every_arrival_in_it_the_rest_of_the_stall() {
        // 100 arrivals a second for 10 s: due at 0, 10, 20 … ms. The stall lasts from 5000 to 6000 ms, so those due at
        // 5000 + 10 k wait for 1000 - 10 k ms, k from 0 to 99, and the others for 1 ms; none is in service when it begins.
        let open = OpenLoop { client: client(stalled(), 1000), rate_per_s: 100.0, operations: 1000 };
        let seen = open.simulate();
        // Only the one that is due at 5990 ms and answered at 6000 waits for 10 ms.
        let truth: Vec<u64> = (0..900).map(|_| MS).chain((1..=100).map(|k| k * 10 * MS)).collect();
        assert_eq!(seen.response.as_slice(), truth);
        assert_eq!(seen.service, seen.response);
        let at = |q| seen.response.quantile(q).unwrap() / MS;
        assert_eq!([0.5, 0.9, 0.91, 0.99, 0.999, 1.0].map(at), [1, 1, 100, 900, 990, 1000]);
    }

    #[test]
    fn a_closed_loop_sees_a_stall_once_for_each_worker() {
        let closed = ClosedLoop { client: client(stalled(), 1), length: ms(10_000) };
        let seen = closed.simulate();
        // 4999 before the stall, 4000 after it, and one that is answered just when it begins, so at its end.
        let served = seen.service.as_slice();
        assert_eq!(served.iter().filter(|ns| **ns > MS).count(), 1);
        assert_eq!((served.len(), seen.service.quantile(0.999)), (9000, Some(MS)));
        assert_eq!(seen.service.quantile(1.0), Some(1001 * MS));
    }

    #[test]
    fn one_worker_queues_and_the_queue_is_response_time_only() {
        // Due every 10 ms, served in 15: the i-th is sent at 15 i and answered at 15 (i + 1), due at 10 i.
        let open = OpenLoop { client: client(constant(15), 1), rate_per_s: 100.0, operations: 100 };
        let seen = open.simulate();
        let truth: Vec<u64> = (0..100).map(|i| (15 + 5 * i) * MS).collect();
        assert_eq!(seen.response.as_slice(), truth);
        assert!(seen.service.as_slice().iter().all(|ns| *ns == 15 * MS));
        assert_eq!(seen.end, ms(1500));
    }

    #[test]
    fn two_workers_take_turns() {
        // Served in 15 ms, due every 10: two workers keep up.
        let open = OpenLoop { client: client(constant(15), 2), rate_per_s: 100.0, operations: 100 };
        assert!(open.simulate().response.as_slice().iter().all(|ns| *ns == 15 * MS));
    }

    #[test]
    fn a_rate_limit_makes_a_closed_loop_see_workers_over_rate() {
        let injection = Injection { rate_limit: Some(1000.0), ..Injection::default() };
        let seen = ClosedLoop { client: client(injection, 8), length: ms(1000) }.simulate();
        assert_eq!(seen.service.quantile(0.5), Some(8 * MS));
        assert_eq!(seen.service.quantile(1.0), Some(8 * MS));
        // Eight at once, and one at every answer from 0 to 999 ms.
        assert_eq!(seen.service.as_slice().len(), 1008);
    }

    #[test]
    fn a_rate_above_the_limit_makes_response_time_grow_without_end() {
        let injection = Injection { rate_limit: Some(100.0), ..Injection::default() };
        let open = OpenLoop { client: client(injection, 1), rate_per_s: 200.0, operations: 200 };
        // Answered at 10 i, due at 5 i.
        assert_eq!(open.simulate().response.quantile(1.0), Some(199 * 5 * MS));
    }

    #[test]
    fn the_floor_is_added_to_every_time() {
        let client = Client { floor: ms(2), ..client(constant(1), 1) };
        let seen = ClosedLoop { client, length: ms(30) }.simulate();
        assert_eq!(seen.service.as_slice(), [3 * MS; 10]);
    }

    #[test]
    fn draws_are_those_of_the_server_by_number() {
        let service = Distribution::Exponential { mean: ms(1) };
        let injection = Injection { service, ..Injection::default() };
        let open = OpenLoop { client: client(injection, 100), rate_per_s: 1000.0, operations: 500 };
        let drawn = (0..500).map(|n| nanos(service.draw(1, n))).collect();
        assert_eq!(open.simulate().service, Samples::new(drawn));
    }

    #[test]
    fn a_server_without_service_time_does_not_run_for_ever() {
        let closed = ClosedLoop { client: client(Injection::default(), 1), length: ms(1) };
        assert_eq!(closed.simulate().service.as_slice().len() as u64, MAX_OPERATIONS);
    }
}
