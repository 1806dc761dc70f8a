//! What generated code says in words: each is true of the document, and said once.

use frontdesk_codegen::fileset::FileSet;

use crate::fixtures::{document, generated, options};

const SHOP: &str = r##"
openapi: 3.0.3
info: {title: The PetShopClient, version: '1', description: "# Pets\n\nPets for all.\n\nAnd more."}
servers: [{url: 'https://pets.example'}]
tags: [{name: pets, description: Everything about pets}, {name: odds}]
paths:
  /pets/{id}:
    get:
      tags: [pets]
      operationId: getPet
      summary: Finds a pet
      description: finds a pet.
      parameters:
        - {name: id, in: path, required: true, description: 'Its number, e.g. Rex has 1. Others too.', schema: {type: integer}}
        - {name: full, in: query, required: true, schema: {type: boolean}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/pet_v1'}}}}
        '400': {description: 400 Bad Request}
  /odd:
    post:
      tags: [odds]
      operationId: postOdd
      requestBody: {content: {'*/*': {schema: {type: object, properties: {kind: {type: string, enum: [a, '']}}}}}}
      responses: {'404': {description: gone}}
    put:
      tags: [odds]
      operationId: putOdd
      responses: {default: {description: successful operation}}
components:
  schemas:
    pet_v1:
      type: object
      properties:
        name: {type: string, description: what it is called}
        home:
          oneOf:
            - {type: object, required: [on], properties: {on: {type: string, enum: [land]}}}
            - {type: object, required: [on], properties: {on: {type: string, enum: [sea]}}}
"##;

fn made(text: &str) -> FileSet {
    generated(&document(text), &options("shop", "openapi.yaml")).files
}

/// Fails unless the files hold these lines, in this order.
fn assert_says(files: &FileSet, prefix: &str, lines: &[&str]) {
    let text: String =
        files.iter().filter(|(path, _)| path.starts_with(prefix)).map(|(_, text)| text).collect();
    let mut rest = text.lines();
    for line in lines {
        assert!(rest.any(|said| said.trim() == *line), "{prefix} does not say `{line}`:\n{text}");
    }
}

#[test]
fn roots_open_with_what_the_document_says_and_a_call_that_can_be_made() {
    let files = made(SHOP);
    assert_says(
        &files,
        "client/src/lib.rs",
        &[
            "//! Client of the PetShop 1.",
            "//!",
            "//! Pets for all.",
            "//!",
            "//! let client = Client::at(&Client::SERVERS[0]).build()?;",
            "//! let response = client.pets().get(1, true).await?;",
            "//! - [`Client::pets`]: Everything about pets.",
            "//! - [`Client::odds`]",
        ],
    );
    assert_says(
        &files,
        "server/src/lib.rs",
        &["//! Pets for all.", "//! - [`Pets`]: Everything about pets."],
    );
    assert_says(&files, "model/src/lib.rs", &["//! Pets for all."]);
}

#[test]
fn methods_tell_of_their_arguments() {
    assert_says(
        &made(SHOP),
        "client/src/pets.rs",
        &[
            "impl Pets<'_> {",
            "/// finds a pet.",
            "///",
            "/// `GET /pets/{id}`",
            "///",
            "/// # Arguments",
            "///",
            "/// - `id`: Its number, e.g. Rex has 1. Others too.",
            "pub fn get(self, id: i64, full: bool) -> Call<GetPet> {",
        ],
    );
    assert_says(
        &made(SHOP),
        "client/src/odds.rs",
        &["/// Sent as JSON; the document accepts any content type."],
    );
}

#[test]
fn answers_that_the_document_does_not_declare_are_told() {
    assert_says(
        &made(SHOP),
        "model/src/operations/odds.rs",
        &[
            "/// The successful response of [`PUT_ODD`]: the document declares one response for all other statuses.",
            "/// The responses of [`PUT_ODD`] with other statuses than 2XX.",
            "/// Any other status: successful operation",
            "/// The successful response of [`POST_ODD`]: the document declares none, so every 2XX status is one.",
            "/// Any 2XX status.",
        ],
    );
    assert_says(&made(SHOP), "model/src/operations/pets.rs", &["/// 400: Bad Request"]);
}

#[test]
fn types_without_a_description_are_told_by_their_place() {
    assert_says(
        &made(SHOP),
        "model/src/schemas/",
        &[
            "/// The schema `pet_v1`.",
            "/// Sets `name`: what it is called",
            "/// `home` in `PetV1`: one of several variants, distinguished by `on`.",
            "/// A form of `PetV1Home`.",
        ],
    );
    assert_says(
        &made(SHOP),
        "model/src/schemas/",
        &[
            "/// The request body of `POST /odd`.",
            "/// The values of `kind` in `PostOddBody`.",
            "/// The empty text.",
        ],
    );
}

#[test]
fn what_needs_every_tag_is_compiled_with_all_of_them() {
    let operations = (0..156).map(|index| {
        let shared = "{$ref: '#/components/responses/Gone'}";
        format!("  /g{0}/p{index}: {{get: {{tags: [g{0}], responses: {{'204': {{description: ok}}, '410': {shared}}}}}}}\n", index % 26)
    });
    let response = "{description: gone, content: {application/json: {schema: {type: string}}}}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{}  /x: {{get: {{tags: [g0], responses: {{'404': {{$ref: '#/components/responses/Lost'}}}}}}}}\ncomponents: {{responses: {{Gone: {response}, Lost: {response}}}}}\n",
        operations.collect::<String>(),
    );
    let files = made(&text);
    let all = "#[cfg(feature = \"all\")]";
    assert_says(
        &files,
        "server/src/lib.rs",
        &[all, "mod router;", all, "pub use self::router::{router, routes};"],
    );
    assert!(!files.get("server/src/lib.rs").unwrap().contains("[`router`]"));
}

const DESCRIBED: &str = r#"
openapi: 3.0.3
info: {title: Described, version: '1'}
paths:
  /pets/{id}:
    get:
      tags: [pets]
      operationId: getPet
      parameters:
        - {name: id, in: path, required: true, deprecated: true, schema: {type: string, description: Its tag., minLength: 4, maxLength: 4}}
        - {name: size, in: query, schema: {$ref: '#/components/schemas/Size'}}
        - {name: limit, in: query, description: How many., schema: {type: integer, minimum: 1, maximum: 50, default: 20}}
        - {name: page, in: query, schema: {type: integer, format: int32, minimum: 1}}
      responses:
        '200':
          description: ok
          headers: {X-Rest: {schema: {type: integer, description: What is left.}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
components:
  schemas:
    Size: {type: string, enum: [small, large], description: How large it is.}
    Cat: {type: object, description: "Says meow. And more.", required: [claws], properties: {claws: {type: integer}}}
    Dog: {type: object, description: '{"bark": "loud."} ...', required: [bark], properties: {bark: {type: string}}}
    Pet:
      description: One of the family.
      oneOf:
        - $ref: '#/components/schemas/Cat'
        - $ref: '#/components/schemas/Dog'
        - {title: A fish of the sea, type: object, required: [fins], properties: {fins: {type: integer}}}
        - {title: Bird, type: object, required: [wings], properties: {wings: {type: integer}}}
        - {type: string, description: Its name., maxLength: 9, deprecated: true}
        - {type: integer, minimum: 1}
    Mood:
      oneOf:
        - {type: string, enum: [happy], title: In a good mood}
        - {type: string, enum: [sad], description: Wants to be left alone.}
"#;

#[test]
fn variants_say_what_the_document_says_of_their_branches() {
    let made = made(DESCRIBED);
    assert_says(
        &made,
        "model/src/schemas/",
        &[
            "/// One of the family.",
            "/// Says meow.",
            "Cat(Cat),",
            "/// A value of [`Dog`].",
            "Dog(Dog),",
            "/// A fish of the sea",
            "AFishOfTheSea(PetAFishOfTheSea),",
            "/// A value of [`PetBird`].",
            "Bird(PetBird),",
            "/// Its name.",
            "///",
            "/// At most 9 characters.",
            "///",
            "/// Deprecated.",
            "String(String),",
            "/// An integer. At least 1.",
            "Integer(i64),",
        ],
    );
    assert_says(
        &made,
        "model/src/schemas/",
        &["/// In a good mood", "Happy = \"happy\",", "/// Wants to be left alone.", "Sad = \"sad\","],
    );
}

#[test]
fn parameters_say_what_their_schemas_say() {
    let made = made(DESCRIBED);
    assert_says(
        &made,
        "client/src/pets.rs",
        &[
            "/// - `id`: Deprecated. Its tag. Exactly 4 characters.",
            "/// How large it is.",
            "/// How many.",
            "///",
            "/// 1 to 50. Absence means `20`.",
            "/// Sets `page`. At least 1.",
        ],
    );
    assert_says(
        &made,
        "server/src/pets.rs",
        &[
            "/// Its tag.",
            "/// Exactly 4 characters.",
            "/// How large it is.",
            "/// `page` in the query. At least 1.",
        ],
    );
    assert_says(&made, "model/src/responses.rs", &["/// What is left."]);
}

/// Markdown takes `[word]: sentence` for the definition of a link and shows nothing, and linters report it
/// inside of lists.
#[test]
fn no_text_becomes_the_definition_of_a_link() {
    let text = r"openapi: 3.0.3
info: {title: T, version: '1', description: '[internal]: yes'}
tags: [{name: pets, description: Animals}, {name: people, description: '[owners]: people'}]
paths:
  /pets:
    get:
      tags: [pets]
      operationId: listPets
      summary: '[old]: never'
      description: |
        - [beta]: soon
        - [later]: perhaps
      parameters: [{name: q, in: query, description: '[q]: words', schema: {type: string}}]
      responses:
        '200': {description: '[pets]: all', content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
  /people:
    get:
      tags: [people]
      operationId: listPeople
      responses: {'204': {description: None.}}
components:
  schemas:
    Pet:
      description: '[deprecated]: use'
      type: object
      properties: {name: {description: '> [note]: careful', type: string}}
";
    let files = generated(&document(text), &options("t", "openapi.yaml")).files;
    let mut checked = 0;
    for (path, text) in files.iter() {
        let mut docs = String::new();
        for line in text.lines().map(str::trim_start).chain([""]) {
            match line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
                Some(line) => docs.push_str(&format!("{}\\n", line.strip_prefix(' ').unwrap_or(line))),
                None => {
                    let parser = pulldown_cmark::Parser::new(&docs);
                    let hidden: Vec<&str> =
                        parser.reference_definitions().iter().map(|(name, _)| name).collect();
                    assert!(hidden.is_empty(), "{path}: {hidden:?} of\\n{docs}");
                    checked += usize::from(docs.contains(']'));
                    docs.clear();
                }
            }
        }
    }
    assert!(checked > 5, "the texts are in the docs");
}
