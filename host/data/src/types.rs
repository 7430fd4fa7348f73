//! The words that describe a column: what it means, of which type it is, in which unit its times are.

use std::fmt;

/// What a column means to a time-series database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Semantic {
    /// Part of the series key: indexed, of few distinct values.
    Tag,
    /// A measured value.
    Field,
    /// The row's time.
    Timestamp,
}

impl Semantic {
    /// The name that the contract uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Field => "field",
            Self::Timestamp => "timestamp",
        }
    }
}

impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The unit of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeUnit {
    /// 1 ns.
    Nanosecond,
    /// 1 µs.
    Microsecond,
    /// 1 ms.
    Millisecond,
    /// 1 s.
    Second,
}

impl TimeUnit {
    /// How many nanoseconds one unit is.
    pub fn nanoseconds(self) -> i64 {
        match self {
            Self::Second => 1_000_000_000,
            Self::Millisecond => 1_000_000,
            Self::Microsecond => 1_000,
            Self::Nanosecond => 1,
        }
    }

    /// The unit's name, in the singular.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Millisecond => "millisecond",
            Self::Microsecond => "microsecond",
            Self::Nanosecond => "nanosecond",
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// True or false.
    Boolean,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits.
    Int32,
    /// Signed, 64 bits.
    Int64,
    /// Unsigned, 8 bits.
    UInt8,
    /// Unsigned, 16 bits.
    UInt16,
    /// Unsigned, 32 bits.
    UInt32,
    /// Unsigned, 64 bits.
    UInt64,
    /// IEEE 754, 32 bits.
    Float32,
    /// IEEE 754, 64 bits.
    Float64,
    /// Decimal, 38 digits.
    Decimal128,
    /// Text.
    Utf8,
    /// Bytes.
    Binary,
    /// A JSON document, as text.
    Json,
    /// Days since the Unix epoch.
    Date32,
    /// Time since the Unix epoch, UTC, in the unit given.
    Timestamp(TimeUnit),
}

impl DataType {
    /// The name that the contract uses, `timestamp-millisecond` for instance.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Decimal128 => "decimal128",
            Self::Utf8 => "utf8",
            Self::Binary => "binary",
            Self::Json => "json",
            Self::Date32 => "date32",
            Self::Timestamp(TimeUnit::Second) => "timestamp-second",
            Self::Timestamp(TimeUnit::Millisecond) => "timestamp-millisecond",
            Self::Timestamp(TimeUnit::Microsecond) => "timestamp-microsecond",
            Self::Timestamp(TimeUnit::Nanosecond) => "timestamp-nanosecond",
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
