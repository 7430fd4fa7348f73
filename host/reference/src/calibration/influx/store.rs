//! What is stored: for each database and measurement, the times of its rows.

use std::collections::HashMap;
use std::sync::Mutex;

use thiserror::Error;

use super::runs::Runs;
use crate::calibration::server::lock;

/// Databases, and measurements of all of them together.
const MAX_NAMES: usize = 1_000;
/// Bytes of a name.
const MAX_NAME: usize = 256;
/// Entries of times, over all measurements.
const MAX_ENTRIES: usize = 1_000_000;

/// Why rows are not stored, in InfluxDB's words where it has them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum StoreError {
    #[error("database not found: \"{0}\"")]
    NoDatabase(String),
    #[error(
        "the store is full: it keeps {MAX_ENTRIES} stretches of evenly spaced times; write larger batches or fewer rows"
    )]
    Full,
    #[error("there are {MAX_NAMES} names already, and no more are kept")]
    Names,
    #[error("a name has more than {MAX_NAME} bytes")]
    LongName,
}

/// Rows of a request, before they are stored.
#[derive(Debug, Default)]
pub(super) struct Rows(HashMap<String, Runs>);

impl Rows {
    /// Adds a row; an error says why its measurement cannot be kept.
    pub(super) fn add(&mut self, measurement: &str, time: i64) -> Result<(), &'static str> {
        if let Some(runs) = self.0.get_mut(measurement) {
            runs.push(time);
            return Ok(());
        }
        if measurement.len() > MAX_NAME {
            return Err("the measurement's name is too long");
        }
        if self.0.len() >= MAX_NAMES {
            return Err("too many measurements in one request");
        }
        self.0.entry(measurement.to_owned()).or_default().push(time);
        Ok(())
    }

    /// Rows of all measurements.
    pub(super) fn count(&self) -> u64 {
        self.0.values().map(Runs::rows).sum()
    }
}

/// The store.
#[derive(Debug, Default)]
pub(super) struct Store {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    databases: HashMap<String, HashMap<String, Runs>>,
}

impl Inner {
    fn names(&self) -> usize {
        self.databases.values().map(|measurements| 1 + measurements.len()).sum()
    }

    fn entries(&self) -> usize {
        self.databases.values().flat_map(HashMap::values).map(Runs::entries).sum()
    }
}

impl Store {
    /// Makes a database; that it exists is no error.
    pub(super) fn create(&self, database: &str) -> Result<(), StoreError> {
        let mut inner = lock(&self.inner);
        if database.len() > MAX_NAME {
            return Err(StoreError::LongName);
        }
        if !inner.databases.contains_key(database) {
            if inner.names() >= MAX_NAMES {
                return Err(StoreError::Names);
            }
            inner.databases.insert(database.to_owned(), HashMap::new());
        }
        Ok(())
    }

    /// Whether there is such a database.
    pub(super) fn knows(&self, database: &str) -> Result<(), StoreError> {
        if lock(&self.inner).databases.contains_key(database) { Ok(()) } else { Err(no_database(database)) }
    }

    /// Stores all rows or, when there is no room, none.
    pub(super) fn add(&self, database: &str, rows: &Rows) -> Result<(), StoreError> {
        let mut inner = lock(&self.inner);
        let known = inner.databases.get(database).ok_or_else(|| no_database(database))?;
        let new = rows.0.keys().filter(|name| !known.contains_key(*name)).count();
        let entries: usize = rows.0.values().map(Runs::entries).sum();
        if new > 0 && inner.names() + new > MAX_NAMES {
            return Err(StoreError::Names);
        }
        if inner.entries() + entries > MAX_ENTRIES {
            return Err(StoreError::Full);
        }
        let Some(measurements) = inner.databases.get_mut(database) else { return Err(no_database(database)) };
        for (name, runs) in &rows.0 {
            match measurements.get_mut(name) {
                Some(stored) => stored.append(runs),
                None => drop(measurements.insert(name.clone(), runs.clone())),
            }
        }
        Ok(())
    }

    /// Forgets a measurement; false when there was none.
    pub(super) fn drop_measurement(&self, database: &str, measurement: &str) -> Result<bool, StoreError> {
        let mut inner = lock(&self.inner);
        let measurements = inner.databases.get_mut(database).ok_or_else(|| no_database(database))?;
        Ok(measurements.remove(measurement).is_some())
    }

    /// Rows of a measurement from `start` to before `end`, in nanoseconds; 0 when there is no such measurement.
    pub(super) fn count(&self, database: &str, measurement: &str, start: i64, end: i64) -> Result<u64, StoreError> {
        let inner = lock(&self.inner);
        let measurements = inner.databases.get(database).ok_or_else(|| no_database(database))?;
        Ok(measurements.get(measurement).map_or(0, |runs| runs.count(start, end)))
    }
}

fn no_database(name: &str) -> StoreError {
    StoreError::NoDatabase(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(measurement: &str, times: &[i64]) -> Rows {
        let mut rows = Rows::default();
        times.iter().for_each(|time| rows.add(measurement, *time).unwrap());
        rows
    }

    #[test]
    fn databases_are_apart_and_must_be_made() {
        let store = Store::default();
        assert_eq!(store.add("a", &rows("m", &[1])), Err(no_database("a")));
        store.create("a").unwrap();
        store.create("b").unwrap();
        store.add("a", &rows("m", &[1, 2])).unwrap();
        store.create("a").unwrap();
        assert_eq!(store.count("a", "m", 0, 2), Ok(1));
        assert_eq!((store.count("b", "m", 0, 2), store.count("c", "m", 0, 2)), (Ok(0), Err(no_database("c"))));
        assert_eq!((store.drop_measurement("a", "m"), store.drop_measurement("a", "m")), (Ok(true), Ok(false)));
        assert_eq!(store.count("a", "m", 0, 2), Ok(0));
        assert_eq!((store.knows("a"), store.knows("c")), (Ok(()), Err(no_database("c"))));
    }

    #[test]
    fn what_does_not_fit_is_refused_whole() {
        let store = Store::default();
        store.create("a").unwrap();
        // Steps back and forth: an entry for every two rows.
        let scattered: Vec<i64> = (0..MAX_ENTRIES as i64).map(|n| n * n % 1009 * (n % 2)).collect();
        let mut refused = 0;
        for _ in 0..3 {
            refused += u32::from(store.add("a", &rows("m", &scattered)) == Err(StoreError::Full));
        }
        assert!(refused > 0);
        let stored = u64::from(3 - refused) * MAX_ENTRIES as u64;
        assert_eq!(store.count("a", "m", i64::MIN, i64::MAX), Ok(stored));
        assert_eq!(store.create(&"x".repeat(257)), Err(StoreError::LongName));
        assert!(Rows::default().add(&"x".repeat(257), 0).is_err());
        for n in 0..MAX_NAMES - 2 {
            store.create(&n.to_string()).unwrap();
        }
        assert_eq!(store.create("one more"), Err(StoreError::Names));
        assert_eq!(store.add("0", &rows("m", &[1])), Err(StoreError::Names));
    }
}
