//! The bundled model against onnxruntime, across languages, and from several threads; folders that are not a
//! model.

use frontdesk_embedding::{Model, Vector};
use serde::Deserialize;
use std::{fs, path::Path, thread};
use tempfile::TempDir;

/// The folder of the bundled model.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/model");

#[derive(Deserialize)]
struct Reference {
    kind: String,
    text: String,
    vector: Vec<f32>,
}

fn passage(model: &Model, text: &str) -> Vector {
    model.embed_passages(&[text]).expect("the model runs").remove(0)
}

#[test]
fn equals_the_reference_runtime() {
    let model = Model::bundled().unwrap();
    let references: Vec<Reference> = serde_json::from_str(include_str!("fixtures/vectors.json")).unwrap();
    assert!(references.len() >= 12);
    let mut differences = 0.0;
    for reference in &references {
        let vector = match reference.kind.as_str() {
            "query" => model.embed_query(&reference.text, Some("de")).unwrap(),
            _ => passage(&model, &reference.text),
        };
        assert_eq!(vector.as_slice().len(), model.dimensions());
        let difference = 1.0 - vector.dot(&Vector::new(reference.vector.clone()).unwrap());
        // Activations are rounded to 8 bits in each layer, so the order of additions shows: onnxruntime with
        // and without its optimizations differs by up to 0.003.
        assert!(difference.abs() < 0.005, "{difference} for {:?}", reference.text);
        differences += f64::from(difference);
    }
    assert!(differences < 0.002 * f64::from(u32::try_from(references.len()).unwrap()), "{differences}");
}

#[test]
fn a_question_is_nearest_to_its_answer_in_another_language() {
    let model = Model::bundled().unwrap();
    let answers = [
        "Am Samstag haben wir von 9 bis 13 Uhr geöffnet.",
        "Hunde sind in unseren Ferienwohnungen willkommen und kosten nichts.",
        "Bei Glatteis streut der Hausmeister den Weg vor dem Eingang.",
    ];
    let vectors = model.embed_passages(&answers).unwrap();
    for (question, answer) in [
        ("What are your opening hours on Saturday?", 0),
        ("¿A qué hora abren los sábados?", 0),
        ("O której otwieracie w sobotę?", 0),
        ("Can I bring my dog?", 1),
        ("Les chiens sont-ils admis ?", 1),
        ("Posso portare il mio cane?", 1),
    ] {
        let question_vector = model.embed_query(question, None).unwrap();
        let nearest = (0..answers.len())
            .max_by(|a, b| question_vector.dot(&vectors[*a]).total_cmp(&question_vector.dot(&vectors[*b])));
        assert_eq!(nearest, Some(answer), "{question}");
    }
}

#[test]
fn vectors_do_not_depend_on_neighbours_or_threads() {
    let model = Model::bundled().unwrap();
    let texts = ["One.", "Zwei kurze Sätze. Hier ist der andere.", "", "\0", &"trois ".repeat(900)];
    let together = model.embed_passages(&texts).unwrap();
    assert_eq!(model.embed_passages(&[]).unwrap(), []);
    thread::scope(|scope| {
        for (text, expected) in texts.iter().zip(&together) {
            let model = &model;
            scope.spawn(move || assert_eq!(&passage(model, text), expected));
        }
    });
    assert!(together.iter().all(|vector| vector.as_slice().iter().all(|value| value.is_finite())));
}

#[test]
fn a_folder_with_the_same_files_is_the_same_model() {
    let (bundled, folder) = (Model::bundled().unwrap(), Model::from_folder(MODEL).unwrap());
    assert_eq!(bundled.id(), folder.id());
    assert_eq!(bundled.id().len(), 16);
    let question = "Is breakfast included?";
    assert_eq!(bundled.embed_query(question, None).unwrap(), folder.embed_query(question, None).unwrap());
}

#[test]
fn only_english_content_has_a_second_vector() {
    let model = Model::bundled().unwrap();
    let size = |language| {
        let (whole, parts) = model.embed_parts("Shop", &["Open daily."], language).unwrap();
        (whole.quantize().size(), parts[0].as_ref().unwrap().quantize().size())
    };
    assert_eq!((size(Some("en-GB")), size(Some("de")), size(None)), ((776, 776), (388, 388), (388, 388)));
    let question = |content| model.embed_query("When are you open?", content).unwrap().quantize().size();
    assert_eq!((question(Some("en")), question(None), question(Some("fr"))), (776, 776, 388));
}

#[test]
fn the_english_network_alone_is_a_model() {
    let english = Model::from_folder(Path::new(MODEL).join("english")).unwrap();
    let question = english.embed_query("My wallet was stolen", None).unwrap();
    let [near, far] = ["What to do if a thief takes your purse", "We bake bread every morning"]
        .map(|text| question.dot(&passage(&english, text)));
    assert!(near > far + 0.2, "{near} {far}");
}

/// Returns a copy of the bundled model, with `change` made to one of its files.
fn changed(file: &str, change: impl FnOnce(&str) -> String) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let english = folder.path().join("english");
    fs::create_dir(&english).expect("an empty folder");
    for name in ["model.onnx", "model.toml", "vocab.txt"] {
        fs::copy(Path::new(MODEL).join("english").join(name), english.join(name))
            .expect("a file of the model");
    }
    for name in ["model.onnx", "model.toml", "normalizer.tsv", "vocabulary.tsv"] {
        fs::copy(Path::new(MODEL).join(name), folder.path().join(name)).expect("a file of the model");
    }
    let path = folder.path().join(file);
    let content = fs::read(&path).expect("the copied file");
    fs::write(&path, change(&String::from_utf8_lossy(&content))).expect("a writable copy");
    folder
}

fn problem(folder: &TempDir) -> String {
    let problem = Model::from_folder(folder.path()).expect_err("the folder is no model").to_string();
    problem.replace(&folder.path().display().to_string(), "FOLDER")
}

#[test]
fn a_changed_setting_is_another_model() {
    let folder = changed("model.toml", |settings| settings.replace("\"mean\"", "\"first\""));
    let (bundled, other) = (Model::bundled().unwrap(), Model::from_folder(folder.path()).unwrap());
    assert_ne!(bundled.id(), other.id());
    assert_ne!(passage(&bundled, "A text."), passage(&other, "A text."));
}

#[test]
fn a_missing_file_is_named() {
    let folder = changed("model.toml", str::to_owned);
    fs::remove_file(folder.path().join("vocabulary.tsv")).unwrap();
    assert_eq!(
        problem(&folder),
        "cannot read FOLDER/vocabulary.tsv: No such file or directory (os error 2). A model folder has the files \
         model.onnx and model.toml, and vocab.txt, or normalizer.tsv and vocabulary.tsv"
    );
}

#[test]
fn wrong_settings_are_explained() {
    let replaced = |from, to| problem(&changed("model.toml", |settings| settings.replace(from, to)));
    assert_eq!(
        replaced("dimensions = 384", "dimensions = 512"),
        "model.toml says `dimensions = 512`, but the vectors of model.onnx have 384"
    );
    assert_eq!(
        replaced("longest-input = 512", "longest-input = 2"),
        "model.toml is not valid: `longest-input` must be at least 3 (is 2)"
    );
    let too_long = replaced("longest-input = 512", "longest-input = 513");
    let expected = "model.toml says `longest-input = 513`, but model.onnx fails on so many tokens: ";
    assert!(too_long.starts_with(expected), "{too_long}");
    let unknown = replaced("\"mean\"", "\"median\"");
    assert!(unknown.contains("line 10") && unknown.contains("expected `mean` or `first`"), "{unknown}");
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let longer = problem(&changed("vocabulary.tsv", |vocabulary| format!("{vocabulary}▁newword\t-9.5\n")));
    assert!(
        longer.starts_with("the vocabulary has 65301 pieces, but model.onnx does not accept the last one: "),
        "{longer}"
    );
    let cut = problem(&changed("model.onnx", |_| "no model".to_owned()));
    assert!(cut.starts_with("model.onnx cannot be used: "), "{cut}");
}
