//! Bad input, each with its message and its exit code, as a user meets it.

use std::net::TcpListener;

use crate::support::{Sandbox, outcome, plugins};

/// An address of this machine that nothing listens on.
fn closed_endpoint() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}")
}

/// `run` of influx and cpu with more flags.
fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["run", "--plugin", "influx", "--dataset", "cpu", "--rows", "100"];
    words.extend(more);
    words
}

#[test]
fn a_plugin_file_that_is_not_there() {
    let outcome = Sandbox::new().run(&["run", "--plugin", "./none.wasm", "--dataset", "cpu"]);
    outcome.fails(2, "error: no plugin file ./none.wasm\nhint: ");
}

#[test]
fn a_plugin_name_that_no_folder_has() {
    let sandbox = Sandbox::new();
    let words = ["run", "--plugin", "inflx", "--dataset", "cpu"];
    let outcome = sandbox.run_with_plugins(&words);
    outcome.fails(2, "error: no plugin named `inflx`\nhint: did you mean `influx`? there are ");
    assert!(outcome.stderr.contains(plugins().to_str().unwrap()), "{}", outcome.stderr);
}

#[test]
fn no_plugin_at_all() {
    Sandbox::new()
        .run(&["run", "--dataset", "cpu"])
        .fails(2, "error: no target is given: name one by --plugin\nhint: ");
}

#[test]
fn a_file_that_is_not_wasm() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("notes.wasm", "just some text");
    let outcome = sandbox.run(&["run", "--plugin", &file, "--dataset", "cpu"]);
    outcome.fails(2, "notes.wasm` is not WebAssembly");
}

#[test]
fn a_core_module() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("core.wasm", b"\0asm\x01\0\0\0");
    let outcome = sandbox.run(&["run", "--plugin", &file, "--dataset", "cpu"]);
    outcome.fails(2, "core.wasm` is a core module, not a component");
}

#[test]
fn a_component_of_another_world() {
    let sandbox = Sandbox::new();
    let component =
        wat::parse_str(r#"(component (instance $i) (export "other:world/thing@1.0.0" (instance $i)))"#).unwrap();
    let file = sandbox.file("other.wasm", component);
    let outcome = sandbox.run(&["run", "--plugin", &file, "--dataset", "cpu"]);
    outcome.fails(2, "other.wasm` is a component, but not a plugin: it lacks benchhost:plugin/about");
}

#[test]
fn a_plugin_for_another_version_of_the_contract() {
    let sandbox = Sandbox::new();
    let component =
        wat::parse_str(r#"(component (instance $i) (export "benchhost:plugin/about@0.9.0" (instance $i)))"#);
    let file = sandbox.file("old.wasm", component.unwrap());
    let outcome = sandbox.run(&["run", "--plugin", &file, "--dataset", "cpu"]);
    outcome.fails(2, "old.wasm` was built for benchhost:plugin/about@0.9.0; this host speaks benchhost:plugin@0.1.0");
}

#[test]
fn a_plugin_that_breaks_its_contract() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("dies.wasm", wat::parse_str(include_str!("dies_in_describe.wat")).unwrap());
    sandbox.run(&["plugin", "inspect", &file]).fails(3, "dies.wasm` cannot describe itself: plugin ");
}

#[test]
fn a_folder_instead_of_a_plugin() {
    let sandbox = Sandbox::new();
    sandbox.run(&["plugin", "inspect", "./"]).fails(2, "error: ./ is a folder, not a plugin file");
}

#[test]
fn a_dataset_where_a_target_belongs_and_the_other_way_round() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run_with_plugins(&["run", "--plugin", "cpu", "--dataset", "cpu"]);
    outcome.fails(2, "error: --plugin cpu: this plugin is a generator (a dataset, for --dataset), not a target");
    let outcome = sandbox.run_with_plugins(&["generate", "--dataset", "null", "--as", "csv", "-o", "-"]);
    outcome.fails(2, "error: --dataset null: this plugin is a target (a database, for --plugin), not a generator");
}

#[test]
fn nothing_to_write() {
    let words = ["run", "--plugin", "influx", "--dataset", "cpu", "--rows", "0"];
    Sandbox::new().run(&words).fails(2, "error: --rows is 0: nothing would run; give at least 1\n");
    let words = ["generate", "--dataset", "cpu", "--rows", "0"];
    Sandbox::new().run(&words).fails(2, "error: --rows is 0: nothing would be written; give at least 1\n");
}

#[test]
fn contradictory_counts_name_their_flags() {
    let words = ["run", "--plugin", "influx", "--dataset", "cpu", "-c", "4", "--connections", "9"];
    Sandbox::new().run(&words).fails(2, "error: --connections 9 is more than --workers 4");
}

#[test]
fn a_count_that_is_no_number() {
    let outcome = Sandbox::new().run(&["run", "--rows", "many"]);
    outcome.fails(
        2,
        "invalid value 'many' for '--rows <COUNT>': `many` is not a count: write 250, 1_000_000, 10k, 1.5m or 2g",
    );
}

#[test]
fn an_endpoint_without_scheme() {
    let words = run(&["--endpoint", "127.0.0.1:8086"]);
    Sandbox::new().run(&words).fails(
        2,
        "error: endpoint `127.0.0.1:8086` has no scheme: write http://127.0.0.1:8086 or https://127.0.0.1:8086\n",
    );
}

#[test]
fn a_password_in_the_endpoint_is_refused_and_not_shown() {
    let outcome = Sandbox::new().run(&run(&["--endpoint", "http://me:hunter2@127.0.0.1:8086"]));
    outcome.fails(2, "holds a user name or password");
    assert!(!outcome.stderr.contains("hunter2"), "{}", outcome.stderr);
}

#[test]
fn a_missing_address_is_named_with_the_way_to_give_it() {
    let endpoint = closed_endpoint();
    let words = ["run", "--plugin", "greptime", "--dataset", "cpu", "--endpoint", &endpoint];
    Sandbox::new().run_with_plugins(&words).fails(2, "set -P grpc_endpoint=http://127.0.0.1:4001");
}

#[test]
fn an_unknown_setting_names_the_nearest() {
    let endpoint = closed_endpoint();
    let outcome =
        Sandbox::new().run_with_plugins(&run(&["--endpoint", &endpoint, "--database", "bench", "-P", "host=3"]));
    outcome.fails(
        2,
        "error: unknown setting `host`: neither influx (the target) nor cpu (the dataset) has one of that name\nhint: did you \
         mean `hosts` of cpu? ",
    );
}

#[test]
fn an_ill_typed_setting_names_the_plugin_and_the_setting() {
    let endpoint = closed_endpoint();
    let words = run(&["--endpoint", &endpoint, "--database", "bench", "-P", "hosts=many"]);
    let outcome = Sandbox::new().run_with_plugins(&words);
    outcome.fails(2, "error: settings of cpu\n  caused by: ");
    assert!(outcome.stderr.contains("hosts") && outcome.stderr.contains("many"), "{}", outcome.stderr);
}

#[test]
fn a_flag_that_the_target_has_no_use_for() {
    let words = ["run", "--plugin", "null", "--dataset", "cpu", "--database", "bench"];
    let outcome = Sandbox::new().run_with_plugins(&words);
    outcome.fails(2, "error: --database does not apply: null (the target) has no setting `database`\nhint: ");
}

#[test]
fn a_refused_connection_leaves_no_folder_behind() {
    let sandbox = Sandbox::new();
    let endpoint = closed_endpoint();
    let outcome =
        sandbox.run_with_plugins(&run(&["--endpoint", &endpoint, "--database", "bench", "--progress", "none"]));
    outcome.fails(4, &format!("cannot connect to {endpoint}: connection refused: is the server running there"));
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert_eq!(sandbox.entries(), [""; 0]);
}

#[test]
fn a_host_that_no_name_server_knows() {
    let endpoint = "http://no-such-host.invalid:8086";
    let outcome =
        Sandbox::new().run_with_plugins(&run(&["--endpoint", endpoint, "--database", "bench", "--progress", "none"]));
    outcome.fails(4, "cannot find the host `no-such-host.invalid` of http://no-such-host.invalid:8086");
}

#[test]
fn a_server_that_does_not_speak_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = std::io::Write::write_all(&mut stream.unwrap(), b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let outcome =
        Sandbox::new().run_with_plugins(&run(&["--endpoint", &endpoint, "--database", "bench", "--progress", "none"]));
    outcome.fails(4, &format!("no TLS session with {endpoint}"));
}

#[test]
fn a_certificate_file_that_is_not_there() {
    let endpoint = "https://127.0.0.1:1";
    let words = run(&["--endpoint", endpoint, "--database", "bench", "--cacert", "/no/such/ca.pem"]);
    Sandbox::new().run_with_plugins(&words).fails(2, "/no/such/ca.pem");
    let words = run(&["--endpoint", endpoint, "--database", "bench", "--cert", "/no/such/cert.pem"]);
    Sandbox::new().run_with_plugins(&words).fails(2, "--key");
}

#[test]
fn an_output_folder_that_cannot_be_made_is_found_before_anything_connects() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("file", "");
    let below = format!("{file}/results");
    let endpoint = closed_endpoint();
    let words = run(&["--endpoint", &endpoint, "--database", "bench", "-o", &below]);
    sandbox.run_with_plugins(&words).fails(2, "is not a folder, so no result can be kept in");
}

#[test]
fn an_output_folder_that_holds_a_result() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("old")).unwrap();
    sandbox.file("old/run.json", "{}");
    let endpoint = closed_endpoint();
    let words = run(&["--endpoint", &endpoint, "--database", "bench", "-o", "old"]);
    sandbox.run_with_plugins(&words).fails(2, "`old` already holds the result of a run, which is never overwritten");
}

#[test]
fn an_address_without_port_in_allow_net() {
    let endpoint = closed_endpoint();
    let words = run(&["--endpoint", &endpoint, "--database", "bench", "--allow-net", "localhost"]);
    Sandbox::new().run_with_plugins(&words).fails(2, "error: --allow-net localhost\n  caused by: ");
}

#[test]
fn a_password_file_that_is_not_there() {
    let words = run(&["--password-file", "/no/such/password"]);
    Sandbox::new().run(&words).fails(2, "error: cannot read /no/such/password (--password-file)\n  caused by: ");
}

#[test]
fn a_configuration_file_with_a_slip() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("run.toml", "batch_rows = 10\n");
    let outcome = sandbox.run(&["run", "--config", &file]);
    outcome.fails(2, "run.toml: unknown key `batch_rows`; did you mean `batch-rows`?\n");
}

#[test]
fn variables_count_as_flags_and_are_judged_like_them() {
    let sandbox = Sandbox::new();
    let found = outcome(sandbox.command(&["run"]).env("BENCHHOST_ROWS", "many"));
    found.fails(2, "invalid value 'many' for '--rows <COUNT>'");
    let words = ["run", "--plugin", "influx", "--dataset", "cpu"];
    let found = outcome(sandbox.command(&words).env("BENCHHOST_ROWS", "0"));
    found.fails(2, "error: --rows is 0");
}
