//! From the settings that the host sends, all of them text, to the plugin's own struct. The struct's types lead: no
//! schema is needed here, which keeps the opening of a session cheap.

use serde::de::value::{Error as Failure, StrDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::{Error, Result, Setting};

/// Reads the plugin's settings. A field that is `Option` is none when its setting is absent.
///
/// # Errors
///
/// `invalid`, with the setting's name, when one is missing, unknown to a struct that denies such, or of another type.
pub fn parse_settings<T: DeserializeOwned>(settings: &[Setting]) -> Result<T> {
    T::deserialize(Settings(settings)).map_err(|failure| Error::invalid(failure.to_string()))
}

/// All settings, as a struct.
struct Settings<'a>(&'a [Setting]);

impl<'de> Deserializer<'de> for Settings<'_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_map(Entries { rest: self.0, value: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The settings that are still to be read.
struct Entries<'a> {
    rest: &'a [Setting],
    value: Option<&'a Setting>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        let Some((next, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        self.value = Some(next);
        let name: StrDeserializer<'_, Failure> = next.name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        let Some(setting) = self.value.take() else { return Err(de::Error::custom("a value without a name")) };
        seed.deserialize(Value(&setting.value))
            .map_err(|failure| de::Error::custom(format_args!("setting `{}`: {failure}", setting.name)))
    }
}

/// One value: a string as it is, anything else in JSON notation.
struct Value<'a>(&'a str);

/// Methods for the types whose text is parsed by [`str::parse`].
macro_rules! parsed {
    ($($method:ident => $visit:ident, $type:ty, $what:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            match self.0.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(de::Error::custom(format_args!("`{}` is not {}", self.0, $what))),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Failure;

    parsed! {
        deserialize_bool => visit_bool, bool, "true or false";
        deserialize_i8 => visit_i64, i64, "an integer";
        deserialize_i16 => visit_i64, i64, "an integer";
        deserialize_i32 => visit_i64, i64, "an integer";
        deserialize_i64 => visit_i64, i64, "an integer";
        deserialize_u8 => visit_u64, u64, "an integer from 0";
        deserialize_u16 => visit_u64, u64, "an integer from 0";
        deserialize_u32 => visit_u64, u64, "an integer from 0";
        deserialize_u64 => visit_u64, u64, "an integer from 0";
        deserialize_f32 => visit_f64, f64, "a number";
        deserialize_f64 => visit_f64, f64, "a number";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        // The host leaves a setting out that is null, so even the text "null" is a value.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let variant: StrDeserializer<'_, Failure> = self.0.into_deserializer();
        visitor.visit_enum(variant)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_str(self.0)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde::Deserialize;

    use super::*;
    use crate::{ErrorKind, Secret};

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "kebab-case")]
    enum Mode {
        One,
        TwoThree,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Own {
        name: String,
        count: u32,
        ratio: f64,
        on: bool,
        mode: Mode,
        token: Option<Secret>,
        limit: Option<i64>,
    }

    fn own(changed: &[(&str, &str)]) -> Result<Own> {
        let mut all = vec![("name", "12"), ("count", "7"), ("ratio", "0.5"), ("on", "true"), ("mode", "two-three")];
        all.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
        all.extend_from_slice(changed);
        let wire = |(name, value): &(&str, &str)| Setting { name: (*name).into(), value: (*value).into() };
        parse_settings(&all.iter().map(wire).collect::<Vec<_>>())
    }

    #[test]
    fn the_fields_type_decides_how_text_is_read() {
        let read = own(&[("token", "7"), ("limit", "-9")]).unwrap();
        let token = Some(Secret::from("7"));
        assert_eq!(
            read,
            Own { name: "12".into(), count: 7, ratio: 0.5, on: true, mode: Mode::TwoThree, token, limit: Some(-9) }
        );
    }

    #[test]
    fn only_what_is_absent_is_none() {
        assert_eq!(own(&[]).unwrap().limit, None);
        assert_eq!(own(&[("token", "null")]).unwrap().token, Some(Secret::from("null")));
    }

    #[test]
    fn an_ill_typed_setting_is_named() {
        let error = own(&[("count", "many")]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert_eq!(error.message, "setting `count`: `many` is not an integer from 0");
        let error = own(&[("mode", "four")]).unwrap_err();
        assert!(error.message.starts_with("setting `mode`: unknown variant `four`"), "{}", error.message);
        assert!(own(&[("count", "4294967296")]).unwrap_err().message.contains("setting `count`"));
    }

    #[test]
    fn a_missing_setting_is_named() {
        let error = parse_settings::<Own>(&[]).unwrap_err();
        assert_eq!(error.message, "missing field `name`");
    }
}
