//! Search on small indexes: FAQ answers, tags, follow-up questions, typing errors, refusal.

use frontdesk_knowledge::{
    Candidate, FieldTerms, MemoryIndex, OutlineCell, Query, Retrieval, SourceType, search,
};
use uuid::Uuid;

fn chunk(
    title: &str,
    headings: &str,
    text: &str,
    source_type: SourceType,
    url: &str,
    language: &str,
) -> Candidate {
    Candidate {
        chunk_id: Uuid::new_v4(),
        title: title.to_owned(),
        headings: headings.to_owned(),
        text: text.to_owned(),
        url: url.to_owned(),
        source_type,
        language: Some(language.to_owned()),
        terms: FieldTerms::of(title, headings, text, Some(language)),
        outline: OutlineCell::default(),
    }
}

fn page(title: &str, text: &str) -> Candidate {
    let url = format!("https://acme.example/{}", title.to_lowercase().replace(' ', "-"));
    chunk(title, "", text, SourceType::Webpage, &url, "en")
}

fn index_of(chunks: impl IntoIterator<Item = Candidate>) -> MemoryIndex {
    let mut index = MemoryIndex::new();
    for chunk in chunks {
        index.insert(chunk, &[]);
    }
    index
}

/// The content of a small bicycle shop.
fn shop() -> MemoryIndex {
    index_of([
        page(
            "Opening hours",
            "We are open from Tuesday to Saturday, 9 am to 6 pm. On Sunday and Monday the shop is closed.",
        ),
        page("Delivery", "We deliver bicycles within Germany in three days. Shipping costs 29 euros."),
        page("Returns", "You can return a bicycle within 30 days. The refund takes five days."),
        page(
            "Repairs",
            "Our workshop repairs bicycles of every make. A puncture is repaired while you wait.",
        ),
        page("About us", "Acme has sold bicycles in Cologne since 1987. Our team has nine members."),
        chunk(
            "Do you rent bicycles?",
            "Can I hire a bike?\nIs there a rental service?",
            "Yes, from 15 euros a day. Bring an identity card.",
            SourceType::Faq,
            "https://acme.example/faq",
            "en",
        ),
    ])
}

async fn ask(index: &MemoryIndex, question: &str) -> Retrieval {
    let query = Query { question: question.to_owned(), language: Some("en".to_owned()), ..Query::default() };
    search(index, None, &query).await.unwrap()
}

#[tokio::test]
async fn what_a_business_says_of_itself_answers_what_it_is_asked() {
    for (language, question, answer) in [
        ("fr", "Livrez-vous à la maison ?", "Nous ne livrons pas à domicile."),
        ("de", "Liefert ihr?", "Wir liefern nicht nach Hause."),
        ("es", "¿Cierran en agosto?", "Cerramos del 1 al 15 de febrero."),
    ] {
        let other = chunk("B", "", "Acme 1987.", SourceType::Webpage, "https://acme.example/b", language);
        let index = index_of([
            other,
            chunk("A", "", answer, SourceType::Webpage, "https://acme.example/a", language),
        ]);
        let query =
            Query { question: question.to_owned(), language: Some(language.to_owned()), ..Query::default() };
        let found = search(&index, None, &query).await.unwrap();
        assert_eq!(found.passages.first().map(|passage| passage.text.as_str()), Some(answer), "{question}");
    }
}

#[tokio::test]
async fn the_right_page_comes_first() {
    let index = shop();
    for (question, title) in [
        ("When are you open?", "Opening hours"),
        ("are you closed on mondays", "Opening hours"),
        ("How much does shipping cost?", "Delivery"),
        ("how long does a refund take", "Returns"),
        ("can you fix a puncture", "Repairs"),
        ("How long have you been selling bicycles in Cologne?", "About us"),
    ] {
        let found = ask(&index, question).await;
        assert_eq!(found.passages[0].title, title, "{question}: {found:?}");
        assert!(found.support.accepted, "{question}: {:?}", found.support);
    }
}

#[tokio::test]
async fn questions_the_content_does_not_answer_are_refused() {
    let index = shop();
    for question in [
        "What is the capital of Mongolia?",
        "Who won the football match yesterday?",
        "Write a poem about autumn leaves",
        "Do you sell motorcycles insurance policies abroad?",
        "",
        "???",
        "who are you",
    ] {
        let found = ask(&index, question).await;
        assert!(!found.support.accepted, "{question}: {:?} {:?}", found.support, found.passages.first());
    }
}

#[tokio::test]
async fn a_faq_question_gets_its_own_answer() {
    let index = shop();
    for question in
        ["Do you rent bicycles?", "do you RENT bicycles", "Can I hire a bike", "is there a rental service??"]
    {
        let found = ask(&index, question).await;
        assert!(found.passages[0].exact_answer, "{question}: {:?}", found.passages[0]);
        assert!(found.passages[0].text.starts_with("Yes, from 15 euros"));
        assert_eq!(found.passages[0].headings, "", "alternative questions are no heading");
        assert!(found.support.accepted);
        assert!(found.passages.is_sorted_by(|left, right| left.score >= right.score), "{question}");
    }
    assert!(
        !ask(&index, "Do you repair bicycles?").await.passages.iter().any(|passage| passage.exact_answer)
    );
}

#[tokio::test]
async fn typing_errors_are_read_through() {
    let index = shop();
    for (question, title) in [
        ("how long does a refnud take", "Returns"),
        ("do you repiar punctures", "Repairs"),
        ("shiping costs", "Delivery"),
    ] {
        let found = ask(&index, question).await;
        assert_eq!(found.passages[0].title, title, "{question}");
        assert!(found.support.accepted, "{question}: {:?}", found.support);
    }
}

#[tokio::test]
async fn a_follow_up_leans_on_the_question_before() {
    let index = shop();
    let mut query = Query {
        question: "and what does it cost?".to_owned(),
        previous: Some("Do you deliver within Germany?".to_owned()),
        language: Some("en".to_owned()),
        tags: Vec::new(),
    };
    assert_eq!(search(&index, None, &query).await.unwrap().passages[0].title, "Delivery");
    query.question =
        "Which days in the week is your bicycle workshop shop closed, Sunday or Monday?".to_owned();
    assert_eq!(search(&index, None, &query).await.unwrap().passages[0].title, "Opening hours");
}

#[tokio::test]
async fn tags_restrict_the_search() {
    let mut index = MemoryIndex::new();
    index.insert(page("Prices for shops", "A licence costs 100 euros."), &["trade"]);
    index.insert(page("Prices for people", "A licence costs 10 euros."), &["private"]);
    let mut query = Query {
        question: "What does a licence cost?".to_owned(),
        tags: vec!["private".to_owned()],
        ..Query::default()
    };
    let found = search(&index, None, &query).await.unwrap();
    assert_eq!(found.passages.len(), 1);
    assert_eq!(found.passages[0].title, "Prices for people");
    query.tags = vec!["unknown".to_owned()];
    let found = search(&index, None, &query).await.unwrap();
    assert!(found.passages.is_empty() && !found.support.accepted);
}

#[tokio::test]
async fn one_page_does_not_crowd_out_the_others() {
    let mut chunks: Vec<_> = (0..20)
        .map(|n| {
            chunk(
                "Warranty",
                "",
                &format!("The warranty covers part {n}."),
                SourceType::Webpage,
                "https://acme.example/warranty",
                "en",
            )
        })
        .collect();
    chunks.extend(
        (0..20).map(|n| page(&format!("Part {n}"), &format!("Part {n} has a warranty of two years."))),
    );
    let found = ask(&index_of(chunks), "Which parts does the warranty cover?").await;
    assert_eq!(found.passages.len(), 6);
    let of_one_page = found.passages.iter().filter(|passage| passage.url.ends_with("/warranty")).count();
    assert_eq!(of_one_page, 3);
}

#[tokio::test]
async fn questions_are_read_in_their_own_language() {
    let index = index_of([
        chunk(
            "Kündigung",
            "",
            "Sie können Ihren Vertrag jederzeit zum Monatsende kündigen.",
            SourceType::Webpage,
            "https://a.example/1",
            "de",
        ),
        chunk(
            "Lieferung",
            "",
            "Wir liefern innerhalb von drei Tagen.",
            SourceType::Webpage,
            "https://a.example/2",
            "de",
        ),
        chunk("料金", "", "月額料金は500円です。", SourceType::Webpage, "https://a.example/3", "ja"),
    ]);
    for (question, language, title) in [
        ("Wie kann ich meinen Vertrag kündigen?", "de", "Kündigung"),
        ("Wie kann ich die Verträge kundigen?", "en", "Kündigung"),
        ("Wie schnell ist die Lieferung?", "en", "Lieferung"),
        ("料金はいくらですか", "ja", "料金"),
    ] {
        let query =
            Query { question: question.to_owned(), language: Some(language.to_owned()), ..Query::default() };
        let found = search(&index, None, &query).await.unwrap();
        assert_eq!(found.passages.first().map(|passage| passage.title.as_str()), Some(title), "{question}");
    }
}

#[tokio::test]
async fn an_empty_index_finds_nothing() {
    let found = ask(&MemoryIndex::new(), "When are you open?").await;
    assert!(found.passages.is_empty() && !found.support.accepted);
    let terms: Vec<&str> = found.support.words.iter().map(|word| word.terms[0].as_str()).collect();
    assert_eq!(terms, ["open"]);
}

#[tokio::test]
async fn long_and_hostile_questions_are_bounded() {
    let index = shop();
    for question in [
        "word ".repeat(50_000),
        "x".repeat(200_000),
        "\u{202e}\u{200b}\" OR NEAR(*) --".to_owned(),
        "a-".repeat(20_000),
        (0..30_000).fold(String::new(), |words, number| words + "w" + &number.to_string() + " "),
    ] {
        ask(&index, &question).await;
    }
}
