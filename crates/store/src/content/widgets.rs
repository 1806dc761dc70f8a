//! Widgets: how chatbots appear on websites. A chatbot has one, which comes to be when it is first asked for.

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::content::chatbots::Chatbot;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::micros;
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// The color of a widget for which none was chosen.
const COLOR: &str = "#1f6f4a";

named_values! {
    /// The lower corner of the window where the button of a widget is.
    pub enum WidgetPosition as "position of a widget" {
        /// Where lines of text end.
        End = "end",
        /// Where lines of text begin.
        Start = "start",
    }
}

named_values! {
    /// What the button of a widget shows.
    pub enum WidgetButtonStyle as "style of a button" {
        /// A symbol.
        Icon = "icon",
        /// A symbol and a text.
        Text = "text",
    }
}

record! {
    /// How a chatbot appears on websites.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Widget, columns widget_columns {
        /// The chatbot.
        pub chatbot_id: Uuid,
        /// The account of the chatbot.
        pub account_id: Uuid,
        /// Names the widget on websites. Not secret.
        pub widget_key: Uuid,
        /// Whether visitors may use it.
        pub enabled: bool,
        /// The color, as `#rrggbb`.
        pub color: String,
        /// Where the button is.
        pub position: WidgetPosition,
        /// What the button shows.
        pub button_style: WidgetButtonStyle,
        /// A text that is shown before the first message.
        pub notice: Option<String>,
        /// The origins of the websites that may show it, an array of texts; empty for every website.
        pub allowed_origins: Value,
        /// When it was changed, or came to be.
        pub updated_at: Timestamp,
    }
}

impl Widget {
    /// Returns the origins of the websites that may show the widget; none if every website may.
    pub fn origins(&self) -> Vec<&str> {
        self.allowed_origins.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// A change of a widget. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct WidgetUpdate {
    /// Whether visitors may use it.
    pub enabled: Option<bool>,
    /// The color, as `#rrggbb`.
    pub color: Option<String>,
    /// Where the button is.
    pub position: Option<WidgetPosition>,
    /// What the button shows.
    pub button_style: Option<WidgetButtonStyle>,
    /// A text that is shown before the first message; `Some(None)` removes it.
    pub notice: Option<Option<String>>,
    /// The origins of the websites that may show it.
    pub allowed_origins: Option<Vec<String>>,
}

group! {
    /// Widgets: how chatbots appear on websites.
    pub Widgets, widgets
}

impl Widgets<'_> {
    /// Returns the widget of a chatbot, which comes to be if there is none. `None` when the chatbot is gone.
    pub async fn of_chatbot(self, chatbot: &Chatbot, now: Timestamp) -> Result<Option<Widget>, StoreError> {
        if let Some(widget) = self.find(&chatbot.scope(), chatbot.chatbot_id).await? {
            return Ok(Some(widget));
        }
        sqlx::query(
            "INSERT INTO widgets (chatbot_id, account_id, widget_key, enabled, color, position, button_style, allowed_origins, \
             updated_at) SELECT chatbot_id, account_id, $2, 1, $3, 'end', 'icon', '[]', $4 FROM chatbots \
             WHERE chatbot_id = $1 AND account_id = $5 ON CONFLICT DO NOTHING",
        )
        .bind(chatbot.chatbot_id.to_string())
        // Not of version 7: nobody should learn from a public page when the widget was made.
        .bind(Uuid::new_v4().to_string())
        .bind(COLOR)
        .bind(micros(now))
        .bind(chatbot.account_id.to_string())
        .execute(self.store.writer())
        .await?;
        self.find(&chatbot.scope(), chatbot.chatbot_id).await
    }

    /// Returns the widget of a chatbot, if it has come to be.
    pub async fn find(self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<Widget>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                widget_columns!(),
                " FROM widgets WHERE ",
                in_scope!(),
                " AND chatbot_id = $3"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the widget with this key, of any account, whether or not it is switched on: whoever shows it
    /// names it by that.
    pub async fn find_public(self, widget_key: Uuid) -> Result<Option<Widget>, StoreError> {
        let one =
            sqlx::query_as(concat!("SELECT ", widget_columns!(), " FROM widgets WHERE widget_key = $1"))
                .bind(widget_key.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Changes a widget. `None` when there is none.
    pub async fn update(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        update: &WidgetUpdate,
        now: Timestamp,
    ) -> Result<Option<Widget>, StoreError> {
        let changed = scoped_as(
            concat!(
                "UPDATE widgets SET enabled = COALESCE($4, enabled), color = COALESCE($5, color), \
                 position = COALESCE($6, position), button_style = COALESCE($7, button_style), \
                 notice = CASE WHEN $8 = 1 THEN $9 ELSE notice END, \
                 allowed_origins = COALESCE($10, allowed_origins), updated_at = $11 WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 RETURNING ",
                widget_columns!()
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(update.enabled.map(i64::from))
        .bind(update.color.clone())
        .bind(update.position.map(WidgetPosition::as_str))
        .bind(update.button_style.map(WidgetButtonStyle::as_str))
        .bind(i64::from(update.notice.is_some()))
        .bind(update.notice.as_ref().and_then(|notice| notice.as_deref().map(replace_nul)))
        .bind(update.allowed_origins.as_ref().map(|origins| json!(origins).to_string()))
        .bind(micros(now));
        Ok(changed.fetch_optional(self.store.writer()).await?)
    }

    /// Gives a widget another key. This ends the sessions of its visitors, because they name the old key.
    /// `None` when there is none.
    pub async fn rotate_key(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Widget>, StoreError> {
        let rotated = scoped_as(
            concat!(
                "UPDATE widgets SET widget_key = $4, updated_at = $5 WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 RETURNING ",
                widget_columns!()
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(Uuid::new_v4().to_string())
        .bind(micros(now));
        Ok(rotated.fetch_optional(self.store.writer()).await?)
    }

    /// Returns the addresses of the websites that the chatbot is trained on, and the host names of the
    /// domains of its account: where its widget may be shown.
    pub async fn known_places(self, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<String>, StoreError> {
        let rows = scoped(
            concat!(
                "SELECT w.url AS place FROM websites AS w WHERE w.",
                in_scope!(),
                " AND w.chatbot_id = $3 UNION SELECT d.hostname AS place FROM domains AS d JOIN chatbots AS c \
                 ON c.account_id = d.account_id WHERE d.",
                in_scope!(),
                " AND c.chatbot_id = $3 ORDER BY place LIMIT 50"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_all(self.store.reader())
        .await?;
        Ok(crate::sql::row::texts_of(&rows, "place")?)
    }
}
