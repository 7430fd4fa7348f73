//! The load loop allocates nothing per operation, with everything recorded: what the client costs is then the plugin and the encoder, and
//! no allocator's lock couples the threads that load the server.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::System;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use benchhost_core::{
    Ack, Arrival, CallError, Effort, Facts, Generator, Generators, NoObserver, Offered, Plan, PlanSpec, Profile,
    RunEnv, RunResult, Stage, StopToken, Target, Targets, run,
};
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Payload, Semantic, Table, TimeUnit};
use stats_alloc::{INSTRUMENTED_SYSTEM, Stats, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Operations of a run.
const OPERATIONS: u64 = 11_000;
/// After so many operations of its own, a worker and what it shares with others of its thread have all the memory that they need.
const WARM: u64 = 100;
/// The last operation that is looked at; the end of a run allocates again.
const LAST: u64 = 10_000;
/// Operations that are looked at in any case.
const FEWEST: u64 = 3_000;

/// A server that takes everything at once.
struct Instant {
    sent: AtomicU64,
    /// What the process had allocated when every thread was warm, and after the [last](LAST) operation, each with the number of
    /// operations by then.
    seen: Mutex<[Option<(u64, Stats)>; 2]>,
    /// Where the first worker of each thread waits for those of the other threads.
    warm: Barrier,
    threads: u32,
    how: How,
}

/// How a server answers.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Without giving another worker of the thread its turn.
    AtOnce,
    /// After the others have had theirs, as with a real server.
    InTurn,
    /// At once, with one allocation for each operation.
    Wastefully,
}

impl Instant {
    fn see(&self, moment: usize) {
        let stats = ALLOCATOR.stats();
        self.seen.lock().unwrap()[moment] = Some((self.sent.load(Ordering::SeqCst), stats));
    }
}

struct Session<'a> {
    server: &'a Instant,
    /// Operations until it is warm; none when it does not wait for the others.
    until_warm: Option<u64>,
    effort: Effort,
}

impl<'a> Targets for &'a Instant {
    type Session = Session<'a>;

    async fn open(&self, worker: u32) -> Result<Session<'a>, CallError> {
        // Workers are dealt to the threads in turn: the first ones are on a thread each.
        let until_warm = (worker < self.threads).then_some(WARM);
        Ok(Session { server: self, until_warm, effort: Effort::default() })
    }
}

impl Target for Session<'_> {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        Ok(Vec::new())
    }

    async fn create_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn drop_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn count_rows(&mut self, _: &Table, _: i64, _: i64) -> Result<u64, CallError> {
        Ok(0)
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        self.effort.encode += Duration::from_nanos(100);
        Ok(Payload::new(&b"bytes that live for ever"[..], batch.rows()))
    }

    async fn send(&mut self, payload: &Payload) -> Result<Ack, CallError> {
        match self.server.how {
            How::AtOnce => {}
            How::InTurn => {
                tokio::task::yield_now().await;
                self.effort.wait += Duration::from_micros(1);
            }
            How::Wastefully => drop(std::hint::black_box(Box::new(payload.rows()))),
        }
        self.effort.sent_bytes += payload.size();
        let number = self.server.sent.fetch_add(1, Ordering::SeqCst) + 1;
        self.until_warm = self.until_warm.and_then(|left| left.checked_sub(1));
        if self.until_warm == Some(0) {
            // All threads stand still while one of them looks.
            if self.server.warm.wait().is_leader() {
                self.server.see(0);
            }
            self.server.warm.wait();
        }
        if number == LAST {
            self.server.see(1);
        }
        Ok(Ack::default())
    }

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        Ok(None)
    }

    fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    async fn close(&mut self) {}
}

/// Rows of one field, a millisecond apart.
struct Rows(Facts);

impl Rows {
    fn new() -> Self {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let columns = vec![
            column("value", Semantic::Field, DataType::Float64),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
        ];
        let tables = vec![Arc::new(Table::new("numbers", columns).unwrap())];
        Self(Facts { tables, rows: None, series: 1, seekable: true })
    }
}

impl Generators for Rows {
    type Session = Self;

    async fn open(&self) -> Result<Self, CallError> {
        Ok(Self(self.0.clone()))
    }
}

impl Generator for Rows {
    fn facts(&self) -> &Facts {
        &self.0
    }

    async fn fill(&mut self, table: usize, first_row: u64, rows: u32) -> Result<Batch, CallError> {
        let range = first_row..first_row + u64::from(rows);
        let mut builder = BatchBuilder::new(Arc::clone(&self.0.tables[table]), first_row, rows);
        builder.append_float64s(0, range.clone().map(|row| row as f64).collect()).unwrap();
        builder.append_timestamps(range.map(|row| 1_700_000_000_000 + row as i64).collect()).unwrap();
        Ok(builder.finish().unwrap())
    }
}

/// As many operations of one row as the test looks at, made ahead of the clock. No interval ends while they run.
fn plan(offered: Offered, workers: u32, threads: u32) -> Plan {
    Plan::new(PlanSpec {
        rows: Some(OPERATIONS),
        offered,
        workers: vec![workers],
        threads,
        max_queue: OPERATIONS,
        interval: Duration::from_secs(3600),
        ..PlanSpec::default()
    })
    .unwrap()
}

/// Runs a plan. Gives its result, and how many operations were looked at and what the whole process allocated meanwhile.
fn allocated(plan: &Plan, how: How) -> (RunResult, u64, Stats) {
    let warm = Barrier::new(plan.threads as usize);
    let server = Instant { sent: AtomicU64::new(0), seen: Mutex::default(), warm, threads: plan.threads, how };
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    let result = run(plan, &&server, &Rows::new(), env).unwrap();
    let [(from, first), (to, last)] = server.seen.into_inner().unwrap().map(Option::unwrap);
    (result, to.saturating_sub(from), last - first)
}

fn expect_none(name: &str, plan: &Plan, how: How) -> RunResult {
    let (result, operations, stats) = allocated(plan, how);
    assert_eq!(result.operations.ok, OPERATIONS, "{name}");
    assert_eq!(result.steps[0].recording.service.count(), OPERATIONS, "{name}");
    assert!(operations >= FEWEST, "{name}: {operations} operations were looked at");
    let changes = [stats.allocations, stats.reallocations, stats.deallocations];
    assert_eq!(changes, [0; 3], "{name}: allocations, reallocations and deallocations of {operations} operations");
    result
}

/// A rate that lasts for half a second, whatever the machine.
fn open(arrival: Arrival) -> Offered {
    let profile = Profile::new(vec![Stage::constant(Duration::from_secs(1), 2.0 * OPERATIONS as f64)]);
    Offered::Open { profile, arrival }
}

/// One test, because the counters are of the whole process: tests beside it would be counted too.
#[test]
fn thousands_of_operations_allocate_nothing_in_a_closed_and_in_an_open_loop() {
    // What is to be found is found.
    let (_, operations, wasted) = allocated(&plan(Offered::Closed, 1, 1), How::Wastefully);
    assert_eq!((wasted.allocations as u64, wasted.deallocations as u64), (operations, operations));

    for (workers, threads, how, turns) in [
        (1, 1, How::AtOnce, "at once"),
        (64, 1, How::InTurn, "in turn"),
        (8, 2, How::AtOnce, "at once"),
        (8, 2, How::InTurn, "in turn"),
    ] {
        let name = format!("{workers} workers on {threads} threads, {turns}");
        expect_none(&format!("closed loop, {name}"), &plan(Offered::Closed, workers, threads), how);
        for arrival in [Arrival::Uniform, Arrival::Poisson] {
            let name = format!("{arrival:?} arrivals, {name}");
            let result = expect_none(&name, &plan(open(arrival), workers, threads), how);
            let recording = &result.steps[0].recording;
            assert_eq!((recording.lag.count(), recording.response.count()), (OPERATIONS, OPERATIONS), "{name}");
        }
    }
}
