//! Contacts of an account.

mod columns;
mod conversion;
mod export;
mod import;
mod problems;

use std::time::Duration;

pub(crate) use self::{export::contact_data, problems::AccountGone};
use frontdesk_model::{
    Contact, ContactConversationList, ContactExport, ContactImport, ContactList, ContactSource, ContactType,
    CreateContactError, DealList, DeleteContactError, DeleteContactMode, ExportContactError,
    ExportContactsError, ExportContactsOk, GetContactError, ImportContactsError,
    ListContactConversationsError, ListContactDealsError, ListContactThreadsError, ListContactsError,
    LookupContactError, MarkContactAsCustomerError, MergeContactError, ThreadList,
    UnmarkContactAsCustomerError, UpdateContactError, UpsertContactError, UpsertContactKey,
    UpsertContactSuccess,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    Contacts, CreateContact, DeleteContact, ExportContact, ExportContacts, GetContact, ImportContacts,
    ListContactConversations, ListContactDeals, ListContactThreads, ListContacts, LookupContact,
    MarkContactAsCustomer, MergeContact, UnmarkContactAsCustomer, UpdateContact, UpsertContact,
};
use frontdesk_store::{
    self as store, ContactError, ContactFilter, ContactKey, ContactUpdate, DealFilter, DealOrder, MergeError,
    Payment, Scope, StoreError, ThreadFilter, phone_number,
};
use http::Extensions;
use uuid::Uuid;

use self::conversion::{consent, conversation, kind, moment, shown, update_of};
use self::problems::{
    PHONE_RULE, check_details, check_phone, failure, field, is_filled, proven_identity, taken, unexpected,
};
use super::account::acting;
use super::addresses::check_email;
use super::changed::changed;
use super::filters::check_known;
use super::references::References;
use crate::{
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses,
    },
    platform::files::delete_erased_objects,
};

/// After this time, what is left of an erasure is the work of a job. Nobody gets to see it any more.
const ERASURE_TIME: Duration = Duration::from_secs(10);

impl Resource for store::Contact {
    const PARAMETER: &'static str = "contact_id";
    const NOT_FOUND: &'static str = "Contact not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.contacts().find(scope, id).await
    }
}

impl Contacts for Service {
    type Caller = Caller;

    async fn list_contacts(
        &self,
        request: ListContacts<Caller>,
    ) -> Result<ContactList, Failure<ListContactsError>> {
        let caller = acting(self, request.caller, request.account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &request.incoming);
        let page = listing.page(request.limit, request.cursor.as_deref())?;
        let mut failures = Vec::new();
        let kind = request.r#type.as_ref().map(ContactType::as_str);
        check_known("type", kind, ContactType::KNOWN, &mut failures);
        let source = request.source.as_ref().map(ContactSource::as_str);
        check_known("source", source, ContactSource::KNOWN, &mut failures);
        let mut references = References::new(self, caller.scope);
        references.team_member("owner_id", request.owner_id.map(Into::into)).await?;
        references.chatbot("chatbot_id", request.chatbot_id.map(Into::into)).await?;
        failures.extend(references.failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let updated_since = request.updated_since.map(moment).transpose()?;
        let filter = ContactFilter {
            kind: kind.map(str::to_owned),
            is_customer: request.is_paying_customer,
            is_verified: request.is_verified,
            source: source.and_then(|source| source.parse().ok()),
            email: request.email,
            phone: request.phone,
            external_id: request.external_id,
            text: request.q,
            owner_id: request.owner_id.map(Into::into),
            chatbot_id: request.chatbot_id.map(Into::into),
            tag: request.tag,
            updated_since,
            archived: request.archived.unwrap_or(false),
        };
        let page = self.store.contacts().page(&caller.scope, &filter, &page).await?;
        Ok(ContactList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_contact(
        &self,
        request: CreateContact<Caller>,
    ) -> Result<Contact, Failure<CreateContactError>> {
        let CreateContact { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let new = update_of(body)?;
        let mut failures = check_phone(&new, None);
        failures.extend(check_email(&new));
        failures.extend(check_details(self, Scope::of_account(caller.account_id), &new).await?);
        if ![&new.email, &new.phone, &new.external_id].into_iter().any(is_filled) {
            failures.push(failure("email", "is required unless there is a phone number or an external id"));
        }
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        match self.store.contacts().create(&caller.scope, &new, self.now()).await {
            Ok(created) => Ok(shown(created.ok_or_else(gone::<store::Contact>).map_err(unexpected)?)),
            Err(ContactError::AlreadyExists { contact_id, key }) => Err(taken(contact_id, key).into()),
            Err(ContactError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn upsert_contact(
        &self,
        request: UpsertContact<Caller>,
    ) -> Result<UpsertContactSuccess, Failure<UpsertContactError>> {
        let UpsertContact { caller, key, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let update = update_of(body)?;
        let mut failures = check_phone(&update, None);
        failures.extend(check_email(&update));
        failures.extend(check_details(self, Scope::of_account(caller.account_id), &update).await?);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let key = match key {
            UpsertContactKey::Email => ContactKey::Email,
            UpsertContactKey::Phone => ContactKey::Phone,
            UpsertContactKey::ExternalId => ContactKey::ExternalId,
        };
        match self.store.contacts().upsert_by_key(&caller.scope, key, &update, self.now()).await {
            Ok(Some((contact, true))) => Ok(UpsertContactSuccess::Created(shown(contact).into())),
            Ok(Some((contact, false))) => Ok(UpsertContactSuccess::Ok(shown(contact).into())),
            Ok(None) => Err(unexpected(gone::<store::Contact>()).into()),
            Err(ContactError::AlreadyExists { contact_id, key }) => Err(taken(contact_id, key).into()),
            Err(ContactError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(ContactError::NoKey(key)) => {
                let problem = failure(field(key), "is required, because it is the key");
                Err(responses::validation_failed([problem]).into())
            }
            Err(ContactError::ProvenIdentity) => {
                Err(responses::validation_failed([proven_identity()]).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn lookup_contact(
        &self,
        request: LookupContact<Caller>,
    ) -> Result<Contact, Failure<LookupContactError>> {
        let LookupContact { caller, email, phone, external_id, account_id, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let (key, value) = match (email, phone, external_id) {
            (Some(email), None, None) => (ContactKey::Email, email),
            (None, Some(phone), None) => (ContactKey::Phone, phone),
            (None, None, Some(id)) => (ContactKey::ExternalId, id),
            (None, None, None) => {
                let problem =
                    failure("email", "is required unless there is a phone number or an external id");
                return Err(responses::validation_failed([problem]).into());
            }
            (email, _, external_id) => {
                let field = if email.is_some() && external_id.is_some() { "external_id" } else { "phone" };
                let problem = failure(field, "must not be sent together with another one of the three");
                return Err(responses::validation_failed([problem]).into());
            }
        };
        if key == ContactKey::Phone && phone_number(&value).is_none() {
            return Err(responses::validation_failed([failure("phone", PHONE_RULE)]).into());
        }
        let found = self.store.contacts().lookup(&caller.scope, key, &value).await?;
        Ok(shown(found.ok_or_else(gone::<store::Contact>)?))
    }

    async fn import_contacts(
        &self,
        request: ImportContacts<Caller>,
    ) -> Result<ContactImport, Failure<ImportContactsError>> {
        import::import(self, request).await
    }

    async fn export_contacts(
        &self,
        request: ExportContacts<Caller>,
    ) -> Result<ExportContactsOk, Failure<ExportContactsError>> {
        let caller = acting(self, request.caller, request.account_id.map(Into::into)).await??;
        Ok(export::all(self, &caller).await?)
    }

    async fn get_contact(&self, request: GetContact<Caller>) -> Result<Contact, Failure<GetContactError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_contact(
        &self,
        request: UpdateContact<Caller>,
    ) -> Result<Contact, Failure<UpdateContactError>> {
        let UpdateContact { caller, contact_id, body, incoming, .. } = request;
        let before: store::Contact = loaded(&incoming)?;
        let update = ContactUpdate {
            email: changed(body.email),
            name: changed(body.name),
            phone: changed(body.phone),
            company: changed(body.company),
            custom: body.custom.map(Into::into),
            external_id: changed(body.external_id),
            kind: body.r#type.map(kind),
            owner_id: changed(body.owner_id).map(|owner_id| owner_id.map(Into::into)),
            tags: body.tags,
            custom_fields: body.custom_fields,
            consent: changed(body.consent).map(|given| given.map(consent).transpose()).transpose()?,
            archived: body.archived,
        };
        let mut failures = check_phone(&update, before.phone.as_deref());
        failures.extend(check_email(&update));
        failures.extend(check_details(self, Scope::of_account(before.account_id), &update).await?);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        match self.store.contacts().update(&caller.scope, contact_id.uuid(), &update, self.now()).await {
            Ok(contact) => Ok(shown(contact.ok_or_else(gone::<store::Contact>)?)),
            Err(ContactError::AlreadyExists { contact_id, key }) => Err(taken(contact_id, key).into()),
            Err(ContactError::ProvenIdentity) => {
                Err(responses::validation_failed([proven_identity()]).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn delete_contact(
        &self,
        request: DeleteContact<Caller>,
    ) -> Result<(), Failure<DeleteContactError>> {
        let DeleteContact { caller, contact_id, mode, .. } = request;
        let contacts = self.store.contacts();
        let found = match mode.unwrap_or(DeleteContactMode::Archive) {
            DeleteContactMode::Archive => {
                contacts.archive(&caller.scope, contact_id.uuid(), self.now()).await?.is_some()
            }
            DeleteContactMode::Erase => {
                let erased =
                    contacts.erase_within(&caller.scope, contact_id.uuid(), ERASURE_TIME, self.now()).await?;
                delete_erased_objects(self).await;
                let (account_id, key_id) = (caller.account_id, caller.key_id);
                tracing::info!(%account_id, %key_id, %contact_id, ?erased, "the data of a contact was erased");
                erased != store::Erased::Unknown
            }
        };
        if found { Ok(()) } else { Err(gone::<store::Contact>().into()) }
    }

    async fn mark_contact_as_customer(
        &self,
        request: MarkContactAsCustomer<Caller>,
    ) -> Result<Contact, Failure<MarkContactAsCustomerError>> {
        let MarkContactAsCustomer { caller, contact_id, body, .. } = request;
        let mark = body.unwrap_or_default();
        let payment = Payment {
            paid_at: mark.paid_at.map(moment).transpose()?,
            amount: mark.amount,
            currency: mark.currency,
            reference: mark.reference,
        };
        let contacts = self.store.contacts();
        let marked =
            contacts.mark_as_customer(&caller.scope, contact_id.uuid(), &payment, self.now()).await?;
        Ok(shown(marked.ok_or_else(gone::<store::Contact>)?))
    }

    async fn unmark_contact_as_customer(
        &self,
        request: UnmarkContactAsCustomer<Caller>,
    ) -> Result<Contact, Failure<UnmarkContactAsCustomerError>> {
        let UnmarkContactAsCustomer { caller, contact_id, .. } = request;
        let unmarked =
            self.store.contacts().unmark_as_customer(&caller.scope, contact_id.uuid(), self.now()).await?;
        Ok(shown(unmarked.ok_or_else(gone::<store::Contact>)?))
    }

    async fn merge_contact(
        &self,
        request: MergeContact<Caller>,
    ) -> Result<Contact, Failure<MergeContactError>> {
        let MergeContact { caller, contact_id, body, .. } = request;
        let contacts = self.store.contacts();
        let problem = match contacts
            .merge(&caller.scope, contact_id.into(), body.source_contact_id.into(), self.now())
            .await
        {
            Ok(merged) => return Ok(shown(merged.ok_or_else(gone::<store::Contact>)?)),
            Err(MergeError::SameContact) => "is the contact itself",
            Err(MergeError::NoSource) => "is not another contact of this account",
            Err(MergeError::SourceProven) => {
                "has a proven identity; merge the other contact into it, if its identity is not proven"
            }
            Err(error) => return Err(error.into()),
        };
        Err(responses::validation_failed([failure("source_contact_id", problem)]).into())
    }

    async fn list_contact_conversations(
        &self,
        request: ListContactConversations<Caller>,
    ) -> Result<ContactConversationList, Failure<ListContactConversationsError>> {
        let ListContactConversations { caller, contact_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.contacts().conversations(&caller.scope, contact_id.uuid(), &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(ContactConversationList::new(page.items.into_iter().map(conversation), pagination))
    }

    async fn list_contact_deals(
        &self,
        request: ListContactDeals<Caller>,
    ) -> Result<DealList, Failure<ListContactDealsError>> {
        let ListContactDeals { caller, contact_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let filter = DealFilter { contact_id: Some(contact_id.uuid()), ..DealFilter::default() };
        let page = self.store.deals().page(&caller.scope, &filter, DealOrder::default(), &page).await?;
        let now = self.now();
        let deals = page.items.into_iter().map(|deal| super::deals::shown(deal, now));
        Ok(DealList::new(deals, listing.pagination(page.next.as_ref())))
    }

    async fn list_contact_threads(
        &self,
        request: ListContactThreads<Caller>,
    ) -> Result<ThreadList, Failure<ListContactThreadsError>> {
        let ListContactThreads { caller, contact_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let filter = ThreadFilter { contact_id: Some(contact_id.uuid()), ..ThreadFilter::default() };
        let page = self.store.threads().page(&caller.scope, &filter, &page).await?;
        let threads = page.items.into_iter().map(super::threads::shown::thread);
        Ok(ThreadList::new(threads, listing.pagination(page.next.as_ref())))
    }

    async fn export_contact(
        &self,
        request: ExportContact<Caller>,
    ) -> Result<ContactExport, Failure<ExportContactError>> {
        let contact: store::Contact = loaded(&request.incoming)?;
        let (account_id, key_id) = (request.caller.account_id, request.caller.key_id);
        let contact_id = contact.contact_id;
        let data = contact_data(&self.store, &request.caller.scope, contact, self.now()).await?;
        tracing::info!(%account_id, %key_id, %contact_id, "the data of a contact was exported");
        Ok(data)
    }
}
