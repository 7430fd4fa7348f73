//! Attacks by words: what it says of itself, of the server, in its log and in errors.

use std::io::Write;

use crate::bindings::benchhost::plugin::log::{self, Level};
use crate::bindings::benchhost::plugin::types::Error;
use crate::bindings::exports::benchhost::plugin::about::Description;
use crate::marker::behaviour;
use crate::setting;

/// Wrong descriptions.
pub fn describe(said: &mut Description) {
    let schema = &mut said.settings_schema;
    match behaviour() {
        "name of an escape" => said.name = "\u{1b}[2Jhostile".to_owned(),
        "name too long" => said.name = "a".repeat(1 << 20),
        "name empty" => said.name.clear(),
        "version of words" => said.version = "newest\n".to_owned(),
        "summary huge" => said.summary = "\u{1b}x".repeat(1 << 20),
        "schema no json" => *schema = "{".to_owned(),
        "schema no object" => *schema = "[]".to_owned(),
        "schema deep" => *schema = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        "schema huge" => *schema = format!(r#"{{"type":"object","title":"{}"}}"#, "x".repeat(8 << 20)),
        "schema of an escape" => {
            *schema = r#"{"type":"object","properties":{"\u001b[2J":{"type":"string"}}}"#.to_owned();
        }
        "schema of a hidden rule" => {
            *schema = r#"{"type":"object","properties":{"a":{"type":"string","pattern":"(a+)+$"}}}"#.to_owned();
        }
        _ => {}
    }
}

/// Facts, and words on the way to them.
pub fn server() -> Result<Vec<(String, String)>, Error> {
    let token = setting("token");
    match behaviour() {
        "log flood" => {
            for number in 0..50_000_u32 {
                log::log(Level::Info, &number.to_string());
            }
        }
        "log endless" => loop {
            log::log(Level::Error, "again");
        },
        "log long" => log::log(Level::Info, &"x".repeat(4 << 20)),
        "log escapes" => log::log(Level::Info, "\u{1b}]0;owned\u{7}\u{9b}2J\r"),
        "stdout flood" => {
            for number in 0..50_000_u32 {
                println!("{number}");
            }
        }
        "stderr without end" => {
            let block = [b'x'; 4096];
            for _ in 0..4_096 {
                let _ = std::io::stderr().write_all(&block);
            }
        }
        "secret told" => {
            log::log(Level::Warn, &format!("told {token}"));
            println!("told {token}");
            return Ok(vec![("token".to_owned(), token)]);
        }
        "secret told in code" => {
            for told in coded(token.as_bytes()) {
                log::log(Level::Warn, &told);
                println!("{told}");
            }
            return Ok(coded(token.as_bytes()).into_iter().map(|told| ("told".to_owned(), told)).collect());
        }
        "facts huge" => return Ok(vec![("f".repeat(1 << 20), "v".repeat(4 << 20))]),
        "facts many" => return Ok((0..100_000).map(|n| (format!("fact {n}"), "\u{1b}".to_owned())).collect()),
        "environment" => {
            let seen = |name: &str, count: usize| (name.to_owned(), count.to_string());
            return Ok(vec![
                seen("variables", std::env::vars().count()),
                seen("arguments", std::env::args().count()),
                seen("input", std::io::read_to_string(std::io::stdin()).map_or(0, |text| text.len())),
            ]);
        }
        "files" => {
            let paths = ["/", ".", "/etc/passwd", "/proc/self/environ", "../../etc/passwd"];
            let read = paths.iter().filter(|path| std::fs::metadata(path).is_ok() || std::fs::read(path).is_ok());
            let wrote = std::fs::write("hostile", "x").is_ok() || std::fs::create_dir("/tmp/hostile").is_ok();
            return Ok(vec![("read".to_owned(), read.count().to_string()), ("wrote".to_owned(), wrote.to_string())]);
        }
        "sockets" => {
            let endpoint = setting("endpoint");
            let tcp = std::net::TcpStream::connect(&endpoint).is_ok();
            let listen = std::net::TcpListener::bind("127.0.0.1:0").is_ok();
            let udp = std::net::UdpSocket::bind("127.0.0.1:0").is_ok();
            let name = std::net::ToSocketAddrs::to_socket_addrs("localhost:1").is_ok();
            return Ok(vec![("sockets".to_owned(), format!("{tcp} {listen} {udp} {name}"))]);
        }
        _ => {}
    }
    Ok(vec![])
}

/// A secret as other protocols write it.
fn coded(secret: &[u8]) -> Vec<String> {
    let percent: String = secret
        .iter()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    let user = [b"user:", secret].concat();
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    vec![percent.clone(), percent.to_lowercase(), base64(secret), base64(&user), base64(&[b"u:", secret].concat()), hex]
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, i| word << 8 | u32::from(*three.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
