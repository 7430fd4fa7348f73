//! A secret as protocols write it: in base64 (whatever stands before it), percent-encoded, in hexadecimal, in JSON.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

/// Shorter pieces of base64 are not looked for: they occur by chance.
const SHORTEST: usize = 6;

/// The secret and its other forms, the same one perhaps several times.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    for upper in [true, false] {
        forms.push(percent(secret, upper));
        forms.push(secret.bytes().map(|byte| hex(byte, upper)).collect());
    }
    forms.push(secret.replace('\\', "\\\\").replace('"', "\\\""));
    for alphabet in [&alphabet::STANDARD, &alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(alphabet, NO_PAD);
        forms.extend((0..3).filter_map(|before| inside(&engine, secret, before)));
    }
    forms
}

/// The digits of base64 that only the secret decides, with so many bytes before it in its group of three.
fn inside(engine: &GeneralPurpose, secret: &str, before: usize) -> Option<String> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret.as_bytes());
    let text = engine.encode(&bytes);
    // A digit is six bits; those that hold a bit of a neighbour are left out.
    let digits = text.get((before * 8).div_ceil(6)..bytes.len() * 8 / 6)?;
    (digits.len() >= SHORTEST).then(|| digits.to_owned())
}

fn percent(secret: &str, upper: bool) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    secret
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{}", hex(byte, upper)) })
        .collect()
}

fn hex(byte: u8, upper: bool) -> String {
    if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "p@ss \"w/ord\"?";

    #[test]
    fn a_secret_is_found_in_base64_whatever_stands_around_it() {
        let forms = forms(SECRET);
        for before in ["", "u:", "me:", "user:", "x"] {
            for after in ["", "1", "22"] {
                let text = base64::engine::general_purpose::STANDARD.encode(format!("{before}{SECRET}{after}"));
                assert!(forms.iter().any(|form| text.contains(form)), "{text}");
            }
        }
    }

    #[test]
    fn a_secret_is_found_percent_encoded_and_in_json() {
        let forms = forms(SECRET);
        for text in ["p%40ss%20%22w%2Ford%22%3F", "p%40ss%20%22w%2ford%22%3f", "p@ss \\\"w/ord\\\"?"] {
            assert!(forms.iter().any(|form| form == text), "{text}");
        }
    }
}
