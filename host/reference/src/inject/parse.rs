//! Injections as text.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::Inject;
use crate::calibration::{Distribution, Injection, Stall};

/// A text that names no injection.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot inject `{text}`: {problem}")]
pub struct InjectError {
    /// The text.
    pub text: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl FromStr for Inject {
    type Err = InjectError;

    fn from_str(text: &str) -> Result<Self, InjectError> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let value = value.trim();
        let read = match name.trim() {
            "latency" => latency(value),
            "stall" => stall(value),
            "error" => share(value).map(Self::Error),
            "throttle" => share(value).map(Self::Throttle),
            "partial" => share(value).map(Self::Partial),
            "reset" => share(value).map(Self::Reset),
            "lose" => share(value).map(Self::Lose),
            other => {
                Err(format!("there is no `{other}`; there is latency, stall, error, throttle, partial, reset and lose"))
            }
        };
        read.map_err(|problem| InjectError { text: text.to_owned(), problem })
    }
}

fn latency(value: &str) -> Result<Inject, String> {
    let forms = "a latency is a time such as `5ms`, or `uniform:1ms:5ms`, `exponential:5ms`, `two-point:1ms:100ms:1%` or \
                 `heavy-tail:1ms:1s:1.5`";
    let parts: Vec<&str> = value.split(':').collect();
    let inject = match parts[..] {
        [constant] if !constant.is_empty() => Inject::Latency(Distribution::Constant(time(constant)?)),
        ["uniform", least, most] => {
            let (least, most) = (time(least)?, time(most)?);
            Distribution::Constant(most).check().map_err(|error| error.to_string())?;
            if least > most {
                return Err("the first time of `uniform` must not be longer than the second".into());
            }
            return Ok(Inject::Uniform { least, most });
        }
        ["exponential", mean] => Inject::Latency(Distribution::Exponential { mean: time(mean)? }),
        ["two-point", low, high, rare] => {
            Inject::Latency(Distribution::TwoPoint { low: time(low)?, high: time(high)?, share_high: share(rare)? })
        }
        ["heavy-tail", least, most, alpha] => {
            let alpha = alpha.parse().map_err(|_| format!("`{alpha}` is no number"))?;
            Inject::Latency(Distribution::HeavyTail { least: time(least)?, most: time(most)?, alpha })
        }
        _ => return Err(forms.into()),
    };
    if let Inject::Latency(distribution) = &inject {
        distribution.check().map_err(|error| error.to_string())?;
    }
    Ok(inject)
}

fn stall(value: &str) -> Result<Inject, String> {
    let (mut every, mut length) = (None, None);
    for part in value.split(',') {
        match part.trim().split_once(':') {
            Some(("every", text)) => every = Some(time(text)?),
            Some(("for", text)) => length = Some(time(text)?),
            _ => return Err("a stall is `every:10s,for:1s`".into()),
        }
    }
    let (Some(every), Some(length)) = (every, length) else { return Err("a stall is `every:10s,for:1s`".into()) };
    let stall = Stall { every, length };
    Injection { stall: Some(stall), ..Injection::default() }.check().map_err(|error| error.to_string())?;
    Ok(Inject::Stall(stall))
}

/// A share of all writes: `1%` or `0.01`.
fn share(text: &str) -> Result<f64, String> {
    let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.trim().parse::<f64>() {
        Ok(number) if (0.0..=scale).contains(&number) => Ok(number / scale),
        _ => Err(format!("`{text}` is no share: write one such as `1%`, from 0% to 100%")),
    }
}

/// A time: `5ms`, `1.5s`.
fn time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        _ => return Err(format!("`{text}` is no time: write one such as `5ms`, with ns, us, ms, s or m")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is no time: write one such as `5ms`"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| format!("`{text}` is too long"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Inject, String> {
        text.parse().map_err(|error: InjectError| error.to_string())
    }

    #[test]
    fn what_can_be_injected_is_read() {
        let ms = Duration::from_millis;
        assert_eq!(read("latency=5ms"), Ok(Inject::Latency(Distribution::Constant(ms(5)))));
        assert_eq!(read("latency=uniform:1ms:5ms"), Ok(Inject::Uniform { least: ms(1), most: ms(5) }));
        let two = Distribution::TwoPoint { low: ms(1), high: ms(1500), share_high: 0.01 };
        assert_eq!(read("latency=two-point:1ms:1.5s:1%"), Ok(Inject::Latency(two)));
        assert_eq!(read("stall=every:10s,for:1s"), Ok(Inject::Stall(Stall { every: ms(10_000), length: ms(1000) })));
        assert_eq!((read("error=1%"), read("lose=0.1%")), (Ok(Inject::Error(0.01)), Ok(Inject::Lose(0.001))));
        assert_eq!((read("reset=0.5"), read("partial=100%")), (Ok(Inject::Reset(0.5)), Ok(Inject::Partial(1.0))));
    }

    #[test]
    fn what_cannot_be_injected_is_refused_with_what_would_be_right() {
        for (text, words) in [
            ("slow", "there is no `slow`; there is latency, stall"),
            ("latency=", "a latency is a time such as `5ms`"),
            ("latency=5", "`5` is no time: write one such as `5ms`"),
            ("latency=2m", "the constant service time must be at most 60 s"),
            ("latency=uniform:5ms:1ms", "must not be longer"),
            ("stall=10s", "a stall is `every:10s,for:1s`"),
            ("stall=every:1s,for:1s", "the length of the stall must be"),
            ("error=101%", "`101%` is no share"),
            ("error=often", "`often` is no share"),
            ("error=NaN", "`NaN` is no share"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words) && error.starts_with(&format!("cannot inject `{text}`")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(name in "latency|stall|error", value in "[a-z0-9:.,%-]{0,20}") {
            let _ = read(&format!("{name}={value}"));
        }
    }
}
