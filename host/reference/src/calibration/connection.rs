//! One connection: a thread that reads a request, does what it asks for, holds the answer as long as it must, and sends it.

use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::calibration::hold;
use crate::calibration::http::{Answer, ReadError, Request, Requests};
use crate::calibration::influx::{Influx, Route};
use crate::calibration::record::{Record, Truth};
use crate::calibration::server::lock;
use crate::calibration::timeline::{Timeline, nanos};
use crate::calibration::wire::Wire;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) influx: Influx,
    pub(crate) gate: Mutex<Gate>,
    pub(crate) record: Mutex<Record>,
    /// Whether a connection with writes stays awake.
    pub(crate) spins: bool,
    /// Whether the server has ended.
    pub(crate) ended: AtomicBool,
}

impl Shared {
    /// What the server did since the last reset.
    pub(crate) fn truth(&self) -> Truth {
        // Summed up without the lock: it takes seconds of sorting, and nobody must wait for it.
        let copied = lock(&self.record).copy();
        copied.truth()
    }
}

/// The timeline on the machine's clock. It begins with the first write.
pub(crate) struct Gate {
    timeline: Timeline,
    origin: Option<Instant>,
}

impl Gate {
    pub(crate) fn new(timeline: Timeline) -> Self {
        Self { timeline, origin: None }
    }

    /// Takes on a write that was read at `read_at`. Gives its drawn service time, and when it may be answered.
    fn admit(&mut self, read_at: Instant) -> (u64, Instant) {
        let origin = *self.origin.get_or_insert(read_at);
        let admission = self.timeline.admit(nanos(read_at.saturating_duration_since(origin)));
        (admission.nominal, origin + Duration::from_nanos(admission.release))
    }
}

/// Serves a connection until the client goes, asks for its end, or sends what cannot be read.
pub(crate) fn serve(stream: &TcpStream, shared: &Shared) {
    hold::sharpen_timers();
    // Answers are written at once; without the option the kernel may wait for more.
    let _ = stream.set_nodelay(true);
    let mut requests = Requests::new(Wire::new(stream));
    loop {
        let request = match requests.next() {
            Ok(request) => request,
            Err(ReadError::Gone) => return,
            Err(ReadError::Refused(answer)) => {
                let _ = requests.answer(&answer.bytes(true));
                return;
            }
        };
        let sent = if Route::of(&request) == Route::Write {
            write(&mut requests, &request, shared)
        } else {
            let answer = answer(&request, requests.body(&request), shared);
            requests.answer(&answer.bytes(request.close))
        };
        if sent.is_err() || request.close {
            return;
        }
        requests.done(&request);
    }
}

/// Does a write, and holds its answer.
fn write(requests: &mut Requests<Wire<'_>>, request: &Request, shared: &Shared) -> std::io::Result<()> {
    let (nominal, release) = lock(&shared.gate).admit(request.read_at);
    let answer = shared.influx.write(request, requests.body(request));
    let bytes = answer.bytes(request.close);
    hold::until(release, request.read_at, shared.spins, &shared.ended);
    // Recorded before it is sent: a client that has the answer finds it in the truth.
    lock(&shared.record).add(nanos(request.read_at.elapsed()), nominal);
    requests.answer(&bytes)?;
    if shared.spins {
        requests.stream().stay_awake();
    }
    Ok(())
}

/// Everything but a write.
fn answer(request: &Request, body: &[u8], shared: &Shared) -> Answer {
    match Route::of(request) {
        Route::Truth => Answer::json(200, &shared.truth()),
        Route::Reset => {
            lock(&shared.record).reset();
            Answer::no_content()
        }
        Route::Ping => Answer::no_content(),
        Route::Query => shared.influx.query(request),
        // It was taken care of where the time is held.
        Route::Write => shared.influx.write(request, body),
        Route::Method(allowed) => {
            Answer::error(405, format!("{} is not a method of {}: use {allowed}", request.method, request.path))
        }
        Route::Unknown => Answer::error(
            404,
            format!("no such path: {}; there are /ping, /write, /query, /truth and /truth/reset", request.path),
        ),
    }
}
