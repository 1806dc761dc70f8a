//! Limits of what clients may use.

use std::time::Duration;

use frontdesk_store::Redacted;
use url::Url;

use super::{
    Kind, Setting,
    values::{number, one, percentage, positive, shown, without_password},
};

pub(super) const REQUESTS_PER_KEY: Setting = Setting {
    key: "limits.requests_per_key",
    flag: "requests-per-key",
    value: "COUNT",
    meaning: "Requests per minute of an API key without a limit of its own",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.requests_per_key = count),
    show: |config| shown([&config.limits.requests_per_key]),
};

pub(super) const FAILED_ATTEMPTS: Setting = Setting {
    key: "limits.failed_attempts",
    flag: "failed-attempts",
    value: "COUNT",
    meaning: "Requests per minute with wrong keys and secrets or for what does not exist, per client address and operation",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.failed_attempts = count),
    show: |config| shown([&config.limits.failed_attempts]),
};

pub(super) const REPLIES_PER_CLIENT: Setting = Setting {
    key: "limits.replies_per_client",
    flag: "replies-per-client",
    value: "COUNT",
    meaning: "Keyless replies per minute of a chatbot to one client address",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.replies_per_client = count),
    show: |config| shown([&config.limits.replies_per_client]),
};

pub(super) const FORM_REQUESTS_PER_CLIENT: Setting = Setting {
    key: "limits.form_requests_per_client",
    flag: "form-requests-per-client",
    value: "COUNT",
    meaning: "Valid requests per minute of one client address to a contact form",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.form_requests_per_client = count),
    show: |config| shown([&config.limits.form_requests_per_client]),
};

pub(super) const SUBMISSIONS_PER_FORM: Setting = Setting {
    key: "limits.submissions_per_form",
    flag: "submissions-per-form",
    value: "COUNT",
    meaning: "Submissions per minute of a contact form",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.submissions_per_form = count),
    show: |config| shown([&config.limits.submissions_per_form]),
};

pub(super) const WIDGET_REQUESTS_PER_CLIENT: Setting = Setting {
    key: "limits.widget_requests_per_client",
    flag: "widget-requests-per-client",
    value: "COUNT",
    meaning: "Requests per minute of one client address to a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.widget_requests_per_client = count),
    show: |config| shown([&config.limits.widget_requests_per_client]),
};

pub(super) const SESSIONS_PER_CLIENT: Setting = Setting {
    key: "limits.sessions_per_client",
    flag: "sessions-per-client",
    value: "COUNT",
    meaning: "Sessions per minute that one client address begins with a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.sessions_per_client = count),
    show: |config| shown([&config.limits.sessions_per_client]),
};

pub(super) const SESSIONS_PER_WIDGET: Setting = Setting {
    key: "limits.sessions_per_widget",
    flag: "sessions-per-widget",
    value: "COUNT",
    meaning: "Sessions per minute that begin with a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.sessions_per_widget = count),
    show: |config| shown([&config.limits.sessions_per_widget]),
};

pub(super) const REQUESTS_PER_VISITOR: Setting = Setting {
    key: "limits.requests_per_visitor",
    flag: "requests-per-visitor",
    value: "COUNT",
    meaning: "Requests per minute of a visitor of a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.requests_per_visitor = count),
    show: |config| shown([&config.limits.requests_per_visitor]),
};

pub(super) const MESSAGES_PER_VISITOR: Setting = Setting {
    key: "limits.messages_per_visitor",
    flag: "messages-per-visitor",
    value: "COUNT",
    meaning: "Messages per minute of a visitor of a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.messages_per_visitor = count),
    show: |config| shown([&config.limits.messages_per_visitor]),
};

pub(super) const MESSAGES_PER_VISITOR_AND_HOUR: Setting = Setting {
    key: "limits.messages_per_visitor_and_hour",
    flag: "messages-per-visitor-and-hour",
    value: "COUNT",
    meaning: "Messages per hour of a visitor of a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.messages_per_visitor_and_hour = count),
    show: |config| shown([&config.limits.messages_per_visitor_and_hour]),
};

pub(super) const MESSAGES_PER_CLIENT: Setting = Setting {
    key: "limits.messages_per_client",
    flag: "messages-per-client",
    value: "COUNT",
    meaning: "Messages per minute from one client address to a widget",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.messages_per_client = count),
    show: |config| shown([&config.limits.messages_per_client]),
};

pub(super) const VISITOR_PERCENT_PER_DAY: Setting = Setting {
    key: "limits.visitor_percent_per_day",
    flag: "visitor-percent-per-day",
    value: "PERCENT",
    meaning: "Share of an account's monthly AI credits that visitors of widgets may use a day (UTC)",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| percentage(texts).map(|share| config.limits.visitor_percent_per_day = share),
    show: |config| shown([&config.limits.visitor_percent_per_day]),
};

pub(super) const REPLIES_PER_CHATBOT: Setting = Setting {
    key: "limits.replies_per_chatbot",
    flag: "replies-per-chatbot",
    value: "COUNT",
    meaning: "Keyless replies per minute of a chatbot",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.replies_per_chatbot = count),
    show: |config| shown([&config.limits.replies_per_chatbot]),
};

pub(super) const REPLIES_PER_DAY: Setting = Setting {
    key: "limits.replies_per_day",
    flag: "replies-per-day",
    value: "COUNT",
    meaning: "Keyless replies per day (UTC) of a chatbot",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.replies_per_day = count),
    show: |config| shown([&config.limits.replies_per_day]),
};

pub(super) const REDIS_URL: Setting = Setting {
    key: "limits.redis_url",
    flag: "redis-url",
    value: "URL",
    meaning: "Redis or Valkey server in which all processes count requests together: redis://HOST:PORT/DATABASE",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        let text: String = one(texts)?;
        let url: Url = text.parse().map_err(|_| "it is not a URL".to_owned())?;
        if !matches!(url.scheme(), "redis" | "rediss" | "valkey" | "valkeys") {
            return Err("it does not start with redis:// or rediss://".to_owned());
        }
        config.limits.redis_url = Some(Redacted::new(text));
        Ok(())
    },
    show: |config| config.limits.redis_url.iter().map(|url| without_password(url.expose())).collect(),
};

pub(super) const SHARED_TIMEOUT_MILLISECONDS: Setting = Setting {
    key: "limits.shared_timeout_milliseconds",
    flag: "shared-limits-timeout-milliseconds",
    value: "MILLISECONDS",
    meaning: "Longest wait for the store that counts requests for all processes; then each process counts alone",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| {
        positive(texts).map(|count| config.limits.shared_timeout = Duration::from_millis(count.into()))
    },
    show: |config| shown([&config.limits.shared_timeout.as_millis()]),
};

pub(super) const REPLY_PERCENT_PER_DAY: Setting = Setting {
    key: "limits.reply_percent_per_day",
    flag: "reply-percent-per-day",
    value: "PERCENT",
    meaning: "Share of an account's monthly AI credits that keyless replies may use a day (UTC)",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| percentage(texts).map(|share| config.limits.reply_percent_per_day = share),
    show: |config| shown([&config.limits.reply_percent_per_day]),
};

pub(super) const REPLY_PERCENT_PER_MONTH: Setting = Setting {
    key: "limits.reply_percent_per_month",
    flag: "reply-percent-per-month",
    value: "PERCENT",
    meaning: "Share of an account's monthly AI credits that keyless replies may use a month (UTC)",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| percentage(texts).map(|share| config.limits.reply_percent_per_month = share),
    show: |config| shown([&config.limits.reply_percent_per_month]),
};

pub(super) const CONCURRENT_REPLIES: Setting = Setting {
    key: "limits.concurrent_replies",
    flag: "concurrent-replies",
    value: "COUNT",
    meaning: "Keyless replies that one process drafts at a time",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.limits.concurrent_replies = count),
    show: |config| shown([&config.limits.concurrent_replies]),
};

pub(super) const WAITING_REQUESTS: Setting = Setting {
    key: "limits.waiting_requests",
    flag: "waiting-requests",
    value: "COUNT",
    meaning: "Requests that wait for replies in conversations at a time; further ones do not wait",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| number(texts).map(|count| config.limits.waiting_requests = count),
    show: |config| shown([&config.limits.waiting_requests]),
};

pub(super) const WAITING_REQUESTS_PER_ACCOUNT: Setting = Setting {
    key: "limits.waiting_requests_per_account",
    flag: "waiting-requests-per-account",
    value: "COUNT",
    meaning: "Requests with keys of one account that wait for replies at a time (default: half of all)",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| number(texts).map(|count| config.limits.waiting_requests_per_account = Some(count)),
    show: |config| shown(config.limits.waiting_requests_per_account.as_ref()),
};
