//! How much of the machine one instance may take. What was refused is kept, because the guest will only say "unreachable".

use wasmtime::{ResourceLimiter, Result};

/// Core instances, tables and memories of one component: interpreters in components have dozens, nobody has hundreds.
const MAX_INSTANCES: usize = 1_000;
const MAX_TABLES: usize = 1_000;
const MAX_MEMORIES: usize = 100;

/// The limits of one store, and what was refused by them.
pub(crate) struct Limits {
    memory_bytes: usize,
    table_elements: usize,
    used_bytes: usize,
    used_elements: usize,
    refused: Option<String>,
}

impl Limits {
    /// `memory_bytes` for all memories of the instance together, `table_elements` for all its tables.
    pub(crate) fn new(memory_bytes: usize, table_elements: usize) -> Self {
        Self { memory_bytes, table_elements, used_bytes: 0, used_elements: 0, refused: None }
    }

    /// What the instance asked for in vain, in plain words.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }
}

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let after = self.used_bytes.saturating_add(desired.saturating_sub(current));
        if after > self.memory_bytes {
            let limit = bytes(self.memory_bytes);
            self.refused = Some(format!("its memory limit of {limit} was reached (it asked for {})", bytes(after)));
            return Ok(false);
        }
        self.used_bytes = after;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let after = self.used_elements.saturating_add(desired.saturating_sub(current));
        if after > self.table_elements {
            self.refused = Some(format!("its limit of {} table elements was reached", self.table_elements));
            return Ok(false);
        }
        self.used_elements = after;
        Ok(true)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}

/// A size as a person reads it.
pub(crate) fn bytes(bytes: usize) -> String {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes.div_ceil(KIB)),
        _ => format!("{} MiB", bytes.div_ceil(MIB)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn all_memories_of_an_instance_share_one_limit() {
        let mut limits = Limits::new(3 << 20, 10);
        assert!(limits.memory_growing(0, 2 << 20, None).unwrap());
        assert!(!limits.memory_growing(0, 2 << 20, None).unwrap());
        assert_eq!(limits.refused().unwrap(), "its memory limit of 3 MiB was reached (it asked for 4 MiB)");
        assert!(limits.memory_growing(0, 1 << 20, None).unwrap());
    }

    #[test]
    fn growth_past_a_memorys_own_maximum_is_not_the_hosts_refusal() {
        let mut limits = Limits::new(3 << 20, 10);
        assert!(!limits.memory_growing(0, 2 << 20, Some(1 << 20)).unwrap());
        assert_eq!(limits.refused(), None);
    }

    #[test]
    fn all_tables_of_an_instance_share_one_limit() {
        let mut limits = Limits::new(0, 10);
        assert!(limits.table_growing(0, 6, None).unwrap());
        assert!(!limits.table_growing(0, 6, None).unwrap());
        assert!(limits.table_growing(6, 10, None).unwrap());
        assert!(!limits.table_growing(0, 1, None).unwrap());
        assert!(limits.refused().unwrap().contains("10 table elements"));
    }
}
