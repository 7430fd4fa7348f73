//! The plainest fast encoder of the CPU dataset that one would write for it alone: the head of each series' lines kept as bytes, `zmij` for
//! doubles, no check of anything. The encoder that knows every table is measured against it, because absolute figures say more about the
//! machine than about the code.

use std::collections::HashMap;

use anyhow::Result;
use benchhost_data::Batch;

/// Keeps the heads of the series that it has seen.
#[derive(Default)]
pub(crate) struct Prototype {
    heads: HashMap<[u32; 4], Vec<u8>>,
    doubles: zmij::Buffer,
    integers: itoa::Buffer,
    out: Vec<u8>,
}

const FIELDS: [&[u8]; 5] = [b" cpu=", b",memory=", b",disk_util=", b",net_in=", b",net_out="];

impl Prototype {
    /// Encodes a batch of the CPU dataset, into a buffer that is used again.
    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<&[u8]> {
        let keys = [batch.keys(0)?, batch.keys(1)?, batch.keys(2)?, batch.keys(3)?];
        let values =
            [batch.float64s(4)?, batch.float64s(5)?, batch.float64s(6)?, batch.float64s(7)?, batch.float64s(8)?];
        let out = &mut self.out;
        out.clear();
        for (row, time) in batch.timestamps().iter().enumerate() {
            let series = [keys[0][row], keys[1][row], keys[2][row], keys[3][row]];
            let head = match self.heads.get(&series) {
                Some(head) => head,
                None => {
                    let mut head = b"cpu".to_vec();
                    for (tag, name) in ["host", "region", "datacenter", "service"].iter().enumerate() {
                        let dictionary = batch.dictionary(tag)?;
                        let value = dictionary.get(series[tag]).unwrap_or_default();
                        head.extend_from_slice(format!(",{name}={value}").as_bytes());
                    }
                    self.heads.entry(series).or_insert(head)
                }
            };
            out.extend_from_slice(head);
            for (field, name) in FIELDS.iter().enumerate() {
                out.extend_from_slice(name);
                out.extend_from_slice(self.doubles.format_finite(values[field][row]).as_bytes());
            }
            out.push(b' ');
            out.extend_from_slice(self.integers.format(*time).as_bytes());
            out.push(b'\n');
        }
        Ok(out)
    }
}
