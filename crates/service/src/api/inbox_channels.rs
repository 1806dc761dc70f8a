//! Channels of the inbox, and messages that programs push into it.

use frontdesk_model::{
    CreateInboxChannelError, DeleteInboxChannelError, DeleteSkippedMailError, DownloadSkippedMailError,
    DownloadSkippedMailOk, GetInboxChannelError, InboxChannel, InboxChannelKind, InboxChannelList,
    InboxChannelRequired, ListInboxChannelsError, ListSkippedMailsError, ReceiveChannelMessageError,
    ReceivedMessage, SkippedMail, SkippedMailList, SkippedMailReason, SkippedMailRequired,
    UpdateInboxChannelError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CreateInboxChannel, DeleteInboxChannel, DeleteSkippedMail, DownloadSkippedMail, GetInboxChannel,
    InboxChannels, ListInboxChannels, ListSkippedMails, ReceiveChannelMessage, UpdateInboxChannel,
};
use frontdesk_store::{
    self as store, ChannelKind, Contact, ContactFields, InboxChannelError, InboxChannelUpdate, NewInbound,
    NewInboxChannel, Scope, StoreError,
};
use http::Extensions;
use jiff::Timestamp;
use uuid::Uuid;

use super::{
    account::acting, files::attachment as disposition, filters::check_known, threads::shown as threads,
};
use crate::{
    api::Service,
    background::channels::{
        Configuration, EmailSettings, FormSettings, MetaSettings, TelegramSettings, fetch,
    },
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
    platform::files::delete_object,
};

/// The most channels of an account.
const MAX_CHANNELS: u64 = 50;

impl Resource for store::InboxChannel {
    const PARAMETER: &'static str = "channel_id";
    const NOT_FOUND: &'static str = "Channel not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.inbox_channels().find(scope, id).await
    }
}

impl Resource for store::SkippedMail {
    const PARAMETER: &'static str = "skipped_mail_id";
    const NOT_FOUND: &'static str = "Skipped e-mail not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(channel)) = (scope, parents.get::<store::InboxChannel>()) else {
            return Ok(None);
        };
        let mail = service.store.skipped_mails().find(scope, id).await?;
        Ok(mail.filter(|mail| mail.channel_id == channel.channel_id))
    }
}

impl InboxChannels for Service {
    type Caller = Caller;

    async fn list_inbox_channels(
        &self,
        request: ListInboxChannels<Caller>,
    ) -> Result<InboxChannelList, Failure<ListInboxChannelsError>> {
        let ListInboxChannels { caller, kind, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let mut failures = Vec::new();
        let kind = kind.as_ref().map(InboxChannelKind::as_str);
        check_known("kind", kind, InboxChannelKind::KNOWN, &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let kind = kind.map(str::parse).transpose()?;
        let page = self.store.inbox_channels().page(&caller.scope, kind, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(InboxChannelList::new(page.items.iter().map(shown), pagination))
    }

    async fn create_inbox_channel(
        &self,
        request: CreateInboxChannel<Caller>,
    ) -> Result<InboxChannel, Failure<CreateInboxChannelError>> {
        let CreateInboxChannel { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let mut failures = Vec::new();
        check_known("kind", Some(body.kind.as_str()), InboxChannelKind::KNOWN, &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let mut new = NewInboxChannel::new(body.kind.as_str().parse()?, body.name);
        new.enabled = body.enabled.unwrap_or(true);
        let change = Configuration {
            contact_form: body.contact_form,
            email: body.email,
            telegram: body.telegram,
            whatsapp: body.whatsapp,
            messenger: body.messenger,
        };
        if let Some(stored) = change.of_new(&self.cipher, &new, &mut failures)? {
            new.settings = stored.settings;
            new.secrets = stored.secrets;
        }
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let account = Scope::of_account(caller.account_id);
        match self.store.inbox_channels().create(&account, &new, MAX_CHANNELS, self.now()).await {
            Ok(created) => {
                fetch(self, &created).await?;
                Ok(shown(&created))
            }
            Err(InboxChannelError::LimitReached(limit)) => {
                let message = format!(
                    "The account has {limit} channels already, which is the most that it may have. Delete one first."
                );
                Err(responses::limit_reached(&message).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn get_inbox_channel(
        &self,
        request: GetInboxChannel<Caller>,
    ) -> Result<InboxChannel, Failure<GetInboxChannelError>> {
        Ok(shown(&loaded::<store::InboxChannel>(&request.incoming)?))
    }

    async fn update_inbox_channel(
        &self,
        request: UpdateInboxChannel<Caller>,
    ) -> Result<InboxChannel, Failure<UpdateInboxChannelError>> {
        let UpdateInboxChannel { caller, channel_id, body, incoming } = request;
        let channel: store::InboxChannel = loaded(&incoming)?;
        let mut failures = Vec::new();
        let change = Configuration {
            contact_form: body.contact_form,
            email: body.email,
            telegram: body.telegram,
            whatsapp: body.whatsapp,
            messenger: body.messenger,
        };
        let stored = change.of_present(&self.cipher, &channel, &mut failures)?;
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let (settings, secrets) = stored.map(|stored| (stored.settings, stored.secrets)).unzip();
        let update = InboxChannelUpdate {
            name: body.name,
            enabled: body.enabled,
            settings,
            secrets: secrets.flatten(),
        };
        let updated =
            self.store.inbox_channels().update(&caller.scope, channel_id.uuid(), &update, self.now()).await?;
        let updated = updated.ok_or_else(gone::<store::InboxChannel>)?;
        fetch(self, &updated).await?;
        Ok(shown(&updated))
    }

    async fn delete_inbox_channel(
        &self,
        request: DeleteInboxChannel<Caller>,
    ) -> Result<(), Failure<DeleteInboxChannelError>> {
        if self.store.inbox_channels().delete(&request.caller.scope, request.channel_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::InboxChannel>().into())
        }
    }

    async fn list_skipped_mails(
        &self,
        request: ListSkippedMails<Caller>,
    ) -> Result<SkippedMailList, Failure<ListSkippedMailsError>> {
        let ListSkippedMails { caller, channel_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.skipped_mails().page(&caller.scope, channel_id.uuid(), &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(SkippedMailList::new(page.items.into_iter().map(skipped_mail), pagination))
    }

    async fn download_skipped_mail(
        &self,
        request: DownloadSkippedMail<Caller>,
    ) -> Result<DownloadSkippedMailOk, Failure<DownloadSkippedMailError>> {
        let mail: store::SkippedMail = loaded(&request.incoming)?;
        let key = mail.object_key.ok_or_else(gone::<store::SkippedMail>)?;
        let content = self.files.get(&key).await?.ok_or_else(gone::<store::SkippedMail>)?;
        Ok(DownloadSkippedMailOk {
            content_disposition: disposition(&format!("{}.eml", mail.skipped_mail_id)),
            x_content_type_options: "nosniff".to_owned(),
            body: content.into(),
        })
    }

    async fn delete_skipped_mail(
        &self,
        request: DeleteSkippedMail<Caller>,
    ) -> Result<(), Failure<DeleteSkippedMailError>> {
        let mail: store::SkippedMail = loaded(&request.incoming)?;
        if !self.store.skipped_mails().delete(&request.caller.scope, mail.skipped_mail_id).await? {
            return Err(gone::<store::SkippedMail>().into());
        }
        if let Some(key) = &mail.object_key {
            delete_object(self, key).await;
        }
        Ok(())
    }

    async fn receive_channel_message(
        &self,
        request: ReceiveChannelMessage<Caller>,
    ) -> Result<ReceivedMessage, Failure<ReceiveChannelMessageError>> {
        let ReceiveChannelMessage { caller, channel_id, body, incoming, .. } = request;
        let channel: store::InboxChannel = loaded(&incoming)?;
        if channel.kind != ChannelKind::Api {
            return Err(responses::conflict("Only channels of the kind `api` take messages so.").into());
        }
        if let Some(contact_id) = body.contact_id {
            let account = Scope::of_account(channel.account_id);
            if Contact::load(self, Some(&account), &Extensions::new(), contact_id.uuid()).await?.is_none() {
                let failure = responses::failure("contact_id", "is not a contact of this account");
                return Err(responses::validation_failed([failure]).into());
            }
        }
        let claims = body.contact.unwrap_or_default();
        let sent_at = body.sent_at.map(|sent_at| Timestamp::from_microsecond(sent_at.as_microseconds()));
        let inbound = NewInbound {
            channel_id: channel_id.uuid(),
            thread_key: body.thread_key,
            message_key: body.message_key,
            thread_id: None,
            contact: ContactFields {
                email: claims.email,
                name: claims.name,
                phone: claims.phone,
                company: claims.company,
                custom: None,
            },
            contact_id: body.contact_id.map(Into::into),
            author_name: None,
            subject: body.subject,
            body: body.body,
            body_html: None,
            folded_text: None,
            content_digest: None,
            attachments: Vec::new(),
            sent_at: sent_at.transpose()?,
            is_spam: false,
            is_automatic: false,
        };
        let received = self.store.threads().receive(&caller.scope, &inbound, self.now()).await?;
        let Some(received) = received else {
            return Err(responses::conflict("The channel is switched off.").into());
        };
        let message = threads::one_message(self, &caller.scope, received.message).await?;
        Ok(ReceivedMessage::new(received.thread.thread_id.into(), !received.is_new, message))
    }
}

fn shown(stored: &store::InboxChannel) -> InboxChannel {
    let channel = InboxChannel::new(InboxChannelRequired {
        channel_id: stored.channel_id.into(),
        kind: InboxChannelKind::from(stored.kind.as_str()),
        name: stored.name.clone(),
        enabled: stored.enabled,
        last_error: stored.last_error.clone(),
        error_at: stored.error_at.map(timestamp),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    });
    match stored.kind {
        ChannelKind::ContactForm => channel.contact_form(FormSettings::shown(stored)),
        ChannelKind::Email => channel.email(EmailSettings::shown(stored)),
        ChannelKind::Telegram => channel.telegram(TelegramSettings::shown(stored)),
        ChannelKind::Whatsapp => channel.whatsapp(MetaSettings::shown(stored)),
        ChannelKind::Messenger => channel.messenger(MetaSettings::shown(stored)),
        ChannelKind::Api | ChannelKind::Instagram | ChannelKind::Sms => channel,
    }
}

fn skipped_mail(stored: store::SkippedMail) -> SkippedMail {
    SkippedMail::new(SkippedMailRequired {
        skipped_mail_id: stored.skipped_mail_id.into(),
        reason: SkippedMailReason::from(stored.reason.as_str()),
        detail: stored.detail,
        from: stored.from_address,
        subject: stored.subject,
        size_bytes: stored.size_bytes.map(super::count),
        is_kept: stored.object_key.is_some(),
        skipped_at: timestamp(stored.created_at),
    })
}
