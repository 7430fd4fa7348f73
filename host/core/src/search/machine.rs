//! Which rate to try next: doubling, then halving the distance in log space, then confirmation. No clock, no load: answers go in, and
//! the next rate comes out.

use std::time::Duration;

use super::{Limit, Purpose};

/// The highest rate that passed and the lowest that failed are brought this near to each other.
const RESOLUTION: f64 = 1.02;
/// Windows in a row that a rate must hold for.
pub(super) const CONFIRMATIONS: u32 = 5;
/// A window of confirmation is this many times as long as a probe.
const CONFIRM_LENGTHS: u32 = 3;
/// What is left of a rate that was not confirmed.
const STEP_DOWN: f64 = 0.98;
/// Doublings after which the search gives up: sixteen million times the first rate.
const MAX_DOUBLINGS: u32 = 24;
/// Halvings after which nothing holds: a thousandth of the first rate.
const MAX_HALVINGS: u32 = 10;
/// Steps down after which no rate is confirmed: six tenths of what probes promised.
const MAX_STEPS_DOWN: u32 = 25;
/// No search has more probes.
#[cfg(test)]
pub(super) const MOST_PROBES: u32 = 2 * (MAX_DOUBLINGS + MAX_HALVINGS + 8) + (MAX_STEPS_DOWN + 1) * CONFIRMATIONS;

/// A window of load that the search wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ask {
    /// Operations per second.
    pub(crate) rate_per_s: f64,
    pub(crate) length: Duration,
    pub(crate) purpose: Purpose,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Answer {
    pub(crate) passed: bool,
    /// Whether a failure is so plain that it needs no second look.
    pub(crate) plain: bool,
    /// Why a failure was not the server's, if it was not.
    pub(crate) limit: Option<Limit>,
}

/// What is next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Next {
    Ask(Ask),
    Done(Outcome),
}

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    /// The confirmed rate, in operations per second; none when there is none.
    pub(crate) rate_per_s: Option<f64>,
    /// Why the rate is not the server's ceiling, if it is not.
    pub(crate) limit: Option<Limit>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// No rate is known yet on one of the two sides.
    Spread {
        rate_per_s: f64,
        moves: u32,
    },
    Bisect {
        rate_per_s: f64,
    },
    Confirm {
        rate_per_s: f64,
        held: u32,
        steps_down: u32,
    },
    Done(Outcome),
}

/// A search as it goes.
#[derive(Debug)]
pub(crate) struct Search {
    /// Of a probe.
    length: Duration,
    /// Nothing can be told of rates below this one.
    least_per_s: f64,
    state: State,
    /// The highest rate that passed.
    passed: Option<f64>,
    /// The lowest rate that failed, and why if that was not the server's doing.
    failed: Option<(f64, Option<Limit>)>,
    /// Whether the present rate has failed once already.
    doubted: bool,
}

impl Search {
    /// A search that begins at a rate, with probes of this length, and does not go below the rate that they can tell anything of.
    pub(crate) fn new(start_per_s: f64, length: Duration, least_per_s: f64) -> Self {
        let state = State::Spread { rate_per_s: start_per_s, moves: 0 };
        Self { length, least_per_s, state, passed: None, failed: None, doubted: false }
    }

    /// What the search wants next; the same until it is answered.
    pub(crate) fn next(&self) -> Next {
        let (rate_per_s, length, purpose) = match self.state {
            State::Spread { rate_per_s, .. } => (rate_per_s, self.length, Purpose::Double),
            State::Bisect { rate_per_s } => (rate_per_s, self.length, Purpose::Bisect),
            State::Confirm { rate_per_s, .. } => {
                (rate_per_s, self.length.saturating_mul(CONFIRM_LENGTHS), Purpose::Confirm)
            }
            State::Done(outcome) => return Next::Done(outcome),
        };
        Next::Ask(Ask { rate_per_s, length, purpose })
    }

    /// Windows that have confirmed the present rate.
    pub(crate) fn confirmed(&self) -> u32 {
        match self.state {
            State::Confirm { held, .. } => held,
            State::Done(Outcome { rate_per_s: Some(_), .. }) => CONFIRMATIONS,
            _ => 0,
        }
    }

    /// Takes in what became of the window that was [asked](Self::next) for.
    pub(crate) fn answer(&mut self, answer: Answer) {
        // One unlucky probe must not set a ceiling far below the server's, which all confirmations would pass then. Confirmation has its
        // own way with bad luck: it steps down by little.
        let second_look = !matches!(self.state, State::Confirm { .. }) && !answer.passed && !answer.plain;
        if second_look && !self.doubted {
            self.doubted = true;
            return;
        }
        self.doubted = false;
        self.state = match self.state {
            State::Spread { rate_per_s, moves } => {
                self.note(rate_per_s, answer);
                self.spread(rate_per_s, moves)
            }
            State::Bisect { rate_per_s } => {
                self.note(rate_per_s, answer);
                self.narrow()
            }
            State::Confirm { rate_per_s, held, steps_down } => {
                if answer.passed {
                    self.confirm(rate_per_s, held + 1, steps_down)
                } else {
                    self.note(rate_per_s, answer);
                    if steps_down == MAX_STEPS_DOWN {
                        self.done(None)
                    } else {
                        self.confirm(rate_per_s * STEP_DOWN, 0, steps_down + 1)
                    }
                }
            }
            done @ State::Done(_) => done,
        };
    }

    fn note(&mut self, rate_per_s: f64, answer: Answer) {
        if answer.passed {
            self.passed = Some(rate_per_s);
        } else {
            self.failed = Some((rate_per_s, answer.limit));
        }
    }

    fn spread(&self, rate_per_s: f64, moves: u32) -> State {
        match (self.passed, self.failed) {
            (Some(_), Some(_)) => self.narrow(),
            (Some(_), None) if moves < MAX_DOUBLINGS => {
                State::Spread { rate_per_s: rate_per_s * 2.0, moves: moves + 1 }
            }
            (None, _) if moves < MAX_HALVINGS && rate_per_s / 2.0 >= self.least_per_s => {
                State::Spread { rate_per_s: rate_per_s / 2.0, moves: moves + 1 }
            }
            (Some(rate_per_s), None) => self.confirm(rate_per_s, 0, 0),
            (None, _) => self.done(None),
        }
    }

    /// The middle in log space, until the two sides are near enough.
    fn narrow(&self) -> State {
        match (self.passed, self.failed) {
            (Some(low), Some((high, _))) if high > low * RESOLUTION => {
                State::Bisect { rate_per_s: (low * high).sqrt() }
            }
            (Some(low), _) => self.confirm(low, 0, 0),
            (None, _) => self.done(None),
        }
    }

    fn confirm(&self, rate_per_s: f64, held: u32, steps_down: u32) -> State {
        if held == CONFIRMATIONS {
            self.done(Some(rate_per_s))
        } else {
            State::Confirm { rate_per_s, held, steps_down }
        }
    }

    fn done(&self, rate_per_s: Option<f64>) -> State {
        let limit = self.failed.map_or(Some(Limit::Doublings), |(_, limit)| limit);
        State::Done(Outcome { rate_per_s, limit })
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
