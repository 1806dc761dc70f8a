//! Widgets: how chatbots appear on websites, and the beginning of a visitor's session.

use frontdesk_model::{
    CreateVisitorSessionError, GetPublicWidgetError, GetWidgetError, NotFound, PublicWidget,
    PublicWidgetRequired, QuickPromptsDisplay, RateLimited, RotateWidgetKeyError, UpdateWidgetError,
    VisitorSession, Widget, WidgetButtonStyle, WidgetPosition, WidgetRequired,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_server::{
    CreateVisitorSession, GetPublicWidget, GetWidget, RotateWidgetKey, UpdateWidget, Widgets,
};
use frontdesk_store::{self as store, Chatbot, NewVisitorSession, Scope, StoreError, WidgetUpdate};
use http::{Extensions, header};
use url::Url;
use uuid::Uuid;

use crate::{
    answering,
    api::Service,
    edge::{
        Caller, Edge,
        authorization::{
            client,
            resources::{Resource, gone, loaded},
        },
        rate_limit::Subject,
        responses::{self, timestamp},
    },
    platform::{chatbot_settings::Settings, secrets::visitor_tokens::FreshToken},
};

/// The text of the 404 for a website that may not show the widget.
const FORBIDDEN_ORIGIN: &str = "This widget may not be used on this website.";

/// A widget that is switched on, named by its public key.
#[derive(Clone, Debug)]
pub(crate) struct ShownWidget {
    widget: store::Widget,
    chatbot: Chatbot,
}

impl Resource for ShownWidget {
    const PARAMETER: &'static str = "widget_key";
    const NOT_FOUND: &'static str = "Widget not found.";

    async fn load(
        service: &Edge,
        _: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let found = service.store.widgets().find_public(id).await?;
        let Some(widget) = found.filter(|widget| widget.enabled) else { return Ok(None) };
        let scope = Scope::of_account(widget.account_id);
        let chatbot = service.store.chatbots().find(&scope, widget.chatbot_id).await?;
        Ok(chatbot.map(|chatbot| Self { widget, chatbot }))
    }
}

impl Widgets for Service {
    type Caller = Caller;

    async fn get_widget(&self, request: GetWidget<Caller>) -> Result<Widget, Failure<GetWidgetError>> {
        let chatbot: Chatbot = loaded(&request.incoming)?;
        let widget = self.store.widgets().of_chatbot(&chatbot, self.now()).await?;
        Ok(shown(self, widget.ok_or_else(gone::<Chatbot>)?).await?)
    }

    async fn update_widget(
        &self,
        request: UpdateWidget<Caller>,
    ) -> Result<Widget, Failure<UpdateWidgetError>> {
        let chatbot: Chatbot = loaded(&request.incoming)?;
        let body = request.body;
        let mut failures = Vec::new();
        let allowed_origins = body.allowed_origins.map(|texts| {
            let mut origins: Vec<String> = Vec::with_capacity(texts.len());
            for (index, text) in texts.iter().enumerate() {
                match origin(text) {
                    Some(origin) if origins.contains(&origin) => {}
                    Some(origin) => origins.push(origin),
                    None => failures.push(responses::failure(
                        &format!("allowed_origins.{index}"),
                        "must be the beginning of a web address, such as https://www.example.com, without a path",
                    )),
                }
            }
            origins
        });
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = WidgetUpdate {
            enabled: body.enabled,
            color: body.color,
            position: body.position.map(|position| position.as_str().parse()).transpose()?,
            button_style: body.button_style.map(|style| style.as_str().parse()).transpose()?,
            notice: (!body.notice.is_absent()).then(|| body.notice.into_value()),
            allowed_origins,
        };
        let (widgets, now) = (self.store.widgets(), self.now());
        widgets.of_chatbot(&chatbot, now).await?.ok_or_else(gone::<Chatbot>)?;
        let changed = widgets.update(&chatbot.scope(), chatbot.chatbot_id, &update, now).await?;
        Ok(shown(self, changed.ok_or_else(gone::<Chatbot>)?).await?)
    }

    async fn rotate_widget_key(
        &self,
        request: RotateWidgetKey<Caller>,
    ) -> Result<Widget, Failure<RotateWidgetKeyError>> {
        let chatbot: Chatbot = loaded(&request.incoming)?;
        let (widgets, now) = (self.store.widgets(), self.now());
        widgets.of_chatbot(&chatbot, now).await?.ok_or_else(gone::<Chatbot>)?;
        let rotated = widgets.rotate_key(&chatbot.scope(), chatbot.chatbot_id, now).await?;
        Ok(shown(self, rotated.ok_or_else(gone::<Chatbot>)?).await?)
    }

    async fn get_public_widget(
        &self,
        request: GetPublicWidget,
    ) -> Result<PublicWidget, Failure<GetPublicWidgetError>> {
        let ShownWidget { widget, chatbot } = loaded(&request.incoming)?;
        let settings = Settings::of(&chatbot)?.into_model();
        // Nobody says yet when people are there.
        let people_available = None::<bool>;
        Ok(PublicWidget::new(PublicWidgetRequired {
            widget_key: widget.widget_key,
            name: settings.business_name,
            opening_text: settings.opening_text,
            placeholder_text: settings.placeholder_text,
            button_text: settings.button_text,
            quick_buttons: settings.quick_buttons.unwrap_or_default(),
            quick_prompts_display: settings.quick_prompts_display.unwrap_or(QuickPromptsDisplay::Once),
            show_sources: settings.show_sources.unwrap_or(true),
            language: settings.language,
            color: widget.color,
            position: WidgetPosition::from(widget.position.as_str()),
            button_style: WidgetButtonStyle::from(widget.button_style.as_str()),
            notice: widget.notice,
            people_available,
        }))
    }

    async fn create_visitor_session(
        &self,
        request: CreateVisitorSession,
    ) -> Result<VisitorSession, Failure<CreateVisitorSessionError>> {
        let CreateVisitorSession { body, incoming, .. } = request;
        let ShownWidget { widget, chatbot } = loaded(&incoming)?;
        if !may_show(&widget, &incoming) {
            return Err(NotFound { body: responses::not_found(FORBIDDEN_ORIGIN) }.into());
        }
        take_session(self, &widget, &incoming).await?;
        let (verified_subject, contact_id) = answering::identify_visitor(self, &chatbot, &body).await?;
        let token = FreshToken::generate()?;
        let new = NewVisitorSession {
            hash: token.hash(),
            language: body.language.into_value().filter(|language| !language.trim().is_empty()),
            verified_subject,
            contact_id,
        };
        let session = self.store.visitors().begin_session(&widget, &new, self.now()).await?;
        // The key was replaced meanwhile.
        let session = session.ok_or_else(gone::<ShownWidget>)?;
        let is_identified = session.verified_subject.is_some();
        Ok(VisitorSession::new(token.expose(), timestamp(session.expires_at), is_identified))
    }
}

/// Counts a session of a client address, then of the widget. The body is valid by now.
async fn take_session(
    service: &Service,
    widget: &store::Widget,
    incoming: &Incoming,
) -> Result<(), RateLimited> {
    let limits = &service.config.limits;
    let of_client = Subject::SessionsOfClient(widget.widget_key, client(incoming));
    let of_widget = Subject::SessionsOfWidget(widget.widget_key);
    for (subject, limit) in [(of_client, limits.sessions_per_client), (of_widget, limits.sessions_per_widget)]
    {
        service.rate_limits.take(subject, limit).await.map_err(responses::too_many)?;
    }
    Ok(())
}

/// Returns whether the page that a request comes from may show the widget, as far as a browser says it. The
/// panel has no origin (`null`): its own policy says which websites may show it.
fn may_show(widget: &store::Widget, incoming: &Incoming) -> bool {
    let headers = &incoming.parts().headers;
    let allowed = widget.origins();
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match text(header::ORIGIN) {
        None | Some("null") => true,
        Some(_) if allowed.is_empty() => true,
        Some(given) => {
            let is_own = text(header::HOST).is_some_and(|host| {
                given.split_once("://").is_some_and(|(_, given)| given.eq_ignore_ascii_case(host))
            });
            is_own
                || origin(given).is_some_and(|given| allowed.iter().any(|allowed| matches(allowed, &given)))
        }
    }
}

/// Whether an entry of the list allows an origin: it is the same, or has the form `https://*.example.com` and
/// the origin is a subdomain, as in a Content-Security-Policy.
fn matches(allowed: &str, origin: &str) -> bool {
    match allowed.split_once("://*.") {
        None => allowed == origin,
        Some((scheme, domain)) => origin
            .strip_suffix(domain)
            .and_then(|rest| rest.strip_suffix('.')?.strip_prefix(scheme)?.strip_prefix("://"))
            .is_some_and(|subdomain| !subdomain.is_empty()),
    }
}

/// Returns the origin of a web address in its normal form, or `None` if the text is not one.
fn origin(text: &str) -> Option<String> {
    let url: Url = text.parse().ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    is_web.then(|| url.origin().ascii_serialization())
}

/// Returns what an account sees of its widget.
async fn shown(service: &Service, widget: store::Widget) -> Result<Widget, StoreError> {
    let scope = Scope::of_account(widget.account_id);
    let mut suggested: Vec<String> = Vec::new();
    for place in service.store.widgets().known_places(&scope, widget.chatbot_id).await? {
        // A domain is a host name.
        let found = origin(&place).or_else(|| origin(&format!("https://{place}")));
        suggested.extend(found.filter(|origin| !suggested.contains(origin)));
    }
    let allowed: Vec<String> = widget.origins().into_iter().map(str::to_owned).collect();
    Ok(Widget::new(WidgetRequired {
        widget_key: widget.widget_key,
        enabled: widget.enabled,
        color: widget.color,
        position: WidgetPosition::from(widget.position.as_str()),
        button_style: WidgetButtonStyle::from(widget.button_style.as_str()),
        notice: widget.notice,
        allowed_origins: allowed,
        suggested_origins: suggested,
        updated_at: timestamp(widget.updated_at),
    }))
}

#[cfg(test)]
mod tests {
    use super::{matches, origin};

    #[test]
    fn a_star_stands_for_subdomains() {
        for (allowed, given, expected) in [
            ("https://www.acme.example", "https://www.acme.example", true),
            ("https://www.acme.example", "http://www.acme.example", false),
            ("https://*.acme.example", "https://www.acme.example", true),
            ("https://*.acme.example", "https://a.b.acme.example", true),
            ("https://*.acme.example:8443", "https://www.acme.example:8443", true),
            ("https://*.acme.example", "https://acme.example", false),
            ("https://*.acme.example", "https://evilacme.example", false),
            ("https://*.acme.example", "https://.acme.example", false),
            ("https://*.acme.example", "http://www.acme.example", false),
            ("https://*.acme.example", "https://www.acme.example:8443", false),
            ("https://*.acme.example", "https://www.acme.example.evil.example", false),
        ] {
            assert_eq!(matches(allowed, given), expected, "{allowed} {given}");
        }
    }

    #[test]
    fn origins_have_one_form() {
        for (text, expected) in [
            ("https://www.acme.example", Some("https://www.acme.example")),
            ("HTTPS://WWW.Acme.example:443/", Some("https://www.acme.example")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("https://bäcker.example/preise", Some("https://xn--bcker-gra.example")),
            ("null", None),
            ("www.acme.example", None),
            ("ftp://acme.example", None),
            ("https://", None),
            ("https://*.Acme.example", Some("https://*.acme.example")),
        ] {
            assert_eq!(origin(text).as_deref(), expected, "{text}");
        }
    }
}
