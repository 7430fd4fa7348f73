//! The target `null` accepts rows and drops them: it shows what the client alone can do. It never reaches a network.

use benchhost_plugin::{
    Ack, Batch, BodyCompression, Error, FlightEncoder, LineProtocol, Payload, Result, Table, Target, TimeUnit,
    export_target, server_facts,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a batch becomes before it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Nothing: no encoder runs.
    #[default]
    None,
    /// InfluxDB line protocol with nanoseconds.
    LineProtocol,
    /// Record batches for Arrow Flight, not compressed.
    Flight,
    /// The same with LZ4.
    FlightLz4,
    /// The same with Zstandard.
    FlightZstd,
}

impl Format {
    /// As a user writes it.
    fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LineProtocol => "line-protocol",
            Self::Flight => "flight",
            Self::FlightLz4 => "flight-lz4",
            Self::FlightZstd => "flight-zstd",
        }
    }
}

/// What does it.
enum Encoder {
    None,
    Line(LineProtocol),
    Flight(Box<FlightEncoder>),
}

/// What a user can set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// What a batch becomes before it is dropped.
    #[serde(default)]
    pub format: Format,
}

/// A session: an encoder, or none.
pub struct Null {
    format: Format,
    encoder: Encoder,
}

export_target!(Null);

impl Target for Null {
    type Settings = Settings;
    const NAME: &'static str = "null";
    const SUMMARY: &'static str = "accepts rows and drops them";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        let encoder = match settings.format {
            Format::None => Encoder::None,
            Format::LineProtocol => Encoder::Line(LineProtocol::new(TimeUnit::Nanosecond)),
            Format::Flight => Encoder::Flight(Box::new(FlightEncoder::new(BodyCompression::None))),
            Format::FlightLz4 => Encoder::Flight(Box::new(FlightEncoder::new(BodyCompression::Lz4Frame))),
            Format::FlightZstd => Encoder::Flight(Box::new(FlightEncoder::new(BodyCompression::Zstd))),
        };
        Ok(Self { format: settings.format, encoder })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let format = self.format.as_str().to_owned();
        Ok(server_facts([("product", "none: rows are dropped in the plugin".into()), ("format", format)]))
    }

    fn create_table(&mut self, _: &Table) -> Result<()> {
        Ok(())
    }

    fn drop_table(&mut self, _: &Table) -> Result<()> {
        Ok(())
    }

    fn count_rows(&mut self, _: &Table, _start_ns: i64, _end_ns: i64) -> Result<u64> {
        Err(Error::unsupported("the target `null` keeps no rows, so there are none to count"))
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        match &self.encoder {
            Encoder::Line(encoder) => encoder.encode(batch),
            Encoder::Flight(encoder) => encoder.encode(batch),
            Encoder::None => Ok(Payload::from_bytes(&[], batch.rows())),
        }
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        Ok(Ack { pending: false, rows: Some(payload.rows().into()), server_time_ns: None })
    }
}

#[cfg(test)]
mod tests;
