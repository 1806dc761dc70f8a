//! `frontdesk account`: the customers of an installation.

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand};
use frontdesk_store::{Account, AccountKind, NewAccount, NewUser, Plan, RetentionPeriods, Role};
use serde_json::json;
use uuid::Uuid;

use super::{
    Admin, CliError, archive,
    output::{Output, Record},
};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an account and its owner
    Create(Create),
    /// List all accounts
    List,
    /// Change the plan of an account; takes effect with the next request
    SetPlan(SetPlan),
    /// Say how long conversations, threads of the inbox and contacts are kept; without a number of days they
    /// are kept for good
    SetRetention(SetRetention),
    /// Write all data of an account to a zip archive of JSON files
    Export {
        /// The account
        account: Uuid,
        /// The archive to create
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Remove an account with all its data, for good
    Erase {
        /// The account
        account: Uuid,
        /// Confirm that nothing of it is needed any more
        #[arg(long, required = true)]
        yes: bool,
    },
}

impl Command {
    /// Whether it may be the first command of an installation, before the service has ever run.
    pub(super) const fn may_be_first(&self) -> bool {
        matches!(self, Self::Create(_))
    }
}

#[derive(Debug, Args)]
pub(super) struct Create {
    /// Display name
    #[arg(long)]
    name: String,
    /// Plan: trial, starter, growth, business or scale
    #[arg(long)]
    plan: Plan,
    /// E-mail address of its owner
    #[arg(long, value_name = "EMAIL")]
    owner_email: String,
    /// Name of its owner [default: the e-mail address]
    #[arg(long, value_name = "NAME")]
    owner_name: Option<String>,
    /// Make it an agency, whose owner has access to its sub-accounts
    #[arg(long, conflicts_with = "parent")]
    agency: bool,
    /// Make it a sub-account of this agency
    #[arg(long, value_name = "ACCOUNT")]
    parent: Option<Uuid>,
    /// AI credits per month, if they differ from those of the plan
    #[arg(long, value_name = "COUNT")]
    monthly_credits: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct SetPlan {
    /// The account
    account: Uuid,
    /// The new plan: trial, starter, growth, business or scale
    #[arg(long)]
    plan: Plan,
    /// AI credits per month [default: those of the plan]
    #[arg(long, value_name = "COUNT")]
    monthly_credits: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct SetRetention {
    /// The account
    account: Uuid,
    /// Remove conversations and threads of the inbox so many days after their last message
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    conversations: Option<u32>,
    /// Erase contacts so many days after they were last met or changed
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    contacts: Option<u32>,
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    match command {
        Command::Create(create) => {
            let (account, owner_id) = create.run(admin).await?;
            let mut record = record_of(&account);
            record.push(("owner_user_id", json!(owner_id)));
            output.one(record, "")
        }
        Command::List => {
            let accounts = admin.store.accounts().list().await?;
            output.many("accounts", accounts.iter().map(record_of).collect())
        }
        Command::SetPlan(SetPlan { account, plan, monthly_credits }) => {
            admin.account(account).await?;
            match admin.store.accounts().set_plan(account, plan, monthly_credits).await? {
                Some(account) => output.one(record_of(&account), ""),
                None => Err(CliError::Unknown {
                    what: "account",
                    name: account.to_string(),
                    advice: "it was deleted in the meantime",
                }),
            }
        }
        Command::SetRetention(SetRetention { account, conversations, contacts }) => {
            let scope = admin.account(account).await?;
            let periods = RetentionPeriods { conversation_days: conversations, contact_days: contacts };
            admin.store.retention().set(&scope, &periods).await?;
            let record = vec![
                ("account_id", json!(account)),
                ("conversation_days", json!(conversations)),
                ("contact_days", json!(contacts)),
            ];
            output.one(record, "")
        }
        Command::Export { account, output: path } => {
            admin.account(account).await?;
            let rows = archive::export(admin, account, &path).await?;
            let sentence = format!("{rows} rows were written to {}.", path.display());
            output.done(&sentence, vec![("archive", json!(path)), ("rows", json!(rows))])
        }
        Command::Erase { account, yes: _ } => {
            admin.account(account).await?;
            let erased = archive::erase(admin, account).await?;
            let record = vec![("account_id", json!(account)), ("erased", json!(erased))];
            output.done(&format!("The account {account} is erased."), record)
        }
    }
}

impl Create {
    async fn run(self, admin: &Admin) -> Result<(Account, Uuid), CliError> {
        if self.name.trim().is_empty() {
            return Err(CliError::Value { flag: "--name", problem: "it is empty".into() });
        }
        if !self.owner_email.contains('@') {
            // Checked before the account is created, so that no account is left without an owner.
            return Err(CliError::Value {
                flag: "--owner-email",
                problem: "it is not an e-mail address".into(),
            });
        }
        let new = NewAccount {
            parent_id: self.parent,
            kind: if self.agency { AccountKind::Agency } else { AccountKind::Standard },
            name: self.name,
            plan: self.plan,
            monthly_credits: self.monthly_credits,
        };
        let account = admin.store.accounts().create(&new, admin.now).await?;
        let name = self.owner_name.unwrap_or_else(|| self.owner_email.clone());
        let owner = NewUser { email: self.owner_email, name, role: Role::Owner };
        let owner = admin.store.users().create(&account.scope(), &owner, admin.now).await?;
        Ok((account, owner.user_id))
    }
}

fn record_of(account: &Account) -> Record {
    vec![
        ("account_id", json!(account.account_id)),
        ("name", json!(account.name)),
        ("kind", json!(account.kind.as_str())),
        ("plan", json!(account.plan.as_str())),
        ("monthly_credits", json!(account.monthly_credits)),
        ("parent_id", json!(account.parent_id)),
        ("created_at", json!(account.created_at.to_string())),
    ]
}
