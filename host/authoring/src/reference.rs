//! The contract as a page for people, made from the WIT itself, so that the two cannot say different things.

use std::fmt::Write as _;

use wit_parser::{
    Docs, Function, FunctionKind, Handle, Interface, Resolve, Type, TypeDef, TypeDefKind, TypeId, World, WorldItem,
    WorldKey,
};

use crate::CONTRACT;

const HEAD: &str = "\
<!-- Made from wit/ by `cargo run -p benchhost-authoring --example reference > docs/contract.md`; a test keeps it so. -->

# Reference of the contract

Everything that plugin and host say to each other. `benchhost plugin wit DIR` writes the same as WIT, which tools of every language read. How to write a
plugin is in [plugins.md](plugins.md).

A function that is *imported* is the host's, and the plugin calls it; one that is *exported* is the plugin's, and the host calls it. `borrow<…>` is lent for the
length of the call; every other handle is given away. `result<T, error>` is an exception where the language has them.

";

/// The page, in Markdown.
///
/// # Errors
///
/// The parser's words, if the files of the contract are not WIT: a test says so first.
pub fn reference() -> Result<String, String> {
    let text: String = CONTRACT.iter().map(|file| one_package(file.text)).collect();
    let mut resolve = Resolve::default();
    let package = resolve
        .push_str("contract.wit", &format!("package benchhost:plugin@0.1.0;\n{text}"))
        .map_err(|error| format!("{error:#}"))?;
    let package = &resolve.packages[package];
    let page = Page { resolve: &resolve };
    let mut out = String::from(HEAD);
    out.push_str("## Worlds\n\n");
    for world in package.worlds.values() {
        page.world(&resolve.worlds[*world], &mut out);
    }
    let mut interfaces: Vec<&Interface> = package.interfaces.values().map(|id| &resolve.interfaces[*id]).collect();
    interfaces.sort_by_key(|interface| interface.name.clone());
    for interface in interfaces {
        page.interface(interface, &mut out);
    }
    Ok(out)
}

/// The file without its own package line: all of them are one package.
fn one_package(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("package ")).map(|line| format!("{line}\n")).collect()
}

struct Page<'a> {
    resolve: &'a Resolve,
}

impl Page<'_> {
    fn world(&self, world: &World, out: &mut String) {
        let names = |items: Vec<(&WorldKey, &WorldItem)>| -> String {
            let mut names: Vec<String> = items
                .into_iter()
                .filter_map(|(_, item)| match item {
                    WorldItem::Interface { id, .. } => self.resolve.interfaces[*id].name.clone(),
                    _ => None,
                })
                .map(|name| format!("[`{name}`](#{name})"))
                .collect();
            names.sort();
            names.join(", ")
        };
        push(out, &format!("### World `{}`\n\n", world.name));
        push(out, &paragraph(&world.docs));
        push(out, &format!("- exports {}\n", names(world.exports.iter().collect())));
        push(out, &format!("- imports {}\n\n", names(world.imports.iter().collect())));
    }

    fn interface(&self, interface: &Interface, out: &mut String) {
        let name = interface.name.as_deref().unwrap_or_default();
        push(out, &format!("## {name}\n\n"));
        push(out, &paragraph(&interface.docs));
        for (name, id) in &interface.types {
            self.type_definition(name, *id, interface, out);
        }
        let free: Vec<&Function> =
            interface.functions.values().filter(|function| function.kind == FunctionKind::Freestanding).collect();
        for function in &free {
            push(out, &self.function(&function.name, function));
        }
        if !free.is_empty() {
            out.push('\n');
        }
    }

    fn type_definition(&self, name: &str, id: TypeId, interface: &Interface, out: &mut String) {
        let definition: &TypeDef = &self.resolve.types[id];
        let heading = |kind: &str, out: &mut String| {
            push(out, &format!("### {kind} `{name}`\n\n"));
            push(out, &paragraph(&definition.docs));
        };
        match &definition.kind {
            TypeDefKind::Record(record) => {
                heading("Record", out);
                out.push_str("| field | type | meaning |\n| --- | --- | --- |\n");
                for field in &record.fields {
                    let (ty, docs) = (self.ty(&field.ty), cell(&field.docs));
                    push(out, &format!("| `{}` | `{ty}` | {docs} |\n", field.name));
                }
                out.push('\n');
            }
            TypeDefKind::Enum(cases) => {
                heading("Enum", out);
                out.push_str("| case | meaning |\n| --- | --- |\n");
                for case in &cases.cases {
                    push(out, &format!("| `{}` | {} |\n", case.name, cell(&case.docs)));
                }
                out.push('\n');
            }
            TypeDefKind::Resource => {
                heading("Resource", out);
                for function in interface.functions.values() {
                    let own = match function.kind {
                        FunctionKind::Method(of) | FunctionKind::Static(of) | FunctionKind::Constructor(of) => of == id,
                        _ => false,
                    };
                    if own {
                        push(out, &self.function(function.item_name(), function));
                    }
                }
                out.push('\n');
            }
            // A `use` of another interface.
            _ => {}
        }
    }

    /// One item of a list.
    fn function(&self, name: &str, function: &Function) -> String {
        // The handle that a method belongs to is said by the heading.
        let hidden = usize::from(matches!(function.kind, FunctionKind::Method(_)));
        let parameters: Vec<String> = function
            .params
            .iter()
            .skip(hidden)
            .map(|parameter| format!("{}: {}", parameter.name, self.ty(&parameter.ty)))
            .collect();
        let (name, result) = match (&function.kind, &function.result) {
            (FunctionKind::Constructor(_), _) => ("constructor", String::new()),
            (_, Some(result)) => (name, format!(" -> {}", self.ty(result))),
            (_, None) => (name, String::new()),
        };
        let is_static = if matches!(function.kind, FunctionKind::Static(_)) { "static " } else { "" };
        let mut item = format!("- `{is_static}{name}({}){result}`", parameters.join(", "));
        let docs = cell(&function.docs);
        if !docs.is_empty() {
            let _ = write!(item, "  \n  {docs}");
        }
        item + "\n"
    }

    fn ty(&self, ty: &Type) -> String {
        let name = match ty {
            Type::Bool => "bool",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::S8 => "s8",
            Type::S16 => "s16",
            Type::S32 => "s32",
            Type::S64 => "s64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Char => "char",
            Type::String => "string",
            Type::ErrorContext => "error-context",
            Type::Id(id) => return self.defined(*id),
        };
        name.to_owned()
    }

    fn defined(&self, id: TypeId) -> String {
        let definition = &self.resolve.types[id];
        if let Some(name) = &definition.name {
            return name.clone();
        }
        let or_none = |ty: &Option<Type>| ty.as_ref().map_or_else(|| "_".to_owned(), |ty| self.ty(ty));
        match &definition.kind {
            TypeDefKind::Option(of) => format!("option<{}>", self.ty(of)),
            TypeDefKind::List(of) => format!("list<{}>", self.ty(of)),
            TypeDefKind::Result(of) => format!("result<{}, {}>", or_none(&of.ok), or_none(&of.err)),
            TypeDefKind::Handle(Handle::Borrow(of)) => format!("borrow<{}>", self.defined(*of)),
            TypeDefKind::Handle(Handle::Own(of)) => self.defined(*of),
            TypeDefKind::Tuple(of) => {
                let types: Vec<String> = of.types.iter().map(|ty| self.ty(ty)).collect();
                format!("tuple<{}>", types.join(", "))
            }
            TypeDefKind::Type(of) => self.ty(of),
            other => other.as_str().to_owned(),
        }
    }
}

fn push(out: &mut String, text: &str) {
    out.push_str(text);
}

/// Docs as a paragraph of their own.
fn paragraph(docs: &Docs) -> String {
    match &docs.contents {
        Some(text) => format!("{}\n\n", escaped(text.trim())),
        None => String::new(),
    }
}

/// Docs in one line.
fn cell(docs: &Docs) -> String {
    let text = docs.contents.as_deref().unwrap_or_default();
    escaped(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What Markdown would take for its own, outside of code.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for c in text.chars() {
        code ^= c == '`';
        match c {
            '<' if !code => out.push_str("&lt;"),
            '|' => out.push_str("\\|"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_page_in_docs_is_this_one() {
        let page = reference().unwrap();
        assert!(
            page == include_str!("../../../docs/contract.md"),
            "docs/contract.md is not made from wit/: cargo run -p benchhost-authoring --example reference > docs/contract.md"
        );
    }

    #[test]
    fn every_function_record_and_enum_of_the_contract_is_there() {
        let page = reference().unwrap();
        for file in CONTRACT {
            for line in file.text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
                let name = line.split([':', ' ', '(', '{']).next().unwrap_or_default();
                if line.contains(": func(") || line.contains(": static func(") {
                    assert!(
                        page.contains(&format!("`{name}(")) || page.contains(&format!("`static {name}(")),
                        "{line}"
                    );
                }
                for (word, title) in [("record ", "Record"), ("enum ", "Enum"), ("resource ", "Resource")] {
                    if let Some(name) = line.strip_prefix(word) {
                        let name = name.trim_end_matches([' ', '{']);
                        assert!(page.contains(&format!("### {title} `{name}`")), "{line}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_markdown_would_take_for_its_own_is_escaped_outside_of_code() {
        assert_eq!(escaped("a <b> `c<d>` e|f"), "a &lt;b> `c<d>` e\\|f");
    }
}
