//! What a user may set is what the plugin's schema says, and a mistake is told with the way out.

use benchhost_wasm::{Kind, Settings, SettingsError, SettingsSchema};
use serde_json::{Value, json};

fn schema() -> SettingsSchema {
    let schema = json!({
        "type": "object",
        "properties": {
            "database": { "type": "string", "description": "Where rows go." },
            "gzip": { "type": "boolean", "default": false },
            "hosts": { "type": "integer", "default": 100, "minimum": 1, "maximum": 1000 },
            "level": { "type": ["integer", "null"], "minimum": 1 },
            "precision": { "type": "string", "enum": ["ns", "us", "ms"], "default": "ns" },
            "ratio": { "type": "number", "maximum": 1.5, "format": "double", "title": "Ratio" },
            "token": { "type": ["string", "null"], "writeOnly": true, "default": null },
        },
        "required": ["database", "gzip"],
    });
    SettingsSchema::parse(&schema.to_string()).unwrap()
}

fn resolve(given: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let mut all = vec![("database", "d")];
    all.extend_from_slice(given);
    let all: Vec<(String, String)> = all.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    schema().resolve(&all)
}

fn problem(given: &[(&str, &str)]) -> String {
    resolve(given).unwrap_err().to_string()
}

fn wrong(schema: &Value) -> String {
    SettingsSchema::parse(&schema.to_string()).unwrap_err().to_string()
}

fn wrong_property(property: &Value) -> String {
    wrong(&json!({ "type": "object", "properties": { "x": property } }))
}

#[test]
fn defaults_are_filled_in_and_what_has_none_is_left_out() {
    let settings = resolve(&[]).unwrap();
    let all: Vec<(String, String)> = settings.public();
    let expected = [("database", "d"), ("gzip", "false"), ("hosts", "100"), ("precision", "ns")];
    assert_eq!(all, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(settings.get("token"), None);
}

#[test]
fn values_take_the_form_of_the_contract() {
    let settings = resolve(&[("gzip", "true"), ("hosts", "007"), ("level", "null"), ("ratio", "5e-1")]).unwrap();
    assert_eq!(settings.get("gzip"), Some("true"));
    assert_eq!(settings.get("hosts"), Some("7"));
    assert_eq!(settings.get("level"), None);
    assert_eq!(settings.get("ratio"), Some("0.5"));
    assert_eq!(resolve(&[("ratio", "1")]).unwrap().get("ratio"), Some("1"));
    assert_eq!(resolve(&[("token", "null")]).unwrap().get("token"), Some("null"), "text is text");
}

#[test]
fn integers_are_exact_to_64_bits() {
    let schema = json!({ "type": "object", "properties": { "x": { "type": "integer", "maximum": u64::MAX } } });
    let schema = SettingsSchema::parse(&schema.to_string()).unwrap();
    let get = |text: &str| schema.resolve(&[("x".into(), text.into())]).map(|s| s.get("x").unwrap().to_owned());
    assert_eq!(get("18446744073709551615").unwrap(), "18446744073709551615");
    assert_eq!(get("-9223372036854775808").unwrap(), "-9223372036854775808");
    assert!(get("18446744073709551616").is_err());
}

#[test]
fn an_unknown_setting_names_the_closest_and_all() {
    let message = problem(&[("host", "3")]);
    assert!(
        message.starts_with("there is no setting `host`, did you mean `hosts`?; there is `database`, `gzip`,"),
        "{message}"
    );
    assert!(!problem(&[("zzz", "3")]).contains("did you mean"));
    let empty = SettingsSchema::parse(r#"{"type":"object"}"#).unwrap();
    let message = empty.resolve(&[("x".into(), "1".into())]).unwrap_err().to_string();
    assert_eq!(message, "there is no setting `x`; there is nothing to set");
}

#[test]
fn a_missing_setting_says_how_to_give_it_unless_it_has_a_default() {
    let message = schema().resolve(&[]).unwrap_err().to_string();
    assert_eq!(message, "the setting `database` is missing: give it by `-P database=…` (Where rows go.)");
}

#[test]
fn a_setting_of_another_type_says_what_to_write() {
    assert_eq!(problem(&[("hosts", "many")]), "the setting `hosts` is `many`, which is no integer: write 42, say");
    assert_eq!(problem(&[("hosts", "1.5")]), "the setting `hosts` is `1.5`, which is no integer: write 42, say");
    assert_eq!(problem(&[("gzip", "yes")]), "the setting `gzip` is `yes`, which is no boolean: write true or false");
    assert_eq!(problem(&[("ratio", "inf")]), "the setting `ratio` is `inf`, which is no number: write 0.5, say");
    assert!(problem(&[("hosts", "null")]).contains("is `null`, which is no integer"));
}

#[test]
fn a_setting_out_of_range_says_the_range() {
    assert_eq!(problem(&[("hosts", "0")]), "the setting `hosts` is 0: it must be 1 to 1000");
    assert_eq!(problem(&[("hosts", "1001")]), "the setting `hosts` is 1001: it must be 1 to 1000");
    assert_eq!(problem(&[("level", "0")]), "the setting `level` is 0: it must be at least 1");
    assert_eq!(problem(&[("ratio", "1.6")]), "the setting `ratio` is 1.6: it must be at most 1.5");
}

#[test]
fn a_setting_that_is_none_of_the_choices_lists_them() {
    let message = problem(&[("precision", "nss")]);
    assert_eq!(message, "the setting `precision` is `nss`: it must be `ns`, `us` or `ms`, did you mean `ns`?");
}

#[test]
fn a_setting_given_twice_is_refused() {
    assert_eq!(problem(&[("hosts", "1"), ("hosts", "2")]), "the setting `hosts` is given twice: give it once");
}

#[test]
fn a_secret_is_in_no_message_about_it() {
    let schema =
        json!({ "type": "object", "properties": { "pin": { "type": "integer", "writeOnly": true, "maximum": 9 } } });
    let schema = SettingsSchema::parse(&schema.to_string()).unwrap();
    for pin in ["s3cret", "1234567"] {
        let error = schema.resolve(&[("pin".into(), pin.into())]).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(pin), "{error:?}");
        assert!(error.to_string().contains("***"), "{error}");
    }
}

#[test]
fn properties_tell_all_that_help_needs() {
    let schema = schema();
    let hosts = schema.get("hosts").unwrap();
    assert_eq!((hosts.kind(), hosts.default().as_deref(), hosts.is_required()), (Kind::Integer, Some("100"), false));
    assert_eq!((hosts.minimum().as_deref(), hosts.maximum().as_deref()), (Some("1"), Some("1000")));
    assert_eq!(schema.get("precision").unwrap().choices(), ["ns", "us", "ms"]);
    let token = schema.get("token").unwrap();
    assert!(token.is_secret() && token.is_nullable() && token.default().is_none());
    assert!(schema.get("database").unwrap().is_required());
    assert_eq!(schema.get("database").unwrap().description(), "Where rows go.");
    assert_eq!(schema.properties().len(), 7);
}

#[test]
fn a_schema_outside_of_the_contract_is_refused_with_the_property() {
    assert!(SettingsSchema::parse("[").unwrap_err().to_string().starts_with("it is not JSON"));
    assert!(wrong(&json!([])).starts_with("it must be an object"));
    assert!(wrong(&json!({ "type": "array" })).starts_with("it must be an object"));
    assert!(wrong(&json!({ "type": "object", "required": ["y"] })).contains("there is no property `y`"));
    assert!(wrong_property(&json!(1)).starts_with("property `x`: it must be an object"));
    assert!(wrong_property(&json!({})).contains("`type` must be string"));
    assert!(wrong_property(&json!({ "type": "array" })).contains("`type` must be string"));
    assert!(wrong_property(&json!({ "type": ["string", "integer"] })).contains("`type` must be string"));
    assert!(wrong_property(&json!({ "type": "string", "pattern": "a+" })).contains("`pattern` is not part"));
    assert!(
        wrong_property(&json!({ "type": "string", "minimum": 1 })).contains("`minimum` must be a number, and only")
    );
    assert!(wrong_property(&json!({ "type": "string", "enum": [] })).contains("`enum` must be a list"));
    assert!(wrong_property(&json!({ "type": "string", "enum": [1] })).contains("holds 1, which is no string"));
    assert!(wrong_property(&json!({ "type": "integer", "default": "1" })).contains("the default \"1\" is no integer"));
    assert!(wrong_property(&json!({ "type": "integer", "default": 1, "minimum": 2 })).contains("is not at least 2"));
    assert!(wrong_property(&json!({ "type": "string", "default": "c", "enum": ["a"] })).contains("not among"));
    assert!(wrong(&json!({ "type": "object", "properties": { "a=b": { "type": "string" } } })).contains("no `=`"));
}
