//! The service under test, its tenants, and the resources that requests need.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    pin::Pin,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use frontdesk_contract::Instances;
use frontdesk_document::NodeRef;
use frontdesk_store::{ChannelKind, NewAccount, NewInboxChannel, NewSkippedMail, Plan, Role};
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Ledger, Payload},
    references,
};
use crate::{
    database::{Customer, Database, account},
    installation::Installation,
    patience::until,
    site::{Page, Site},
};

/// Values of `status` while background work on a resource is running.
const BUSY: [&str; 5] = ["training", "pending", "processing", "crawling", "queued"];

/// The path parameter of questions, which come to be by messages that are not answered.
const UNANSWERED: &str = "unanswered_question_id";
/// E-mails that did not become messages come from mail servers.
const SKIPPED: &str = "skipped_mail_id";

/// The path parameter of links to unsubscribe, which are in e-mails only.
const UNSUBSCRIBE: &str = "unsubscribe_token";
/// The path parameter of contact forms, whose channels are one kind of several.
const FORM: &str = "form_key";

/// The number of test cases that run at the same time.
const CONCURRENTLY: usize = 4;

/// The service under test and the observed statuses.
pub(crate) struct World {
    pub(crate) service: Installation,
    pub(crate) ledger: Mutex<Ledger>,
    /// Ids and texts that only one tenant may see, by its canary.
    secrets: Mutex<BTreeMap<String, Secrets>>,
    made: AtomicU64,
}

/// The ids and texts of a tenant.
struct Secrets {
    /// The agency whose owner may see them, too.
    parent_id: Option<Uuid>,
    texts: BTreeSet<String>,
}

/// An account with its owner's key, a website and resources.
pub(crate) struct Tenant {
    pub(crate) customer: Customer,
    pub(crate) key: String,
    /// A word that only texts of this tenant contain.
    canary: String,
    site: Site,
    resources: tokio::sync::Mutex<HashMap<(&'static str, Vec<String>), String>>,
}

/// The values of path parameters.
pub(crate) type Ids = BTreeMap<&'static str, String>;

impl World {
    pub(crate) async fn start(database: Database) -> Self {
        Self::of(Installation::start(database).await)
    }

    pub(crate) fn of(service: Installation) -> Self {
        Self { service, ledger: Mutex::default(), secrets: Mutex::default(), made: AtomicU64::new(0) }
    }

    pub(crate) async fn tenant(&self, name: &str, plan: Plan) -> Tenant {
        self.tenant_of(account(name, plan)).await
    }

    pub(crate) async fn tenant_of(&self, new: NewAccount) -> Tenant {
        let canary = format!("zebulon-{}-canary", new.name);
        let parent_id = new.parent_id;
        let customer = self.service.database.customer_of(new).await;
        let texts = [
            canary.clone(),
            customer.account.account_id.to_string(),
            customer.owner.user_id.to_string(),
            customer.owner.email.clone(),
            customer.key.key_id.to_string(),
        ];
        let secrets = Secrets { parent_id, texts: texts.into() };
        self.secrets.lock().unwrap().insert(canary.clone(), secrets);
        Tenant {
            key: customer.key.text.clone(),
            customer,
            site: website(&canary).await,
            canary,
            resources: tokio::sync::Mutex::default(),
        }
    }

    /// Creates a key of a new user with this role.
    pub(crate) async fn key_of(&self, tenant: &Tenant, role: Role, rate_per_minute: Option<u32>) -> String {
        let database = &self.service.database;
        let name = format!("user-{}", self.number());
        // Collaborators cannot get keys, but keep those they have when their role changes.
        let user = database.user(&tenant.customer.account, &name, Role::Admin).await;
        let key = database.key(&user, rate_per_minute).await.text;
        database.set_role(&tenant.customer.scope(), user.user_id, role).await;
        key
    }

    /// Adds a resource that the interface lists but does not create.
    pub(crate) async fn add_from_outside(&self, tenant: &Tenant, parameter: &str, parents: &Ids) {
        match parameter {
            "team_member_id" => {
                let name = format!("user-{}", self.number());
                drop(self.service.database.user(&tenant.customer.account, &name, Role::Admin).await);
            }
            UNANSWERED => drop(self.asked(tenant, parents).await),
            SKIPPED => drop(self.skipped(tenant, parents).await),
            "conversation_id" => drop(self.fresh(tenant, "conversation_id", parents).await),
            other => panic!("say here how something with a {other} comes to be"),
        }
    }

    /// Asks a chatbot a question that it cannot answer, and returns the id of the question.
    async fn asked(&self, tenant: &Tenant, parents: &Ids) -> String {
        let question = format!("What is question {} of {}?", self.number(), tenant.canary);
        let store = self.service.database.store.clone();
        let (scope, chatbot_id) = (tenant.customer.scope(), parents["chatbot_id"].parse().unwrap());
        // In a task of its own: commands for operators block the thread of all test cases, and would wait for
        // the transaction of this one.
        let record = async move {
            let questions = store.unanswered_questions();
            questions.record(&scope, chatbot_id, &question, Timestamp::now()).await.unwrap()
        };
        tokio::spawn(record).await.unwrap().unwrap().unanswered_question_id.to_string()
    }

    /// Lists an e-mail of a channel as skipped, and returns its id.
    async fn skipped(&self, tenant: &Tenant, parents: &Ids) -> String {
        let (skipped_mail_id, account_id) = (Uuid::now_v7(), tenant.customer.account.account_id);
        let object_key = format!("{account_id}/mails/{skipped_mail_id}");
        let path = self.service.files.path().join(&object_key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("Subject: {}\r\n\r\nGood day", tenant.canary)).unwrap();
        let new = NewSkippedMail {
            skipped_mail_id,
            channel_id: parents["channel_id"].parse().unwrap(),
            mail_key: skipped_mail_id.to_string(),
            reason: "no_sender".to_owned(),
            detail: "the message has no sender".to_owned(),
            from_address: None,
            subject: Some(tenant.canary.clone()),
            size_bytes: Some(30),
            object_key: Some(object_key),
            addresses: Vec::new(),
        };
        let mails = self.service.database.store.skipped_mails();
        assert!(mails.add(&tenant.customer.scope(), &new, Timestamp::now()).await.unwrap());
        skipped_mail_id.to_string()
    }

    /// Returns whether test cases share the resource with this id.
    pub(crate) async fn is_shared(&self, tenant: &Tenant, id: &str) -> bool {
        tenant.resources.lock().await.values().any(|shared| shared == id)
    }

    /// Returns the texts and ids of all other tenants that the tenant's owner must not see.
    pub(crate) fn secrets_of_others(&self, tenant: &Tenant) -> Vec<String> {
        let secrets = self.secrets.lock().unwrap();
        let own = Some(tenant.customer.account.account_id);
        let others =
            secrets.iter().filter(|(canary, secrets)| **canary != tenant.canary && secrets.parent_id != own);
        others.flat_map(|(_, secrets)| secrets.texts.clone()).collect()
    }

    /// Returns a number that was not returned before.
    pub(crate) fn number(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a valid call: the first example of the document, with ids of the tenant's resources.
    pub(crate) async fn valid(&self, tenant: &Tenant, operation: &'static Operation) -> Call {
        self.valid_at(tenant, operation, &Ids::new()).await
    }

    /// Returns a valid call. If it changes the last resource of its path, that resource is created for this
    /// call.
    pub(crate) async fn valid_once(&self, tenant: &Tenant, operation: &'static Operation) -> Call {
        let mut ids = Ids::new();
        if let Some((last, parents)) = operation.path_parameters.split_last()
            && !operation.is_safe()
            && (operation.success().0 != 201 || contract().at("GET", operation.path).is_none())
        {
            for parent in parents {
                let id = self.resource(tenant, parent, &ids).await;
                ids.insert(parent, id);
            }
            let id = self.fresh(tenant, last, &ids).await;
            ids.insert(last, id);
        }
        self.valid_at(tenant, operation, &ids).await
    }

    /// Returns the ids of the shared resources that the path of an operation names. Creates nothing else,
    /// unlike a valid call.
    pub(crate) async fn path_ids(&self, tenant: &Tenant, operation: &'static Operation) -> Ids {
        let mut ids = Ids::new();
        for parameter in &operation.path_parameters {
            let id = self.resource(tenant, parameter, &ids).await;
            ids.insert(parameter, id);
        }
        ids
    }

    /// Returns a valid call with these values of path parameters; missing ones are added.
    pub(crate) fn valid_at<'w>(
        &'w self,
        tenant: &'w Tenant,
        operation: &'static Operation,
        known: &'w Ids,
    ) -> Pin<Box<dyn Future<Output = Call> + 'w>> {
        // Boxed because creating a resource needs a valid call, which may need other resources.
        Box::pin(async move {
            let mut call = Call::new(operation);
            for parameter in &operation.path_parameters {
                let id = match known.get(parameter) {
                    Some(id) => id.clone(),
                    None => self.resource(tenant, parameter, &call.path).await,
                };
                call.path.insert(parameter, id);
            }
            let ids: BTreeMap<_, _> = references::in_query(contract(), operation).into_iter().collect();
            for parameter in operation.query.iter().filter(|parameter| parameter.required) {
                let value = match ids.get(parameter.name) {
                    Some(resource) => Value::from(self.resource(tenant, resource, &call.path).await),
                    None => parameter.example.clone().unwrap_or_else(|| made_of(parameter.schema)),
                };
                call.query.push((parameter.name.to_owned(), text_of(&value)));
            }
            self.look_up(tenant, &mut call).await;
            let Some(body) = &operation.body else { return call };
            let example = body.examples.first().map(|(_, example)| example.clone());
            let mut value = example.unwrap_or_else(|| made_of(body.schema));
            self.adopt(tenant, operation, &call.path, &mut value).await;
            self.distinguish(tenant, operation, &mut value);
            let payload = match value {
                Value::String(text) if body.is_text() => Payload::Text { media_type: body.media_type, text },
                value if body.has_fields() => Payload::Json(value),
                _ => panic!("{}: teach the derived tests to write {}", operation.id, body.media_type),
            };
            Call { payload, ..call }
        })
    }

    /// Adds the query parameters that a link says where to find, such as the email address of a contact to
    /// look up. Their values are those of the tenant's shared resource.
    async fn look_up(&self, tenant: &Tenant, call: &mut Call) {
        let operation = call.operation;
        let is_optional = |name| operation.query.iter().any(|query| query.name == name && !query.required);
        for creator in contract().operations.iter().filter(|creator| creator.method == "POST") {
            let Some(created) = creator.responses.get(&201) else { continue };
            let links = created.links.iter().filter(|link| link.operation == operation.id);
            for link in links.filter(|link| is_optional(link.parameter)) {
                let prefix = format!("{}/{{", creator.path);
                let read = contract().operations.iter().find(|read| {
                    read.method == "GET" && read.path.starts_with(&prefix) && read.path.ends_with('}')
                });
                let Some(read) = read else { continue };
                let parameter = *read.path_parameters.last().unwrap();
                let id = self.resource(tenant, parameter, &call.path).await;
                let found = self.succeed(tenant, &Call::new(read).with(parameter, &id)).await;
                let value = text_of(found.body.pointer(link.pointer).unwrap());
                call.query.push((link.parameter.to_owned(), value));
            }
        }
    }

    /// Replaces the ids in a body with ids of the tenant's resources. Where the path names a resource of the
    /// same kind, the body gets one of its own.
    pub(crate) async fn adopt(&self, tenant: &Tenant, operation: &Operation, ids: &Ids, body: &mut Value) {
        for reference in references::in_body(contract(), operation) {
            // No resource is created for a field that the body lacks.
            if reference.put(body, "").is_some() {
                let id = if operation.path_parameters.contains(&reference.resource) {
                    self.fresh(tenant, reference.resource, ids).await
                } else {
                    self.resource(tenant, reference.resource, ids).await
                };
                reference.fill(body, &id);
            }
        }
    }

    /// Returns an example with ids of the tenant's resources, unique texts, and addresses of the tenant's
    /// website.
    pub(crate) async fn filled(
        &self,
        tenant: &Tenant,
        operation: &Operation,
        ids: &Ids,
        mut body: Value,
    ) -> Value {
        self.adopt(tenant, operation, ids, &mut body).await;
        let mut distinct = body.clone();
        self.distinguish(tenant, operation, &mut distinct);
        // The test website is not reached by HTTPS, which some addresses require.
        let schema = operation.body.as_ref().unwrap().schema;
        if contract().requests.is_valid(schema, &distinct) { distinct } else { body }
    }

    /// Makes the required texts of a body unique, where its schema allows that, and points addresses to the
    /// tenant's website.
    fn distinguish(&self, tenant: &Tenant, operation: &Operation, body: &mut Value) {
        let number = self.number();
        localize(body, &tenant.site.origin(), number);
        let schema = operation.body.as_ref().unwrap().schema;
        let required = schema.resolve().unwrap().get("required").into_iter().flat_map(NodeRef::items);
        let required: Vec<&str> = required.filter_map(NodeRef::as_str).collect();
        let properties = schema.resolve().unwrap().get("properties");
        // Values of an open enumeration are valid whatever they are, but only the listed ones are accepted.
        let is_choice = |name| {
            let property = properties.and_then(|properties| properties.get(name)?.resolve().ok());
            property.is_some_and(|property| property.get("enum").is_some())
        };
        for name in required.into_iter().chain(["email"]).filter(|name| !is_choice(name)) {
            let Some(Value::String(text)) = body.get(name) else { continue };
            let unique = match name {
                "email" => format!("{}-{number}@customer.example", tenant.canary),
                "hostname" => format!("{}-{number}.example", tenant.canary),
                _ => format!("{text} {} {number}", tenant.canary),
            };
            let mut changed = body.clone();
            changed[name] = Value::from(unique);
            if contract().requests.is_valid(schema, &changed) {
                *body = changed;
            }
        }
    }

    /// Returns the id of the tenant's shared resource, which is created on first use.
    pub(crate) async fn resource(&self, tenant: &Tenant, parameter: &'static str, parents: &Ids) -> String {
        if parameter == references::ACCOUNT {
            return tenant.customer.account.account_id.to_string();
        }
        let place = place(parameter, parents);
        if let Some(id) = tenant.resources.lock().await.get(&place) {
            return id.clone();
        }
        let id = self.fresh(tenant, parameter, parents).await;
        tenant.resources.lock().await.entry(place).or_insert(id).clone()
    }

    /// Creates a resource and returns its id.
    pub(crate) async fn fresh(&self, tenant: &Tenant, parameter: &'static str, parents: &Ids) -> String {
        if parameter == UNANSWERED {
            let id = self.asked(tenant, parents).await;
            self.secrets.lock().unwrap().get_mut(&tenant.canary).unwrap().texts.insert(id.clone());
            return id;
        }
        if parameter == SKIPPED {
            let id = self.skipped(tenant, parents).await;
            self.secrets.lock().unwrap().get_mut(&tenant.canary).unwrap().texts.insert(id.clone());
            return id;
        }
        if parameter == UNSUBSCRIBE {
            let (links, account_id) =
                (self.service.database.store.unsubscribes(), tenant.customer.account.account_id);
            let token = links.issue_link(account_id, "ann@customer.example", Timestamp::now()).await.unwrap();
            return token.to_string();
        }
        if parameter == FORM {
            return self.form(tenant).await;
        }
        let producer = producer(parameter);
        let call = self.valid_at(tenant, producer.operation, parents).await;
        let made = self.succeed(tenant, &call).await;
        let id = made.body.pointer(producer.pointer).unwrap_or_else(|| {
            panic!("{}: there is no {} in {made:?}", producer.operation.id, producer.pointer)
        });
        // A number may be part of anything.
        let is_unmistakable = id.is_string();
        let id = text_of(id);
        if is_unmistakable {
            self.secrets.lock().unwrap().get_mut(&tenant.canary).unwrap().texts.insert(id.clone());
        }
        self.finished(tenant, parameter, producer.operation, call.path, &id).await;
        id
    }

    /// Creates a contact form that sends browsers on, and returns its key.
    async fn form(&self, tenant: &Tenant) -> String {
        let mut new = NewInboxChannel::new(ChannelKind::ContactForm, format!("Form of {}", tenant.canary));
        new.settings = json!({ "redirect_url": "https://www.acme.example/thanks" });
        let channels = self.service.database.store.inbox_channels();
        let created = channels.create(&tenant.customer.scope(), &new, u64::MAX, Timestamp::now()).await;
        created.unwrap().public_key.to_string()
    }

    /// Waits until background work on a new resource has ended.
    async fn finished(
        &self,
        tenant: &Tenant,
        parameter: &'static str,
        creator: &Operation,
        path: Ids,
        id: &str,
    ) {
        let Some(get) = contract().at("GET", &format!("{}/{{{parameter}}}", creator.path)) else { return };
        let call = Call { path, ..Call::new(get) }.with(parameter, id);
        until("a resource is finished", async || {
            let status = self.succeed(tenant, &call).await.body["status"].clone();
            (!BUSY.iter().any(|busy| status == *busy)).then_some(())
        })
        .await;
    }

    pub(crate) async fn stop(self) {
        self.service.stop().await;
    }
}

/// The operation that creates resources of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Producer {
    pub(crate) operation: &'static Operation,
    /// The pointer to the id in its response.
    pub(crate) pointer: &'static str,
}

/// Returns the operation that creates the resource of a path parameter: its 201 response has `links` to
/// operations with that parameter. For resources that the interface does not create, it is a list with a link
/// to its first item.
pub(crate) fn producer(parameter: &str) -> Producer {
    let mut found: Vec<(u8, Producer)> = Vec::new();
    for operation in &contract().operations {
        for (status, response) in operation.responses.range(200..300) {
            let links = response.links.iter().filter(|link| {
                let target = contract().operation(link.operation);
                link.parameter == parameter && target.path_parameters.contains(&link.parameter)
            });
            for link in links.filter(|_| !operation.path_parameters.contains(&parameter)) {
                let rank = match (&*operation.method, status) {
                    ("POST", 201) => 0,
                    ("POST", _) => 1,
                    _ => 2,
                };
                found.push((rank, Producer { operation, pointer: link.pointer }));
            }
        }
    }
    let best = found.into_iter().min_by_key(|(rank, _)| *rank);
    best.unwrap_or_else(|| {
        panic!("nothing says how to get a {parameter}: give the response of the operation that creates it `links`")
    })
    .1
}

/// Whether no operation returns the value of a path parameter, so that the tests take it from elsewhere.
pub(crate) fn comes_from_outside(parameter: &str) -> bool {
    parameter == UNSUBSCRIBE
}

/// Runs a test case for each item, several at a time.
pub(crate) async fn each<T, F: Future<Output = ()>>(
    items: impl IntoIterator<Item = T>,
    attempt: impl FnMut(T) -> F,
) {
    stream::iter(items).for_each_concurrent(CONCURRENTLY, attempt).await;
}

/// Returns a valid value of a schema.
pub(crate) fn made_of(schema: NodeRef<'static>) -> Value {
    let instances = Instances::readable(&contract().requests);
    instances.valid(schema, 1).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a value as text for a path or a query.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Returns the key of a shared resource: its kind and its parents.
fn place(parameter: &'static str, parents: &Ids) -> (&'static str, Vec<String>) {
    if parameter == UNSUBSCRIBE {
        return (parameter, Vec::new());
    }
    let needed = producer(parameter).operation.path_parameters.iter();
    (parameter, needed.filter_map(|parent| parents.get(parent).cloned()).collect())
}

/// Replaces addresses under `.example` with addresses of a test website.
fn localize(value: &mut Value, origin: &str, number: u64) {
    match value {
        Value::String(text) => {
            let Ok(url) = url::Url::parse(text) else { return };
            if url.host_str().is_some_and(|host| host.ends_with(".example"))
                && url.scheme().starts_with("http")
            {
                *text = format!("{}{}?of={number}", origin.trim_end_matches('/'), url.path());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| localize(value, origin, number)),
        Value::Object(members) => members.values_mut().for_each(|value| localize(value, origin, number)),
        _ => {}
    }
}

/// Returns a website with the answers to the questions in the document's examples.
async fn website(canary: &str) -> Site {
    let text = format!(
        "<p>The help desk of {canary} sells and repairs garden tools, hedge trimmers and lawn mowers. \
         We deliver on Sundays and on public holidays if the order arrives before Friday noon. \
         A repair of the hedge trimmer with 36 volts costs 45 pounds plus parts.</p>"
    );
    Site::answering(move |path| match path {
        "/robots.txt" | "/sitemap.xml" => Page::missing(),
        _ => Page::html("Delivery and repairs", &text),
    })
    .await
}
