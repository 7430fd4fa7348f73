//! The files of the projects, compiled in. `build.rs` lists what lies below `templates/LANGUAGE/KIND/`.

use crate::{Kind, Language};

/// Taken off a file's name. It keeps cargo, git and go from taking a template for a package of this repository.
const SUFFIX: &str = ".template";

/// Stands for the plugin's name.
const NAME: &str = "@NAME@";

/// Stands for the plugin's name where a language wants an identifier.
const IDENTIFIER: &str = "@IDENT@";

struct TemplateFile {
    language: &'static str,
    kind: &'static str,
    path: &'static str,
    text: &'static str,
}

static FILES: &[TemplateFile] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Whether there is a project of this kind in this language.
#[must_use]
pub fn offered(language: Language, kind: Kind) -> bool {
    of(language, kind).next().is_some()
}

/// The files of a project, path inside it and text, with the plugin's name in its places.
pub(crate) fn filled(language: Language, kind: Kind, name: &str) -> Vec<(String, String)> {
    let identifier = name.replace('-', "_");
    let fill = |text: &str| text.replace(NAME, name).replace(IDENTIFIER, &identifier);
    of(language, kind)
        .map(|file| (fill(file.path.strip_suffix(SUFFIX).unwrap_or(file.path)), fill(file.text)))
        .collect()
}

fn of(language: Language, kind: Kind) -> impl Iterator<Item = &'static TemplateFile> {
    FILES.iter().filter(move |file| file.language == language.word() && file.kind == kind.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = (Language, Kind)> {
        Language::ALL.into_iter().flat_map(|language| Kind::ALL.map(|kind| (language, kind)))
    }

    #[test]
    fn every_folder_of_templates_is_a_language_and_a_kind() {
        for file in FILES {
            assert!(
                all().any(|(language, kind)| language.word() == file.language && kind.word() == file.kind),
                "templates/{}/{}/{} is never used",
                file.language,
                file.kind,
                file.path
            );
        }
    }

    #[test]
    fn a_language_has_both_kinds_or_none() {
        for language in Language::ALL {
            assert_eq!(offered(language, Kind::Target), offered(language, Kind::Generator), "{language}");
        }
        assert!(offered(Language::Rust, Kind::Target));
    }

    #[test]
    fn a_project_has_words_on_how_to_go_on_and_its_own_name() {
        for (language, kind) in all().filter(|(language, kind)| offered(*language, *kind)) {
            let files = filled(language, kind, "my-db");
            for wanted in ["README.md", ".gitignore"] {
                assert!(files.iter().any(|(path, _)| path == wanted), "{language} {kind} has no {wanted}");
            }
            for (path, text) in &files {
                assert!(!text.contains(NAME) && !text.contains(IDENTIFIER) && !path.ends_with(SUFFIX), "{path}");
            }
            assert!(files.iter().any(|(_, text)| text.contains("my-db")), "{language} {kind}");
        }
    }
}
