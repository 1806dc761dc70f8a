//! A page of 2 MB: all terms of a business, and its list of prices with thousands of rows.

use frontdesk_client::model::NewMessage;
use frontdesk_store::Plan;

use super::sentences;
use crate::{
    database::Database,
    installation::{Installation, learned},
    on_both_databases,
    site::{Page, Site},
};

on_both_databases!(a_page_of_2_mb_is_answered_from_its_parts);

const PAGE: usize = 2 * 1024 * 1024;

/// Returns parts of a page of this size, without the last one.
fn parts(size: usize, part: impl Fn(usize) -> String) -> String {
    let mut html = String::with_capacity(size);
    for number in 1.. {
        if html.len() >= size {
            break;
        }
        html.push_str(&part(number));
    }
    html
}

async fn a_page_of_2_mb_is_answered_from_its_parts(database: Database) {
    let terms = parts(PAGE / 2, |number| match number % 20 {
        1 => format!("<h2>Section {number}</h2>\n<p>{}</p>\n", sentences(number)),
        _ => format!("<p>{}</p>\n", sentences(number)),
    });
    // Rows of the shortest kind that people write, so that there are as many as a page may have.
    let prices = parts(PAGE / 2, |number| {
        format!("<tr><td>P{number}</td><td>Pot {number}</td><td>{}.50</td></tr>\n", number % 90 + 1)
    });
    let html = format!(
        "{terms}<h2>Boathouse</h2><p>The spare key of the boathouse hangs behind the barometer.</p>\
         <h2>Prices</h2><table><tr><th>Article</th><th>Name</th><th>Price</th></tr>\n{prices}\
         <tr><td>Z1</td><td>Copper weathercock</td><td>412.00</td></tr></table>"
    );
    assert!(html.len() > PAGE);
    let site = Site::of([("/", Page::html("Nursery", &html))]).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let bot = learned(&client, &site).await;
    for (question, expected) in [
        ("Where do the lilacs of lot 1 grow?", "Lilacs of lot 1 grow beside the north bed"),
        ("Where does the spare key of the boathouse hang?", "behind the barometer"),
        ("How much is the copper weathercock?", "412.00"),
    ] {
        let answer =
            client.messages().send(bot.into(), NewMessage::new(question)).await.unwrap().into_inner();
        assert!(answer.response.contains(expected), "{question} {answer:?}");
    }
    service.stop().await;
}
