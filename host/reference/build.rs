//! Compiles the messages in `proto/`: once with the services that the library serves, once with the clients that its tests call it by.

#[cfg(feature = "database")]
const FILES: [&str; 4] = [
    "greptime/v1/database.proto",
    "arrow/flight/flight.proto",
    "opentelemetry/logs_service.proto",
    "opentelemetry/metrics_service.proto",
];

#[cfg(not(feature = "database"))]
fn main() {}

#[cfg(feature = "database")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::path::Path;
    use std::{env, fs};

    println!("cargo::rerun-if-changed=proto");
    let messages = protox::compile(FILES, ["proto"])?;
    let out = env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?;
    for (folder, server) in [("server", true), ("client", false)] {
        let folder = Path::new(&out).join(folder);
        fs::create_dir_all(&folder)?;
        tonic_prost_build::configure()
            .build_server(server)
            .build_client(!server)
            // Large fields stay slices of what came in.
            .bytes(".arrow.flight.protocol.FlightData")
            .bytes(".arrow.flight.protocol.PutResult")
            .bytes(".greptime.v1.RowInsertRequest.rows")
            .include_file("messages.rs")
            .out_dir(&folder)
            .compile_fds(messages.clone())?;
    }
    Ok(())
}
