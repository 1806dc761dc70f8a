//! Contact forms: what visitors of websites call, without a key.
//!
//! Everything that is here can be called by anybody, as often as the limits allow. A response never says what
//! became of a submission.

use frontdesk_model::{
    FormReceipt, FormSubmission, FormToken, IssueFormTokenError, RateLimited, SubmitFormError,
    SubmitFormSeeOther,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_server::{Forms, IssueFormToken, SubmitForm};
use frontdesk_store::{
    ChannelKind, ContactFields, InboxChannel, NewInbound, Position, Scope, SortKey, StoreError,
};
use http::{Extensions, HeaderMap, HeaderName, header};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::{
    api::Service,
    background::channels::{FormSettings, Verdict, verdict},
    edge::{
        Caller, Edge,
        authorization::{
            client,
            resources::{Resource, gone, loaded},
        },
        rate_limit::Subject,
        responses,
    },
};

/// The response to visitors.
const CONFIRMATION: &str = "Thank you. Your message was received.";
/// Says why a browser has sent a request (Fetch Metadata, W3C): `navigate` to show the response.
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// What distinguishes tokens of forms from cursors of lists, which have the same form.
const TOKENS: &str = "tokens of contact forms";
/// How long a token is valid.
const VALIDITY: SignedDuration = SignedDuration::from_hours(24);

/// A contact form that takes submissions, named by its public key.
#[derive(Clone, Debug)]
pub(crate) struct Form(InboxChannel);

impl Resource for Form {
    const PARAMETER: &'static str = "form_key";
    const NOT_FOUND: &'static str = "Form not found.";

    async fn load(
        service: &Edge,
        _: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let found = service.store.inbox_channels().find_public(ChannelKind::ContactForm, id).await?;
        Ok(found.filter(|channel| channel.enabled).map(Self))
    }
}

impl Forms for Service {
    type Caller = Caller;

    async fn submit_form(&self, request: SubmitForm) -> Result<FormReceipt, Failure<SubmitFormError>> {
        let SubmitForm { form_key, body: mut submission, incoming } = request;
        let Form(channel) = loaded(&incoming)?;
        let settings = FormSettings::of(&channel);
        submission.email =
            submission.email.map(|email| email.trim().to_owned()).filter(|email| !email.is_empty());
        if submission.email.as_deref().is_some_and(|email| frontdesk_address::email(email).is_none()) {
            let failure = responses::failure("email", "must be an email address");
            return Err(responses::validation_failed([failure]).into());
        }
        take_as_sender(self, form_key, &incoming).await?;
        let now = self.now();
        let filled_for =
            submission.token.as_deref().and_then(|token| seconds_since_issue(self, form_key, token, now));
        let verdict = verdict(&settings, &submission, filled_for);
        // What a program sends from many addresses uses up nothing of what people may send.
        let subject = match verdict {
            Verdict::Wanted => Subject::SubmissionsOfForm(form_key),
            Verdict::Spam => Subject::DoubtfulSubmissionsOfForm(form_key),
        };
        let limit = self.config.limits.submissions_per_form;
        self.rate_limits.take(subject, limit).await.map_err(responses::too_many)?;
        let key = Uuid::now_v7().to_string();
        let is_spam = verdict == Verdict::Spam;
        let inbound = NewInbound {
            channel_id: channel.channel_id,
            thread_key: key.clone(),
            message_key: key,
            content_digest: None,
            thread_id: None,
            body: text_of(&submission, is_spam),
            body_html: None,
            folded_text: None,
            contact: ContactFields {
                email: submission.email,
                name: submission.name,
                phone: submission.phone,
                company: submission.company,
                custom: None,
            },
            contact_id: None,
            author_name: None,
            subject: submission.subject.filter(|subject| !subject.trim().is_empty()),
            attachments: Vec::new(),
            sent_at: None,
            is_spam,
            is_automatic: false,
        };
        let account = Scope::of_account(channel.account_id);
        // The form was deleted or switched off meanwhile: nobody is thanked for what is not stored.
        if self.store.threads().receive(&account, &inbound, now).await?.is_none() {
            return Err(gone::<Form>().into());
        }
        match settings.redirect_url.filter(|_| is_posted_by_browser(&incoming.parts().headers)) {
            Some(location) => Err(SubmitFormSeeOther { location }.into()),
            None => Ok(FormReceipt::new(CONFIRMATION)),
        }
    }

    async fn issue_form_token(
        &self,
        request: IssueFormToken,
    ) -> Result<FormToken, Failure<IssueFormTokenError>> {
        take_as_sender(self, request.form_key, &request.incoming).await?;
        let issued_at = Position { key: SortKey::Number(self.now().as_microsecond()), id: request.form_key };
        Ok(FormToken::new(self.cursors.write(TOKENS, &issued_at)))
    }
}

/// Counts a request of a client address to a form. The body is valid by now: senders of others use up nothing
/// of whom they share the address with.
async fn take_as_sender(service: &Service, form_key: Uuid, incoming: &Incoming) -> Result<(), RateLimited> {
    let subject = Subject::RequestsToForm(form_key, client(incoming));
    let limit = service.config.limits.form_requests_per_client;
    service.rate_limits.take(subject, limit).await.map_err(responses::too_many)
}

/// Returns the text of a message. That of a doubtful submission has all that was filled in, because there is
/// no contact yet that has it.
fn text_of(submission: &FormSubmission, is_spam: bool) -> String {
    let mut text = submission.message.clone();
    let filled = |value: &Option<String>| {
        value.as_deref().map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
    };
    if let Some(page_url) = filled(&submission.page_url) {
        text.push_str(&format!("\n\n{page_url}"));
    }
    let details = [
        ("Name", &submission.name),
        ("Email", &submission.email),
        ("Phone", &submission.phone),
        ("Company", &submission.company),
        ("Website", &submission.website),
    ];
    let details: Vec<String> = details
        .into_iter()
        .filter(|_| is_spam)
        .filter_map(|(name, value)| Some(format!("{name}: {}", filled(value)?)))
        .collect();
    if !details.is_empty() {
        text.push_str(&format!("\n\n{}", details.join("\n")));
    }
    text
}

/// Returns how long ago a token of a form was issued, or `None` if it is not valid.
fn seconds_since_issue(service: &Service, form_key: Uuid, token: &str, now: Timestamp) -> Option<i64> {
    let Position { key: SortKey::Number(issued_at), id } = service.cursors.read(TOKENS, token)? else {
        return None;
    };
    let age = Timestamp::from_microsecond(issued_at).ok()?.duration_until(now);
    (id == form_key && age <= VALIDITY).then_some(age.as_secs())
}

/// Returns whether a browser has posted a form and shows the response, rather than a program JSON, or a
/// script of a page the fields of a form. What a redirect leads to would not be the script's to read.
fn is_posted_by_browser(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default().trim_start().to_ascii_lowercase();
    let is_script = text(SEC_FETCH_MODE).is_some_and(|mode| !mode.eq_ignore_ascii_case("navigate"));
    media_type.starts_with("application/x-www-form-urlencoded") && !is_script
}
