//! Settings of e-mail.

use frontdesk_store::Redacted;
use url::Url;

use super::{
    Kind, Setting,
    values::{one, redacted, shown},
};

pub(super) const SMTP_URL: Setting = Setting {
    key: "mail.smtp_url",
    flag: "mail-smtp-url",
    value: "URL",
    meaning: "Mail server: smtps://USER:PASSWORD@HOST, or smtp://USER:PASSWORD@HOST:587?tls=required; prefer the environment",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| {
        let text: String = one(texts)?;
        if !text.starts_with("smtp://") && !text.starts_with("smtps://") {
            return Err("it does not start with smtps:// or smtp://".to_owned());
        }
        config.mail.smtp_url = Some(Redacted::new(text));
        Ok(())
    },
    show: |config| redacted(config.mail.smtp_url.as_ref()),
};

pub(super) const FROM: Setting = Setting {
    key: "mail.from",
    flag: "mail-from",
    value: "ADDRESS",
    meaning: "Sender of notices, such as `Frontdesk <notices@frontdesk.example>`; required to send e-mail",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|address| config.mail.from = Some(address)),
    show: |config| shown(&config.mail.from),
};

pub(super) const PUBLIC_URL: Setting = Setting {
    key: "mail.public_url",
    flag: "mail-public-url",
    value: "URL",
    meaning: "Address of this service for links in e-mails, such as https://api.frontdesk.example; required for follow-ups, invitations and new passwords by e-mail",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        let url: Url = one(texts)?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || url.fragment().is_some() {
            return Err(
                "it is not a web address without a query, such as https://api.frontdesk.example".to_owned()
            );
        }
        config.mail.public_url = Some(url);
        Ok(())
    },
    show: |config| shown(&config.mail.public_url),
};
