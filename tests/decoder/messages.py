"""The messages of GreptimeDB's gRPC service and of Arrow Flight's DoPut, as far as they are looked at.

Written down by hand from the public field numbers, so that nothing here shares a line with what benchhost generates its messages from. Enumerations are
plain integers: on the wire they are the same.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Value: what a row holds. One of these is set, or none, which is NULL. The field's number and type, and the column type that goes with it.
VALUES = {
    "i8": (1, "int32", 1),
    "i16": (2, "int32", 2),
    "i32": (3, "int32", 3),
    "i64": (4, "int64", 4),
    "u8": (5, "uint32", 5),
    "u16": (6, "uint32", 6),
    "u32": (7, "uint32", 7),
    "u64": (8, "uint64", 8),
    "f32": (9, "float", 9),
    "f64": (10, "double", 10),
    "bool": (11, "bool", 0),
    "binary": (12, "bytes", 11),
    "string": (13, "string", 12),
    "date": (14, "int32", 13),
    "datetime": (15, "int64", 14),
    "ts_second": (16, "int64", 15),
    "ts_millisecond": (17, "int64", 16),
    "ts_microsecond": (18, "int64", 17),
    "ts_nanosecond": (19, "int64", 18),
}

# Column types by their numbers, in the decoder's own words.
COLUMN_TYPES = {
    0: "boolean", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "uint8", 6: "uint16", 7: "uint32", 8: "uint64",
    9: "float32", 10: "float64", 11: "binary", 12: "utf8", 13: "date", 14: "datetime",
    15: "timestamp(s)", 16: "timestamp(ms)", 17: "timestamp(us)", 18: "timestamp(ns)",
}  # fmt: skip
SEMANTICS = {0: "tag", 1: "field", 2: "timestamp"}

GREPTIME = {
    "Basic": {"username": (1, "string"), "password": (2, "string")},
    "AuthHeader": {"basic": (1, "Basic")},
    "RequestHeader": {
        "catalog": (1, "string"),
        "schema": (2, "string"),
        "authorization": (3, "AuthHeader"),
        "dbname": (4, "string"),
    },
    "Value": {name: (number, kind) for name, (number, kind, _) in VALUES.items()},
    "Row": {"values": (1, "*Value")},
    "ColumnSchema": {"column_name": (1, "string"), "datatype": (2, "int32"), "semantic_type": (3, "int32")},
    "Rows": {"schema": (1, "*ColumnSchema"), "rows": (2, "*Row")},
    "RowInsertRequest": {"table_name": (1, "string"), "rows": (2, "Rows")},
    "RowInsertRequests": {"inserts": (1, "*RowInsertRequest")},
    "GreptimeRequest": {"header": (1, "RequestHeader"), "row_inserts": (6, "RowInsertRequests")},
    "Status": {"status_code": (1, "uint32"), "err_msg": (2, "string")},
    "ResponseHeader": {"status": (1, "Status")},
    "AffectedRows": {"value": (1, "uint32")},
    "GreptimeResponse": {"header": (1, "ResponseHeader"), "affected_rows": (2, "AffectedRows")},
}
FLIGHT = {
    "FlightDescriptor": {"type": (1, "int32"), "cmd": (2, "bytes"), "path": (3, "*string")},
    "FlightData": {
        "flight_descriptor": (1, "FlightDescriptor"),
        "data_header": (2, "bytes"),
        "app_metadata": (3, "bytes"),
        "data_body": (1000, "bytes"),
    },
    "PutResult": {"app_metadata": (1, "bytes")},
}


def _classes(package, messages, oneof=()):
    """Message classes by name; all fields of the messages in `oneof` exclude each other."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto3")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        if name in oneof:
            message.oneof_decl.add(name="value")
        for field_name, (number, kind) in fields.items():
            described = message.field.add(name=field_name, number=number)
            described.label = field.LABEL_REPEATED if kind.startswith("*") else field.LABEL_OPTIONAL
            kind = kind.removeprefix("*")
            if kind in messages:
                described.type, described.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"
            else:
                described.type = getattr(field, f"TYPE_{kind.upper()}")
            if name in oneof:
                described.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    get = message_factory.GetMessageClass
    return {name: get(pool.FindMessageTypeByName(f"{package}.{name}")) for name in messages}


greptime = _classes("greptime.v1", GREPTIME, oneof=("Value",))
flight = _classes("arrow.flight.protocol", FLIGHT)
