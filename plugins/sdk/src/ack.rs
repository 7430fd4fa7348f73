//! Makers of [`Ack`].

use crate::Ack;

impl Ack {
    /// The server took all of it, and its protocol names neither rows nor time.
    #[must_use]
    pub const fn silent() -> Self {
        Self { pending: false, rows: None, server_time_ns: None }
    }

    /// The server says that it stored `rows` rows.
    #[must_use]
    pub const fn of_rows(rows: u64) -> Self {
        Self { pending: false, rows: Some(rows), server_time_ns: None }
    }

    /// The rows were handed over and nothing has been said of them: [`Target::finish`](crate::Target::finish) will tell.
    #[must_use]
    pub const fn handed_over() -> Self {
        Self { pending: true, rows: None, server_time_ns: None }
    }
}
