//! The examples of the contract in the generated crates: fakes answer with them, and the client reads them.

use frontdesk_client::runtime::{Operation, Uuid};
use frontdesk_client::{Client, Fake};
use frontdesk_model::operations::{OPERATIONS, deals, files};
use frontdesk_model::{Deal, DealUpdate, NewDeal};

/// A client of the fake, with the credentials of all operations.
fn faked(fake: Fake) -> Client {
    let builder = Client::builder("http://localhost").api_key("sk_live_0").visitor_token("vis_0");
    builder.service(fake).build().expect("the address is valid")
}

/// A client whose service answers every operation with its example, as far as it has one.
fn client() -> Client {
    let with_example = OPERATIONS.iter().copied().filter(|operation| operation.example.is_some());
    let fake = with_example.fold(Fake::new(), Fake::on_example);
    faked(fake)
}

#[tokio::test]
async fn a_fake_answers_with_the_example_of_the_contract() {
    let fake = Fake::new().on_example(&deals::CREATE_DEAL).on_example(&deals::DELETE_DEAL);
    let client = faked(fake.clone());
    let created = client.deals().create(NewDeal::new("Irrigation")).await.unwrap();
    assert_eq!(created.status().as_u16(), 201);
    assert_eq!(created.title, "Irrigation for the Blue Door garden");
    // A response without a body needs no example.
    client.deals().delete(created.deal_id).await.unwrap();
    let called: Vec<&str> = fake.requests().iter().map(|(operation, _)| operation.id).collect();
    assert_eq!(called, ["createDeal", "deleteDeal"]);
}

#[test]
#[should_panic(
    expected = "the document has no example of a successful response to `downloadFile`: prepare one with `on`"
)]
fn an_operation_without_an_example_is_named() {
    let _ = Fake::new().on_example(&files::DOWNLOAD_FILE);
}

/// Sends calls and reads their answers, each with the name of the call if that fails.
macro_rules! read {
    ($client:ident: $($group:ident.$method:ident($($argument:expr),*)),* $(,)?) => {
        $(if let Err(error) = $client.$group().$method($($argument),*).await {
            panic!("{}.{}: {error}", stringify!($group), stringify!($method));
        })*
    };
}

#[tokio::test]
async fn the_client_reads_the_examples() {
    let (client, id) = (client(), Uuid::nil());
    read!(client:
        chatbots.list(), chatbots.get(id.into()),
        contacts.list(), contacts.get(id.into()),
        conversations.list(id.into()), conversations.get(id.into(), id.into()),
        deals.list(), deals.get(id.into()), deals.get_board(), deals.list_changes(id.into()), deals.update(id.into(), DealUpdate::new()),
        deal_activities.list(), deal_activities.get(id.into(), id.into()),
        deal_rows.list(), deal_statuses.list(),
        events.list(),
        faqs.list(), faqs.get(id.into()), faq_items.list(id.into()), faq_items.get(id.into(), id.into()),
        inbox.list_threads(), inbox.get_thread(id.into()), inbox_channels.list(), inbox_channels.get(id.into()),
        tags.list(id.into()), team_members.list(), text_snippets.list(id.into()), unanswered_questions.list(id.into()),
        usage.get(), visitors.get(),
        webhook_endpoints.list(), webhook_endpoints.get(id.into()),
        webpages.list(id.into()), webpages.get(id.into(), id.into()), websites.list(id.into()), websites.get(id.into(), id.into()), widgets.get(id.into()),
    );
}

#[tokio::test]
async fn a_type_is_made_from_the_example_of_the_contract() {
    let deal = Deal { title: "A pond".to_owned(), ..Deal::example() };
    let fake = Fake::new().on(&deals::GET_DEAL, http::StatusCode::OK, &deal);
    let client = faked(fake.clone());
    assert_eq!(*client.deals().get(deal.deal_id).await.unwrap(), deal);
    assert_eq!(NewDeal::example().title, "Irrigation for the Blue Door garden");
}

/// Most operations have an example, so that a change of the contract or of the generator which loses them is
/// seen.
#[test]
fn most_operations_have_an_example() {
    let lacks = |operation: &&&Operation| operation.example.is_none();
    let lacking: Vec<&str> = OPERATIONS.iter().filter(lacks).map(|operation| operation.id).collect();
    assert!(lacking.len() * 10 < OPERATIONS.len(), "{lacking:?}");
}
