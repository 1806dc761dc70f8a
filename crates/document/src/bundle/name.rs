//! Names of components that come from other files.

/// Keys that name the container of an object, not the object.
const STRUCTURE: &[&str] = &[
    "components",
    "schemas",
    "responses",
    "parameters",
    "examples",
    "requestBodies",
    "headers",
    "securitySchemes",
    "links",
    "callbacks",
    "definitions",
    "$defs",
    "paths",
    "properties",
    "items",
    "content",
    "schema",
];

/// Returns the name for an object at these pointer tokens of the file at `path`, before it is made unique.
pub(crate) fn of(tokens: &[String], path: &str) -> String {
    let meaningful: Vec<&str> = match tokens {
        // A component's own name counts even if it looks like structure.
        [components, _, name, rest @ ..] if components == "components" => std::iter::once(name)
            .chain(rest.iter().filter(|token| !is_structure(token)))
            .map(String::as_str)
            .collect(),
        [.., last] if tokens.iter().all(|token| is_structure(token)) => vec![last],
        tokens => tokens.iter().filter(|token| !is_structure(token)).map(String::as_str).collect(),
    };
    let parts: Vec<String> =
        meaningful.into_iter().map(component_key).filter(|part| !part.is_empty()).collect();
    let name = parts.join("_");
    if name.is_empty() { stem(path) } else { name }
}

fn is_structure(token: &str) -> bool {
    STRUCTURE.contains(&token)
}

/// Returns the name of a file without folder and extension, as a component's key.
pub(crate) fn stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem =
        ["json", "yaml", "yml"].iter().find_map(|extension| file.strip_suffix(extension)?.strip_suffix('.'));
    let stem = stem.unwrap_or(file);
    let name = component_key(stem.strip_suffix(".schema").unwrap_or(stem));
    if name.is_empty() { String::from("component") } else { name }
}

/// Returns the text with only the characters that a component's key may have (OpenAPI 3.0.3, Components
/// Object); a text that is such a key already stays as it is.
fn component_key(text: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    if text.chars().all(allowed) {
        return text.to_owned();
    }
    text.split(|character| !allowed(character)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_pointers_and_files() {
        for (pointer, path, name) in [
            ("components|schemas|Chatbot", "a.yaml", "Chatbot"),
            ("components|responses|400", "a.yaml", "400"),
            ("components|schemas|items", "a.yaml", "items"),
            ("components|schemas|Pet|properties|owner", "a.yaml", "Pet_owner"),
            ("components|schemas|_Pet_", "a.yaml", "_Pet_"),
            ("definitions|Pet", "a.yaml", "Pet"),
            ("Pet", "a.yaml", "Pet"),
            ("", "schemas/Pet.yaml", "Pet"),
            ("", "problem-details-0.0.1.schema.json", "problem-details-0.0.1"),
            ("", "äö.yaml", "component"),
            ("components|schemas|Größe", "a.yaml", "Gr_e"),
            ("components|schemas|é", "b/pet.yaml", "pet"),
            ("definitions|schema", "a.yaml", "schema"),
            (
                "paths|/pets/{id}|get|responses|200|content|application/json|schema",
                "a.yaml",
                "pets_id_get_200_application_json",
            ),
        ] {
            let tokens: Vec<String> =
                pointer.split('|').filter(|token| !token.is_empty()).map(String::from).collect();
            assert_eq!(of(&tokens, path), name, "{pointer} of {path}");
        }
    }
}
