//! Domains, and how the identities of their visitors are verified.

use frontdesk_model::{
    CreateDomainError, DeleteDomainError, Domain, DomainList, DomainRequired, GetDomainError,
    IdentityEnforcement, IdentityKey, IdentityKeyAlgorithm, ListDomainsError, Message, NotFound,
    RotateDomainSecretError, UpdateDomainError,
};
use frontdesk_runtime::{Failure, Secret, check};
use frontdesk_server::{
    CreateDomain, DeleteDomain, Domains, GetDomain, ListDomains, RotateDomainSecret, UpdateDomain,
};
use frontdesk_store::{self as store, DomainError, DomainUpdate, NewDomain, Redacted, Scope, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::account::acting;
use super::filters::check_known;
use crate::{
    answering::identity_key,
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{NumberedResource, loaded_numbered},
        responses::{self, timestamp},
    },
    platform::{
        hostname,
        secrets::encryption::{self, MAX_DOMAINS},
    },
};

/// How long the previous secret of a domain is accepted beside the new one.
const PREVIOUS_SECRET: SignedDuration = SignedDuration::from_hours(24);

impl NumberedResource for store::Domain {
    const PARAMETER: &'static str = "domain_id";
    const NOT_FOUND: &'static str = "Domain not found.";

    async fn load(service: &Edge, scope: Option<&Scope>, number: i64) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.domains().find(scope, number).await
    }
}

impl Domains for Service {
    type Caller = Caller;

    async fn list_domains(
        &self,
        request: ListDomains<Caller>,
    ) -> Result<DomainList, Failure<ListDomainsError>> {
        let caller = acting(self, request.caller, request.account_id.map(Into::into)).await??;
        let domains = self.store.domains().list(&caller.scope).await?;
        let now = self.now();
        Ok(DomainList::new(domains.into_iter().map(|domain| shown(domain, now))))
    }

    async fn create_domain(
        &self,
        request: CreateDomain<Caller>,
    ) -> Result<Domain, Failure<CreateDomainError>> {
        let CreateDomain { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let mut failures = Vec::new();
        let hostname = hostname::parse(&body.hostname).unwrap_or_else(|| {
            failures.push(failure("hostname".to_owned(), "must be a host name such as www.example.com"));
            String::new()
        });
        let enforcement = check_enforcement(body.identity_enforcement.as_ref(), &mut failures);
        let public_keys = check_keys(body.public_keys.as_deref().unwrap_or_default(), &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let issued = encryption::new_identity_secret(&self.cipher, &hostname)?;
        let new = NewDomain {
            hostname,
            identity_enforcement: enforcement.unwrap_or(store::IdentityEnforcement::Optional),
            public_keys,
            identity_secret: issued.encrypted,
        };
        let account = Scope::of_account(caller.account_id);
        let now = self.now();
        match self.store.domains().create(&account, &new, MAX_DOMAINS, now).await {
            Ok(domain) => Ok(shown(domain, now).identity_secret(secret(&issued.secret))),
            Err(DomainError::AlreadyExists { domain_id }) => {
                let message = format!("The account has this domain already: it is the domain {domain_id}.");
                Err(responses::taken(&message).into())
            }
            Err(DomainError::LimitReached(limit)) => {
                let message = format!(
                    "The account has {limit} domains already, which is the most that it may have. Delete one first."
                );
                Err(responses::limit_reached(&message).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn get_domain(&self, request: GetDomain<Caller>) -> Result<Domain, Failure<GetDomainError>> {
        Ok(shown(loaded_numbered(&request.incoming)?, self.now()))
    }

    async fn update_domain(
        &self,
        request: UpdateDomain<Caller>,
    ) -> Result<Domain, Failure<UpdateDomainError>> {
        let UpdateDomain { caller, domain_id, body, .. } = request;
        let mut failures = Vec::new();
        let update = DomainUpdate {
            identity_enforcement: check_enforcement(body.identity_enforcement.as_ref(), &mut failures),
            public_keys: body.public_keys.as_deref().map(|keys| check_keys(keys, &mut failures)),
        };
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let now = self.now();
        let updated = self.store.domains().update(&caller.scope, domain_id, &update, now).await?;
        Ok(shown(updated.ok_or_else(gone)?, now))
    }

    async fn delete_domain(&self, request: DeleteDomain<Caller>) -> Result<(), Failure<DeleteDomainError>> {
        if self.store.domains().delete(&request.caller.scope, request.domain_id).await? {
            Ok(())
        } else {
            Err(gone().into())
        }
    }

    async fn rotate_domain_secret(
        &self,
        request: RotateDomainSecret<Caller>,
    ) -> Result<Domain, Failure<RotateDomainSecretError>> {
        let RotateDomainSecret { caller, domain_id, incoming } = request;
        let domain: store::Domain = loaded_numbered(&incoming)?;
        let issued = encryption::new_identity_secret(&self.cipher, &domain.hostname)?;
        let now = self.now();
        let until = now.saturating_add(PREVIOUS_SECRET)?;
        let domains = self.store.domains();
        let rotated = domains.rotate_secret(&caller.scope, domain_id, &issued.encrypted, until, now).await?;
        Ok(shown(rotated.ok_or_else(gone)?, now).identity_secret(secret(&issued.secret)))
    }
}

fn check_enforcement(
    enforcement: Option<&IdentityEnforcement>,
    failures: &mut Vec<check::Failure>,
) -> Option<store::IdentityEnforcement> {
    let name = enforcement.map(IdentityEnforcement::as_str);
    check_known("identity_enforcement", name, IdentityEnforcement::KNOWN, failures);
    name.and_then(|name| name.parse().ok())
}

fn check_keys(keys: &[IdentityKey], failures: &mut Vec<check::Failure>) -> Vec<store::IdentityKey> {
    let mut checked = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let name = key.algorithm.as_str();
        check_known(
            &format!("public_keys.{index}.algorithm"),
            Some(name),
            IdentityKeyAlgorithm::KNOWN,
            failures,
        );
        let Ok(algorithm) = name.parse() else { continue };
        let key = store::IdentityKey { algorithm, public_key: key.public_key.trim().to_owned() };
        match identity_key::check(&key) {
            Ok(()) => checked.push(key),
            Err(problem) => failures.push(failure(format!("public_keys.{index}.public_key"), problem)),
        }
    }
    checked
}

fn failure(path: String, message: &str) -> check::Failure {
    check::Failure { path, message: message.to_owned() }
}

fn secret(secret: &Redacted<String>) -> Secret {
    Secret::from(secret.expose().clone())
}

/// The domain was there when the request was authorized, and is gone now.
fn gone() -> NotFound {
    NotFound { body: Message::new(<store::Domain as NumberedResource>::NOT_FOUND) }
}

fn shown(stored: store::Domain, now: Timestamp) -> Domain {
    let previous_until = stored.previous_secret_until.filter(|until| now < *until);
    Domain::new(DomainRequired {
        domain_id: stored.domain_id,
        hostname: stored.hostname,
        identity_enforcement: IdentityEnforcement::from(stored.identity_enforcement.as_str()),
        public_keys: stored
            .public_keys
            .into_iter()
            .map(|key| IdentityKey::new(IdentityKeyAlgorithm::from(key.algorithm.as_str()), key.public_key))
            .collect(),
        previous_secret_valid_until: previous_until.map(timestamp),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
