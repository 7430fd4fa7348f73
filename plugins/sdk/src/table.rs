//! Questions that plugins ask of a table, and short ways to write one.

use crate::{Column, DataType, Semantic, Table, TimeUnit};

impl Table {
    /// The columns that hold measured values, in order.
    pub fn fields(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.semantic == Semantic::Field)
    }

    /// The fields whose non-null values are to be counted when a server counts values, not rows: the first one that is
    /// never NULL, else all of them, of which the fullest comes closest.
    #[must_use]
    pub fn countable_fields(&self) -> Vec<&Column> {
        match self.fields().find(|field| !field.nullable) {
            Some(never_null) => vec![never_null],
            None => self.fields().collect(),
        }
    }
}

impl Column {
    /// A tag that every row has.
    #[must_use]
    pub fn tag(name: &str) -> Self {
        Self { name: name.to_owned(), semantic: Semantic::Tag, data_type: DataType::Utf8, nullable: false }
    }

    /// A field that every row has.
    #[must_use]
    pub fn field(name: &str, data_type: DataType) -> Self {
        Self { name: name.to_owned(), semantic: Semantic::Field, data_type, nullable: false }
    }

    /// The time of a row, in `unit`.
    #[must_use]
    pub fn timestamp(name: &str, unit: TimeUnit) -> Self {
        let data_type = match unit {
            TimeUnit::Second => DataType::TimestampSecond,
            TimeUnit::Millisecond => DataType::TimestampMillisecond,
            TimeUnit::Microsecond => DataType::TimestampMicrosecond,
            TimeUnit::Nanosecond => DataType::TimestampNanosecond,
        };
        Self { name: name.to_owned(), semantic: Semantic::Timestamp, data_type, nullable: false }
    }

    /// The same column, in which a row may lack a value.
    #[must_use]
    pub fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }
}

impl DataType {
    /// Whether it is an integer without a sign.
    #[must_use]
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Uint64)
    }

    /// Whether it is an integer or a float.
    #[must_use]
    pub fn is_number(self) -> bool {
        use DataType::{Float32, Float64, Int8, Int16, Int32, Int64};
        self.is_unsigned() || matches!(self, Int8 | Int16 | Int32 | Int64 | Float32 | Float64)
    }
}
