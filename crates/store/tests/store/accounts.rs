//! Accounts, users, keys, domains, secrets and chatbots.

use frontdesk_store::{
    AccountKind, ApiKeyError, ChatbotStatus, Domain, DomainError, DomainUpdate, IdentityEnforcement,
    IdentityKey, IdentityKeyAlgorithm, KeyHash, NewAccount, NewApiKey, NewUser, Plan, Redacted, Role, Scope,
    StoreError, UserError, UserStatus,
};
use serde_json::json;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, chatbot, new_domain};

on_both_databases!(
    accounts_are_listed_and_change_plan,
    only_agencies_have_sub_accounts,
    email_addresses_are_unique_in_an_account,
    an_address_of_several_accounts_is_ambiguous,
    only_active_owners_and_admins_get_keys,
    a_key_follows_its_creator,
    the_last_use_of_a_key_is_noted_to_the_minute,
    domains_have_numbers_and_unique_names,
    domains_change_and_rotate,
    all_processes_agree_on_a_secret,
    chatbots_come_in_a_stable_order,
    concurrent_changes_of_a_chatbot_are_all_kept,
    a_failure_is_noted_and_forgotten,
    strange_text_comes_back,
);

async fn accounts_are_listed_and_change_plan(database: &Database) {
    let store = &database.store;
    let first = account(store, "First").await;
    let second = account(store, "Second").await;
    assert_eq!(store.accounts().list().await.unwrap(), [first.clone(), second.clone()]);
    let changed =
        store.accounts().set_plan(second.account_id, Plan::Starter, Some(7)).await.unwrap().unwrap();
    assert_eq!((changed.plan, changed.monthly_credits), (Plan::Starter, Some(7)));
    assert!(!changed.plan.includes_api());
    assert_eq!(store.accounts().find(second.account_id).await.unwrap(), Some(changed));
    assert_eq!(store.accounts().find(first.account_id).await.unwrap(), Some(first));
    assert_eq!(store.accounts().find(Uuid::nil()).await.unwrap(), None);
    assert_eq!(store.accounts().set_plan(Uuid::nil(), Plan::Scale, None).await.unwrap(), None);
}

async fn only_agencies_have_sub_accounts(database: &Database) {
    let store = &database.store;
    let standard = account(store, "Standard").await;
    let new = |parent_id, kind| NewAccount {
        parent_id,
        kind,
        name: "New".into(),
        plan: Plan::Scale,
        monthly_credits: None,
    };
    let agency = store.accounts().create(&new(None, AccountKind::Agency), at(0)).await.unwrap();
    let below = |id| new(Some(id), AccountKind::Standard);
    let sub = store.accounts().create(&below(agency.account_id), at(0)).await.unwrap();
    assert_eq!(sub.parent_id, Some(agency.account_id));
    for refused in [
        below(standard.account_id),
        below(sub.account_id),
        below(Uuid::nil()),
        new(Some(agency.account_id), AccountKind::Agency),
    ] {
        let error = store.accounts().create(&refused, at(0)).await.unwrap_err();
        assert!(matches!(error, StoreError::InvalidValue { .. }), "{error:?}");
    }
}

async fn email_addresses_are_unique_in_an_account(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let new = |email: &str| NewUser { email: email.into(), name: "Ann".into(), role: Role::Admin };
    let ann = store.users().create(&scope, &new(" Ann@Example.COM "), at(0)).await.unwrap();
    assert_eq!(ann.email, "ann@example.com");
    let error = store.users().create(&scope, &new("ann@example.com"), at(1)).await.unwrap_err();
    assert!(matches!(&error, UserError::AlreadyExists { user_id } if *user_id == ann.user_id), "{error:?}");
    let error = store.users().create(&scope, &new("ann"), at(1)).await.unwrap_err();
    assert!(matches!(error, UserError::InvalidEmail(_)), "{error:?}");
    assert_eq!(store.users().list(&scope).await.unwrap(), std::slice::from_ref(&ann));
    assert!(store.users().delete(&scope, ann.user_id).await.unwrap());
    assert!(!store.users().delete(&scope, ann.user_id).await.unwrap());
    store.users().create(&scope, &new("ann@example.com"), at(2)).await.unwrap();
}

async fn an_address_of_several_accounts_is_ambiguous(database: &Database) {
    let store = &database.store;
    let [one, two] = [account(store, "One").await, account(store, "Two").await];
    let new = NewUser { email: "ann@example.com".into(), name: "Ann".into(), role: Role::Admin };
    let ann = store.users().create(&one.scope(), &new, at(0)).await.unwrap();
    assert_eq!(store.users().find_by_email("ANN@example.com").await.unwrap(), Some(ann));
    assert_eq!(store.users().find_by_email("bob@example.com").await.unwrap(), None);
    store.users().create(&two.scope(), &new, at(1)).await.unwrap();
    let error = store.users().find_by_email("ann@example.com").await.unwrap_err();
    let UserError::AmbiguousEmail { accounts, .. } = error else { panic!("{error:?}") };
    assert_eq!(accounts, [one.account_id, two.account_id]);
}

async fn only_active_owners_and_admins_get_keys(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let new = NewUser { email: "ann@example.com".into(), name: "Ann".into(), role: Role::Collaborator };
    let ann = store.users().create(&scope, &new, at(0)).await.unwrap();
    let key = |byte| NewApiKey {
        user_id: ann.user_id,
        name: "key".into(),
        hash: KeyHash::new([byte; 32]),
        pepper_id: None,
        display_prefix: "sk_live_".into(),
        rate_per_minute: Some(600),
    };
    let refused = store.api_keys().create(&scope, &key(1), at(0)).await.unwrap_err();
    assert!(matches!(refused, ApiKeyError::NotAllowed { role: Role::Collaborator, .. }), "{refused:?}");
    store.users().set_role(&scope, ann.user_id, Role::Admin).await.unwrap().unwrap();
    store.users().set_status(&scope, ann.user_id, UserStatus::Disabled).await.unwrap().unwrap();
    let refused = store.api_keys().create(&scope, &key(1), at(0)).await.unwrap_err();
    assert!(matches!(refused, ApiKeyError::NotAllowed { role: Role::Admin, .. }), "{refused:?}");
    store.users().set_status(&scope, ann.user_id, UserStatus::Active).await.unwrap().unwrap();
    let first = store.api_keys().create(&scope, &key(1), at(0)).await.unwrap().unwrap();
    let second = store.api_keys().create(&scope, &key(2), at(1)).await.unwrap().unwrap();
    assert_eq!(first.rate_per_minute, Some(600));
    assert_eq!(store.api_keys().list(&scope).await.unwrap(), [first.clone(), second]);
    let error = store.api_keys().create(&scope, &key(1), at(2)).await.unwrap_err();
    assert!(matches!(error, ApiKeyError::AlreadyExists), "{error:?}");
    assert!(store.api_keys().delete(&scope, first.key_id).await.unwrap());
    assert!(!store.api_keys().delete(&scope, first.key_id).await.unwrap());
    assert_eq!(store.api_keys().authenticate(&KeyHash::new([1; 32])).await.unwrap(), None);
    assert!(store.api_keys().authenticate(&KeyHash::new([2; 32])).await.unwrap().is_some());
}

async fn a_key_follows_its_creator(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let hash = KeyHash::new([1; 32]);
    let holder = async || store.api_keys().authenticate(&hash).await.unwrap();
    let first = holder().await.unwrap();
    assert_eq!((first.key_id, first.user_id), (world.key.key_id, world.user.user_id));
    assert_eq!((first.role, first.user_status, first.plan), (Role::Owner, UserStatus::Active, Plan::Growth));
    assert_eq!(first.scope(), world.scope());
    let scope = world.scope();
    store.users().set_role(&scope, world.user.user_id, Role::Collaborator).await.unwrap();
    store.users().set_status(&scope, world.user.user_id, UserStatus::Disabled).await.unwrap();
    store.accounts().set_plan(world.account.account_id, Plan::Trial, Some(5)).await.unwrap();
    let now = holder().await.unwrap();
    assert_eq!((now.role, now.user_status), (Role::Collaborator, UserStatus::Disabled));
    assert_eq!((now.plan, now.monthly_credits), (Plan::Trial, Some(5)));
    assert!(store.users().delete(&scope, world.user.user_id).await.unwrap());
    assert_eq!(holder().await, None);
    assert_eq!(database.count("api_keys").await, 0);
}

async fn the_last_use_of_a_key_is_noted_to_the_minute(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    for (used, noted) in [(10, 10), (40, 10), (70, 70), (129, 70), (130, 130)] {
        store.api_keys().touch(world.key.key_id, at(used)).await.unwrap();
        let keys = store.api_keys().list(&world.scope()).await.unwrap();
        assert_eq!(keys[0].last_used_at, Some(at(noted)), "used at {used}");
    }
}

async fn domains_have_numbers_and_unique_names(database: &Database) {
    let domains = database.store.domains();
    let scope = account(&database.store, "One").await.scope();
    let new = |hostname| new_domain(hostname, Redacted::new("s3cret".to_owned()));
    let shop = domains.create(&scope, &new(" Shop.Example "), 3, at(0)).await.unwrap();
    assert_eq!((shop.hostname.as_str(), shop.identity_secret.expose().as_str()), ("shop.example", "s3cret"));
    assert!(!format!("{shop:?}").contains("s3cret"));
    let error = domains.create(&scope, &new("SHOP.example"), 3, at(0)).await.unwrap_err();
    assert!(
        matches!(&error, DomainError::AlreadyExists { domain_id } if *domain_id == shop.domain_id),
        "{error:?}"
    );
    let other = domains.create(&scope, &new("other.example"), 3, at(0)).await.unwrap();
    assert!(other.domain_id > shop.domain_id);
    assert_eq!(domains.find(&scope, shop.domain_id).await.unwrap(), Some(shop.clone()));
    assert!(domains.delete(&scope, other.domain_id).await.unwrap());
    assert!(!domains.delete(&scope, other.domain_id).await.unwrap());
    let next = domains.create(&scope, &new("next.example"), 3, at(0)).await.unwrap();
    assert!(next.domain_id > other.domain_id, "a number that was used once must not name something else");
    assert_eq!(domains.list(&scope).await.unwrap(), [shop, next]);
    let error = domains.create(&scope, &new("third.example"), 2, at(0)).await.unwrap_err();
    assert!(matches!(error, DomainError::LimitReached(2)), "{error:?}");
}

async fn domains_change_and_rotate(database: &Database) {
    let domains = database.store.domains();
    let scope = account(&database.store, "One").await.scope();
    let secret = |text: &str| Redacted::new(text.to_owned());
    let shop = domains.create(&scope, &new_domain("shop.example", secret("first")), 3, at(0)).await.unwrap();
    let key = IdentityKey { algorithm: IdentityKeyAlgorithm::EdDsa, public_key: "PEM".to_owned() };
    let update = DomainUpdate {
        identity_enforcement: Some(IdentityEnforcement::Required),
        public_keys: Some(vec![key.clone()]),
    };
    let updated = domains.update(&scope, shop.domain_id, &update, at(5)).await.unwrap().unwrap();
    assert_eq!(updated.identity_enforcement, IdentityEnforcement::Required);
    assert_eq!((updated.public_keys.as_slice(), updated.updated_at), (&[key][..], at(5)));
    let untouched =
        domains.update(&scope, shop.domain_id, &DomainUpdate::default(), at(6)).await.unwrap().unwrap();
    assert_eq!(Domain { updated_at: at(5), ..untouched }, updated);

    let rotated = domains.rotate_secret(&scope, shop.domain_id, &secret("second"), at(90), at(7)).await;
    let rotated = rotated.unwrap().unwrap();
    assert_eq!(rotated.identity_secret.expose(), "second");
    assert_eq!(rotated.previous_secret.unwrap().expose(), "first");
    assert_eq!(rotated.previous_secret_until, Some(at(90)));

    let stranger = account(&database.store, "Two").await.scope();
    assert!(domains.update(&stranger, shop.domain_id, &update, at(8)).await.unwrap().is_none());
    assert!(
        domains.rotate_secret(&stranger, shop.domain_id, &secret("x"), at(9), at(8)).await.unwrap().is_none()
    );
}

async fn all_processes_agree_on_a_secret(database: &Database) {
    let asking: Vec<_> = (0..10_u8)
        .map(|byte| {
            let store = database.store.clone();
            tokio::spawn(async move { store.secrets().get_or_create("pepper", &[byte; 32]).await.unwrap() })
        })
        .collect();
    let mut answers = Vec::new();
    for task in asking {
        answers.push(task.await.unwrap());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{:?}", answers.len());
    assert_eq!(answers[0].expose().len(), 32);
    assert_eq!(database.store.secrets().names().await.unwrap(), ["pepper"]);
}

async fn chatbots_come_in_a_stable_order(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let mut made = Vec::new();
    for name in ["a", "b", "c", "d"] {
        made.push(chatbot(store, &scope, name).await.chatbot_id);
    }
    let listed = store.chatbots().list(&scope).await.unwrap();
    assert_eq!(listed.iter().map(|bot| bot.chatbot_id).collect::<Vec<_>>(), made);
    assert_eq!(listed[0].status, ChatbotStatus::Training);
    assert_eq!(listed[0].settings, json!({ "business_name": "a" }));
    assert_eq!(listed[0].training_sources, 0);
}

async fn concurrent_changes_of_a_chatbot_are_all_kept(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let changes: Vec<_> = (0..20)
        .map(|number: i32| {
            let store = store.clone();
            tokio::spawn(async move {
                let change = |bot: &mut frontdesk_store::Chatbot| {
                    bot.settings[format!("key {number}")] = json!(number);
                    bot.account_id = Uuid::nil();
                };
                store.chatbots().update(&scope, bot.chatbot_id, at(9), change).await.unwrap().unwrap()
            })
        })
        .collect();
    for change in changes {
        change.await.unwrap();
    }
    let bot = store.chatbots().find(&scope, bot.chatbot_id).await.unwrap().unwrap();
    assert_eq!(bot.settings.as_object().unwrap().len(), 21);
    assert_eq!((bot.account_id, bot.updated_at, bot.created_at), (scope.account_id, at(9), at(1)));
    assert_eq!(store.chatbots().update(&scope, Uuid::nil(), at(9), |_| ()).await.unwrap(), None);
}

async fn a_failure_is_noted_and_forgotten(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let error = Some(("no_content", "none of the pages had text"));
    assert!(
        store
            .chatbots()
            .set_status(&scope, bot.chatbot_id, ChatbotStatus::Failed, error, at(5))
            .await
            .unwrap()
    );
    let failed = store.chatbots().find(&scope, bot.chatbot_id).await.unwrap().unwrap();
    let last_error = failed.last_error.unwrap();
    assert_eq!(
        (failed.status, last_error.code.as_str(), last_error.at),
        (ChatbotStatus::Failed, "no_content", at(5))
    );
    assert!(
        store.chatbots().set_status(&scope, bot.chatbot_id, ChatbotStatus::Ready, None, at(6)).await.unwrap()
    );
    let ready = store.chatbots().find(&scope, bot.chatbot_id).await.unwrap().unwrap();
    assert_eq!((ready.status, ready.last_error), (ChatbotStatus::Ready, None));
    assert!(
        !store.chatbots().set_status(&scope, Uuid::nil(), ChatbotStatus::Ready, None, at(6)).await.unwrap()
    );
}

async fn strange_text_comes_back(database: &Database) {
    let store = &database.store;
    let scope = account(store, "'; DROP TABLE accounts; --").await.scope();
    let name = "Ünï 日本 🥐 \" ' \\ $1 ? \u{202e}\n";
    let mut bot = chatbot(store, &scope, "bot").await;
    bot = store
        .chatbots()
        .update(&scope, bot.chatbot_id, at(2), |bot| {
            bot.name = name.into();
            bot.settings = json!({ "nul": "a\0b", "name": name });
        })
        .await
        .unwrap()
        .unwrap();
    assert_eq!((bot.name.as_str(), &bot.settings), (name, &json!({ "nul": "a\0b", "name": name })));
    let bot =
        store.chatbots().update(&scope, bot.chatbot_id, at(2), |bot| bot.name = "a\0b".into()).await.unwrap();
    assert_eq!(bot.unwrap().name, "a\u{fffd}b", "PostgreSQL has no NUL, so neither has SQLite here");
    let missing = Scope::of_account(Uuid::nil());
    assert!(store.chatbots().list(&missing).await.unwrap().is_empty());
}
