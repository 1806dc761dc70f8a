//! `frontdesk user`: the people of an account.

use std::io::Write;

use clap::{Args, Subcommand};
use frontdesk_store::{LinkKind, MemberChange, MemberError, NewUser, Role, User, UserStatus};
use serde_json::json;
use uuid::Uuid;

use super::{
    Admin, CliError,
    output::{Output, Record},
};
use crate::{platform::secrets::people_tokens::issue_link, startup::links};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a user to an account
    Create(Create),
    /// List the users of an account
    List {
        /// The account
        #[arg(long)]
        account: Uuid,
    },
    /// Print a link with which a user chooses a password and signs in; it works once, for 30 minutes
    Link(Link),
    /// Show the second factors of a user's person, or remove them; the password suffices from then on
    Factors(Factors),
    /// Change the role of a user; takes effect with the next request of the user's keys
    SetRole(SetRole),
    /// Enable or disable a user; takes effect with the next request of the user's keys
    SetStatus(SetStatus),
}

#[derive(Debug, Args)]
pub(super) struct Create {
    /// The account
    #[arg(long)]
    account: Uuid,
    /// E-mail address
    #[arg(long)]
    email: String,
    /// Display name [default: the e-mail address]
    #[arg(long)]
    name: Option<String>,
    /// Role: owner, admin or collaborator
    #[arg(long)]
    role: Role,
}

#[derive(Debug, Args)]
pub(super) struct Link {
    /// E-mail address of the user
    #[arg(value_name = "EMAIL")]
    email: String,
    /// The user's account, required if several accounts have a user with this address
    #[arg(long)]
    account: Option<Uuid>,
}

#[derive(Debug, Args)]
pub(super) struct Factors {
    /// E-mail address of the user
    #[arg(value_name = "EMAIL")]
    email: String,
    /// The user's account, required if several accounts have a user with this address
    #[arg(long)]
    account: Option<Uuid>,
    /// Remove the authenticator app, all passkeys and the recovery codes
    #[arg(long)]
    remove: bool,
}

/// A user, by e-mail address.
#[derive(Debug, Args)]
pub(super) struct Who {
    /// E-mail address of the user
    #[arg(long = "user", value_name = "EMAIL")]
    email: String,
    /// The user's account, required if several accounts have a user with this address
    #[arg(long)]
    account: Option<Uuid>,
}

#[derive(Debug, Args)]
pub(super) struct SetRole {
    #[command(flatten)]
    who: Who,
    /// The new role: owner, admin or collaborator
    #[arg(long)]
    role: Role,
}

#[derive(Debug, Args)]
pub(super) struct SetStatus {
    #[command(flatten)]
    who: Who,
    /// The new status: active or disabled
    #[arg(long)]
    status: UserStatus,
}

impl Who {
    pub(super) async fn find(&self, admin: &Admin) -> Result<User, CliError> {
        admin.user(&self.email, self.account).await
    }
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let store = &admin.store;
    match command {
        Command::Create(Create { account, email, name, role }) => {
            let scope = admin.account(account).await?;
            let new = NewUser { name: name.unwrap_or_else(|| email.clone()), email, role };
            output.one(record_of(&store.users().create(&scope, &new, admin.now).await?), "")
        }
        Command::List { account } => {
            let users = store.users().list(&admin.account(account).await?).await?;
            output.many("users", users.iter().map(record_of).collect())
        }
        Command::Link(Link { email, account }) => {
            let user = admin.user(&email, account).await?;
            if store.people().is_of_others(&user).await? {
                return Err(CliError::Value {
                    flag: "EMAIL",
                    problem: format!(
                        "{email} already signs in to another account, whose password the link would change; create a link \
                         for the user of that account, or give this user an address of their own"
                    ),
                });
            }
            let record = vec![("user_id", json!(user.user_id)), ("email", json!(user.email))];
            let token = issue_link(store, LinkKind::Reset, Some(user), admin.now).await?;
            let config = &admin.loaded.config;
            let base = links::base(config, config.listen);
            let link = ("link", json!(links::to_console(&base, LinkKind::Reset.as_str(), &token)));
            let record = record.into_iter().chain([link]).collect();
            output.one(record, "Give the link to the user. It works once, for 30 minutes.")
        }
        Command::Factors(Factors { email, account, remove }) => {
            let user = admin.user(&email, account).await?;
            factors(admin, &user, remove, output).await
        }
        Command::SetRole(SetRole { who, role }) => {
            change(admin, &who, MemberChange { role: Some(role), status: None }, output).await
        }
        Command::SetStatus(SetStatus { who, status }) => {
            change(admin, &who, MemberChange { role: None, status: Some(status) }, output).await
        }
    }
}

/// Shows the second factors of the person of a user, after they were removed if that is wanted.
async fn factors<W: Write>(
    admin: &Admin,
    user: &User,
    remove: bool,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let store = &admin.store;
    let is_removed = remove && store.second_factors().remove_of_user(user, admin.now).await?;
    let person = store.people().of_user(&admin.account(user.account_id).await?, user.user_id).await?;
    let (mut enabled_at, mut left, mut passkeys) = (None, 0, 0);
    if let Some(person) = person {
        let app = store.second_factors().find(person.person_id).await?;
        enabled_at = app.and_then(|app| app.confirmed_at);
        left = store.second_factors().recovery_codes_left(person.person_id).await?;
        passkeys = store.passkeys().list(person.person_id).await?.len();
    }
    let record = vec![
        ("user_id", json!(user.user_id)),
        ("email", json!(user.email)),
        ("second_factor_since", json!(enabled_at.map(|at| at.to_string()))),
        ("passkeys", json!(passkeys)),
        ("recovery_codes_left", json!(left)),
        ("removed", json!(is_removed)),
    ];
    let remark = match (remove, is_removed) {
        (true, true) => "The second factors are removed. The password suffices to sign in.",
        (true, false) => "There was no second factor to remove.",
        (false, _) => "",
    };
    output.one(record, remark)
}

/// Changes a user, unless the account would have nobody left who may do everything in it.
async fn change<W: Write>(
    admin: &Admin,
    who: &Who,
    change: MemberChange,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let user = who.find(admin).await?;
    let scope = admin.account(user.account_id).await?;
    match admin.store.members().update_by_operator(&scope, user.user_id, change).await {
        Ok(user) => output.one(record_of(&user), ""),
        Err(MemberError::Store(error)) => Err(error.into()),
        Err(MemberError::LastOwner) => Err(CliError::Value {
            flag: "--user",
            problem: format!(
                "{} is the only active owner of the account; make another user its owner first",
                user.email
            ),
        }),
        Err(_) => Err(CliError::Unknown {
            what: "user",
            name: who.email.clone(),
            advice: "the user was deleted in the meantime",
        }),
    }
}

fn record_of(user: &User) -> Record {
    vec![
        ("user_id", json!(user.user_id)),
        ("account_id", json!(user.account_id)),
        ("email", json!(user.email)),
        ("name", json!(user.name)),
        ("role", json!(user.role.as_str())),
        ("status", json!(user.status.as_str())),
        ("created_at", json!(user.created_at.to_string())),
    ]
}
