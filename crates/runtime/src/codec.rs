//! Conversion of values to and from text and bytes outside JSON: parameter styles, forms, multipart bodies,
//! byte streams and event streams. Client and server share each codec, so a server reads exactly what a
//! client sends.

mod brackets;
mod events;
mod file;
mod form;
mod maybe_send;
pub(crate) mod media_type;
mod multipart;
mod origin;
mod stream;
mod style;
mod text;

pub use self::{
    events::{Event, EventStream},
    file::File,
    form::{Member, decode_form, decode_form_with, encode_form},
    maybe_send::MaybeSend,
    multipart::{
        Multipart, MultipartError, Part, PartError, Parts, PartsWriter, decode_multipart, decode_parts,
        encode_multipart,
    },
    stream::{ByteStream, StreamError},
    style::{Param, Place, Style, decode, decode_with, encode},
};

#[cfg(feature = "client")]
pub(crate) use self::multipart::write_parts;
#[cfg(feature = "server")]
pub(crate) use self::style::json_text;
