//! The pages for people: files that browsers load, compiled into the binary.
//!
//! The files are ES modules and style sheets that browsers run as they are; there is no build step. Only
//! comments are left out. Their path contains a hash of all of them, so a browser may keep them for ever:
//! `/web/HASH/widget/panel.js`. The modules of the clients of the interfaces that pages import are below
//! `client` (`generated/javascript`) and `console-client` (`generated/console/javascript`).
//!
//! - `files`: the files, and their compressed form.
//! - `console`: the page of the console, where people manage their account.
//! - `widget`: the script that a website includes, and the page of the chat in its frame.

mod console;
mod files;
mod widget;

pub use self::console::{CONSOLE_PATHS, CONSOLE_POLICY, console};
pub use self::files::{File, file, files, gzip, release};
pub use self::widget::{Look, PanelPage, loader, panel, preview};
