//! Hand-written components, for what no plugin author would get past the compiler. They are compiled in a moment.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, missing_docs, reason = "tests")]

/// What such a component says of itself, and what else is in it.
pub struct Component<'a> {
    pub name: &'a str,
    pub version: &'a str,
    pub schema: &'a str,
    /// Instructions before `describe` returns.
    pub before: &'a str,
    /// Declarations before the component's own.
    pub imports: &'a str,
    /// Version of the contract.
    pub contract: &'a str,
    /// Whether it exports `dataset`, whose functions are of the wrong types.
    pub dataset: bool,
}

impl Default for Component<'_> {
    fn default() -> Self {
        let schema = r#"{"type":"object","properties":{}}"#;
        Self { name: "wat", version: "1.0.0", schema, before: "", imports: "", contract: "0.1.0", dataset: true }
    }
}

impl Component<'_> {
    /// The component's bytes.
    pub fn build(&self) -> Vec<u8> {
        let Self { name, version, schema, before, imports, contract, dataset } = self;
        let texts = [*name, *version, "a summary", *schema];
        let (mut data, mut offset) = (String::new(), 1024);
        for (index, text) in texts.iter().enumerate() {
            let escaped: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
            data.push_str(&format!("(data (i32.const {offset}) \"{escaped}\")\n"));
            let place: String = [offset, text.len() as u32]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .map(|byte| format!("\\{byte:02x}"))
                .collect();
            data.push_str(&format!("(data (i32.const {}) \"{place}\")\n", 16 + 8 * index));
            offset += text.len() as u32;
        }
        let dataset = if *dataset {
            format!(
                r#"(func $noop (canon lift (core func $i "noop")))
                (instance $dataset (export "open" (func $noop)) (export "fill" (func $noop)))
                (export "benchhost:plugin/dataset@{contract}" (instance $dataset))"#
            )
        } else {
            String::new()
        };
        const RECORD: &str = r#"(record (field "name" string) (field "version" string) (field "summary" string) (field "settings-schema" string))"#;
        let text = format!(
            r#"(component
                {imports}
                (core module $m
                    (memory (export "memory") 1)
                    {data}
                    (func (export "describe") (result i32) {before} i32.const 16)
                    (func (export "noop")))
                (core instance $i (instantiate $m))
                (type $said {RECORD})
                (func $describe (result $said) (canon lift (core func $i "describe") (memory (core memory $i "memory"))))
                (component $shim
                    (type $plain {RECORD})
                    (import "type" (type $said (eq $plain)))
                    (import "call" (func $call (result $said)))
                    (export $description "description" (type $said))
                    (export "describe" (func $call) (func (result $description))))
                (instance $about (instantiate $shim (with "type" (type $said)) (with "call" (func $describe))))
                (export "benchhost:plugin/about@{contract}" (instance $about))
                {dataset})"#
        );
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}
