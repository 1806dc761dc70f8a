//! The table of the OpenAPI specification, edge cases, and round trips over all combinations.

use super::{Param, Place, Style, decode, encode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt::Debug};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Color {
    #[serde(rename = "R")]
    red: u8,
    #[serde(rename = "G")]
    green: u8,
    #[serde(rename = "B")]
    blue: u8,
}

const COLOR: Color = Color { red: 100, green: 200, blue: 150 };
const COLORS: [&str; 3] = ["blue", "black", "brown"];

fn param(place: Place, style: Style, explode: bool) -> Param {
    Param { name: "color", place, style, explode, reserved: false, others: &[] }
}

fn written<T: Serialize + ?Sized>(param: &Param, value: &T) -> String {
    let pairs = encode(param, value).unwrap();
    match param.place {
        Place::Path | Place::Header => pairs[0].1.clone(),
        _ => pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&"),
    }
}

fn read<T: DeserializeOwned>(param: &Param, text: &str) -> Result<Option<T>, String> {
    let found: Vec<(&str, &str)> = match param.place {
        Place::Path | Place::Header => vec![(param.name, text)],
        _ => text
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect(),
    };
    decode(param, &found)
}

#[test]
fn the_table_of_the_specification_holds() {
    use Place::{Cookie, Header, Path, Query};
    use Style::{DeepObject, Form, Label, Matrix, PipeDelimited, Simple, SpaceDelimited};

    for (place, style, explode, empty, text, list, object) in [
        (Path, Matrix, false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        (
            Path,
            Matrix,
            true,
            ";color",
            ";color=blue",
            ";color=blue;color=black;color=brown",
            ";R=100;G=200;B=150",
        ),
        (Path, Label, false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        (Path, Label, true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        (Path, Simple, false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        (Path, Simple, true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        (Header, Simple, false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        (Header, Simple, true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        (Query, Form, false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (
            Query,
            Form,
            true,
            "color=",
            "color=blue",
            "color=blue&color=black&color=brown",
            "R=100&G=200&B=150",
        ),
        (Cookie, Form, false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (
            Query,
            SpaceDelimited,
            false,
            "color=",
            "color=blue",
            "color=blue%20black%20brown",
            "color=R%20100%20G%20200%20B%20150",
        ),
        (
            Query,
            PipeDelimited,
            false,
            "color=",
            "color=blue",
            "color=blue%7Cblack%7Cbrown",
            "color=R%7C100%7CG%7C200%7CB%7C150",
        ),
        (
            Query,
            DeepObject,
            true,
            "color=",
            "color=blue",
            "color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown",
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
        ),
    ] {
        let param = param(place, style, explode);
        assert_eq!(written(&param, ""), empty, "{param:?}");
        assert_eq!(written(&param, "blue"), text, "{param:?}");
        assert_eq!(written(&param, &COLORS), list, "{param:?}");
        assert_eq!(written(&param, &COLOR), object, "{param:?}");
        assert_eq!(read::<String>(&param, empty).unwrap().unwrap(), "", "{param:?}");
        assert_eq!(read::<String>(&param, text).unwrap().unwrap(), "blue", "{param:?}");
        assert_eq!(read::<Vec<String>>(&param, list).unwrap().unwrap(), COLORS, "{param:?}");
        assert_eq!(read::<Color>(&param, object).unwrap().unwrap(), COLOR, "{param:?}");
    }
}

#[test]
fn other_spellings_are_read() {
    let list = |style, text| read::<Vec<String>>(&param(Place::Query, style, false), text).unwrap().unwrap();
    assert_eq!(list(Style::PipeDelimited, "color=a%7Cb"), ["a", "b"]);
    assert_eq!(list(Style::PipeDelimited, "color=a|b%7Cc"), ["a", "b|c"]);
    assert_eq!(list(Style::SpaceDelimited, "color=a+b%20c"), ["a", "b", "c"]);
    assert_eq!(list(Style::Form, "color=a&color=b"), ["a", "b"]);
    let label = param(Place::Path, Style::Label, false);
    assert_eq!(read::<Vec<String>>(&label, ".a.b").unwrap().unwrap(), ["a", "b"]);
    let numbers =
        |explode, text| read::<Vec<i64>>(&param(Place::Query, Style::Form, explode), text).unwrap().unwrap();
    assert_eq!(numbers(false, "color=1%2C2"), [1, 2]);
    assert_eq!(numbers(true, "color=1,2"), [1, 2]);
    assert_eq!(numbers(true, "color="), [0_i64; 0]);
    let header = param(Place::Header, Style::Simple, false);
    assert_eq!(read::<Vec<String>>(&header, "a , b,c").unwrap().unwrap(), ["a", "b", "c"]);
}

#[test]
fn an_entry_keeps_its_delimiters() {
    let form = param(Place::Query, Style::Form, false);
    assert_eq!(written(&form, &["a,b", "c d+e&f"]), "color=a%2Cb,c%20d%2Be%26f");
    assert_eq!(read::<Vec<String>>(&form, "color=a%2Cb").unwrap().unwrap(), ["a,b"]);
    let reserved = form.reserved();
    assert_eq!(written(&reserved, &["a,b", "/c?d=e&f#"]), "color=a%2Cb,/c?d=e%26f%23");
}

#[test]
fn what_could_not_be_told_apart_is_not_written() {
    for (param, value) in [
        (param(Place::Query, Style::SpaceDelimited, false), vec!["a b"]),
        (param(Place::Query, Style::PipeDelimited, false), vec!["a|b"]),
        (param(Place::Header, Style::Simple, false), vec!["a,b", "c"]),
        (param(Place::Path, Style::Simple, false), vec![""]),
    ] {
        assert!(encode(&param, &value).unwrap_err().starts_with("must not"), "{param:?}");
    }
    let nested = BTreeMap::from([("a", BTreeMap::from([("b", 1)]))]);
    assert!(encode(&param(Place::Query, Style::Form, true), &nested).is_err());
    assert!(encode(&param(Place::Query, Style::Form, true), &f64::NAN).is_err());
}

#[test]
fn deep_objects_nest() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Filter {
        size: BTreeMap<String, i64>,
        tags: Vec<String>,
        rows: Vec<Color>,
    }
    let deep = param(Place::Query, Style::DeepObject, true);
    let filter = Filter {
        size: BTreeMap::from([("g]t".to_owned(), 3)]),
        tags: vec!["a,b".to_owned(), "[".to_owned()],
        rows: vec![COLOR],
    };
    let text = written(&deep, &filter);
    assert_eq!(
        text,
        "color[size][g%5Dt]=3&color%5Btags%5D%5B%5D=a%2Cb&color%5Btags%5D%5B%5D=%5B\
         &color%5Brows%5D%5B0%5D%5BR%5D=100&color%5Brows%5D%5B0%5D%5BG%5D=200&color%5Brows%5D%5B0%5D%5BB%5D=150"
    );
    assert_eq!(read::<Filter>(&deep, &text).unwrap().unwrap(), filter);
    let encoded = "color%5BR%5D=1&color%5BG%5D=2&color[B]=3&other[R]=9&colors=1";
    assert_eq!(read::<Color>(&deep, encoded).unwrap().unwrap(), Color { red: 1, green: 2, blue: 3 });
    assert_eq!(read::<Color>(&deep, "other=1").unwrap(), None);
    let lists = "color[a][2]=z&color[a][10]=ä&color[b]=1&color[b]=2";
    let lists: BTreeMap<String, Vec<String>> = read(&deep, lists).unwrap().unwrap();
    assert_eq!(
        lists,
        BTreeMap::from([
            ("a".into(), vec!["z".into(), "ä".into()]),
            ("b".into(), vec!["1".into(), "2".into()])
        ])
    );
    let abyss = format!("color{}=1", "[a]".repeat(100_000));
    assert!(read::<serde_json::Value>(&deep, &abyss).unwrap_err().contains("nested"));
}

#[test]
fn objects_stand_next_to_other_parameters() {
    let form = param(Place::Query, Style::Form, true);
    let text = "page=2&R=1&G=2&B=3&color2=%FF";
    assert_eq!(read::<Color>(&form, text).unwrap().unwrap(), Color { red: 1, green: 2, blue: 3 });
    assert_eq!(read::<Color>(&form, "page=2").unwrap(), None);
    assert_eq!(read::<Color>(&form, "R=1").unwrap_err(), "member `G` is required");
    assert_eq!(read::<Vec<u8>>(&form, "page=2").unwrap(), None);
    assert_eq!(read::<u8>(&form, "").unwrap(), None);
}

#[test]
fn the_rule_that_is_broken_is_told() {
    let form = param(Place::Query, Style::Form, true);
    for text in ["+1", "%2B1", "1.5", "x", "9223372036854775808", "", "inf"] {
        let error = read::<i64>(&form, &format!("color={text}")).unwrap_err();
        assert_eq!(error, "must be an integer of 64 bits", "{text}");
    }
    for text in ["inf", "NaN", "1e999", "%2B1", "-"] {
        assert_eq!(read::<f64>(&form, &format!("color={text}")).unwrap_err(), "must be a number", "{text}");
    }
    assert_eq!(read::<bool>(&form, "color=True").unwrap_err(), "must be true or false");
    assert_eq!(read::<i64>(&form, "color=1&color=2").unwrap_err(), "must be given once");
    assert_eq!(
        read::<Vec<u8>>(&form, "color=1&color=x").unwrap_err(),
        "entry 1 must be an integer between 0 and 255"
    );
    assert_eq!(read::<String>(&form, "color=%FF").unwrap_err(), "must be text in UTF-8, percent-encoded");
    let json = param(Place::Query, Style::Json, false);
    assert!(read::<Color>(&json, "color=%7B").unwrap_err().starts_with("must be valid JSON: "));
}

#[test]
fn json_goes_everywhere() {
    let value = serde_json::json!({"a": [1, "ü 😀,;\""], "b": null});
    for place in [Place::Path, Place::Query, Place::Header, Place::Cookie] {
        let param = param(place, Style::Json, false);
        let text = written(&param, &value);
        assert!(text.is_ascii(), "{text}");
        assert_eq!(read::<serde_json::Value>(&param, &text).unwrap().unwrap(), value);
    }
}

#[test]
fn a_union_reads_numbers_where_text_does_not_fit() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Union {
        Number(i64),
        Flag(bool),
        List(Vec<i64>),
    }
    let form = param(Place::Query, Style::Form, false);
    assert_eq!(read::<Union>(&form, "color=5").unwrap().unwrap(), Union::Number(5));
    assert_eq!(read::<Union>(&form, "color=true").unwrap().unwrap(), Union::Flag(true));
    assert_eq!(read::<Union>(&form, "color=1,2").unwrap().unwrap(), Union::List(vec![1, 2]));
    assert_eq!(read::<serde_json::Value>(&form, "color=5").unwrap().unwrap(), "5");
}

#[test]
fn decimals_keep_every_digit() {
    let form = param(Place::Query, Style::Form, true);
    let text = "1234567890.123456789012345678";
    let number: crate::Decimal = read(&form, &format!("color={text}")).unwrap().unwrap();
    assert_eq!(number.to_string(), text);
    assert!(read::<crate::Decimal>(&form, "color=x").unwrap_err().starts_with("must be a decimal number"));
}

/// A small reproducible generator; the quality of its numbers does not matter.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 24] = [
            "a", "Z", "0", ",", ".", ";", "=", "|", " ", "+", "%", "%2C", "&", "#", "/", "?", "[", "]", "\"",
            "ü", "😀", "-", "null", "\\",
        ];
        let length = self.below(4);
        (0..length).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + Debug + PartialEq>(
    param: &Param,
    value: &T,
    empty: &T,
) -> bool {
    let Ok(pairs) = encode(param, value) else { return false };
    let found: Vec<(&str, &str)> =
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let back =
        decode::<T>(param, &found).unwrap_or_else(|error| panic!("{param:?} {value:?} {pairs:?}: {error}"));
    assert_eq!(back.as_ref().unwrap_or(empty), value, "{param:?} {pairs:?}");
    true
}

#[test]
fn what_is_written_is_read() {
    use Style::{DeepObject, Form, Json, Label, Matrix, PipeDelimited, Simple, SpaceDelimited};

    let combinations: [(Place, &[Style]); 4] = [
        (Place::Path, &[Simple, Label, Matrix, Json]),
        (Place::Query, &[Form, SpaceDelimited, PipeDelimited, DeepObject, Json]),
        (Place::Header, &[Simple, Json]),
        (Place::Cookie, &[Form, Json]),
    ];
    let mut random = Random(1);
    for (place, styles) in combinations {
        for style in styles {
            for explode in [false, true] {
                for reserved in [false, true] {
                    let param =
                        Param { name: "a[b] c", place, style: *style, explode, reserved, others: &[] };
                    let mut taken = 0;
                    for _ in 0..500 {
                        let list: Vec<String> = (0..random.below(4)).map(|_| random.text()).collect();
                        taken += usize::from(round_trip(&param, &list, &Vec::new()));
                        let map: BTreeMap<String, String> =
                            (0..random.below(4)).map(|_| (random.text(), random.text())).collect();
                        taken += usize::from(round_trip(&param, &map, &BTreeMap::new()));
                        let text = random.text();
                        if place != Place::Header || *style == Json || text.trim() == text {
                            assert!(round_trip(&param, &text, &String::new()), "{param:?} {text:?}");
                        }
                        let number = f64::from(u32::try_from(random.below(1000)).unwrap()) / 7.0;
                        assert!(round_trip(&param, &vec![number, -1e300, 0.0], &Vec::new()));
                    }
                    assert!(taken > 400, "{param:?} refuses too much: {taken}");
                }
            }
        }
    }
}
