//! What a target plugin is: one trait.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Ack, Batch, Error, Payload, Result, Table};

/// A database that can be written to. A value of it is one session of one worker;
/// [`export_target!`](crate::export_target) makes a plugin of the type. Which error kind fits what is said at
/// [`ErrorKind`](crate::ErrorKind).
pub trait Target: Sized + 'static {
    /// What a user can set. Its documentation becomes the help text.
    type Settings: DeserializeOwned + JsonSchema;
    /// The name that a user types; lower case.
    const NAME: &'static str;
    /// What it is, in one line.
    const SUMMARY: &'static str;

    /// A session for worker number `worker`, from 0, or the control session, which creates, counts and drops, for none. It should reach the server only if a later call depends on it.
    ///
    /// # Errors
    ///
    /// `invalid` for settings that contradict each other, and whatever the connection says.
    fn open(settings: Self::Settings, worker: Option<u32>) -> Result<Self>;

    /// Facts for the report, name to value: product, version, and whatever changes a result.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    fn server(&mut self) -> Result<Vec<(String, String)>>;

    /// Makes the table, and the database where the server can, ready for writing. It is no error that they exist.
    ///
    /// # Errors
    ///
    /// What the server or the connection says; `unsupported` for a column that it has no type for.
    fn create_table(&mut self, table: &Table) -> Result<()>;

    /// Removes the table with its rows. It is no error that there is none.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    fn drop_table(&mut self, table: &Table) -> Result<()>;

    /// Rows whose time is from `start_ns` (inclusive) to `end_ns` (exclusive), in nanoseconds since the Unix epoch, as
    /// a reader would count them now; 0 where there is no such table. The host asks again until what was acknowledged
    /// is visible, so do not wait.
    ///
    /// # Errors
    ///
    /// `unsupported` where the server cannot be asked; what the server or the connection says.
    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64>;

    /// The batch in the server's own format. It must not depend on anything that another session did: the host may
    /// encode in one session and send in another.
    ///
    /// # Errors
    ///
    /// `unsupported` and `invalid` for data that the format cannot say.
    fn encode(&mut self, batch: &Batch) -> Result<Payload>;

    /// Sends one payload and waits for its acknowledgement.
    ///
    /// # Errors
    ///
    /// What the server or the connection says. Retryable ones lead to another call with the same payload.
    fn send(&mut self, payload: &Payload) -> Result<Ack>;

    /// Waits for the acknowledgement of all that [`Target::send`] has handed over as pending since the last call. Gives the rows that the server
    /// says it stored of them; none where it is silent. Only a plugin made by
    /// [`export_streaming_target!`](crate::export_streaming_target) is asked.
    ///
    /// # Errors
    ///
    /// What the server or the connection says; by default `unsupported`.
    fn finish(&mut self) -> Result<Option<u64>> {
        Err(Error::new(crate::ErrorKind::Unsupported, "this target acknowledges every write by itself"))
    }

    /// The end of the session. By default nothing is left to do.
    fn close(&mut self) {}
}

/// What [`Target::server`] answers, of pairs that are easier to write.
pub fn server_facts<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> Vec<(String, String)> {
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
