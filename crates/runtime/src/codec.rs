//! How values become text and bytes outside JSON, and back: parameters in their styles, forms, multipart bodies, streams of
//! bytes and of events. Each coding is written once here, for both sides, so that what a client sends is what a server reads.

mod brackets;
mod events;
mod file;
mod form;
mod multipart;
mod portable;
mod stream;
mod style;
mod text;

pub use self::{
    events::{Event, EventStream},
    file::File,
    form::{Member, decode_form, decode_form_with, encode_form},
    multipart::{
        Multipart, MultipartError, Part, PartError, Parts, PartsWriter, decode_multipart, decode_parts,
        encode_multipart,
    },
    portable::Portable,
    stream::{ByteStream, StreamError},
    style::{Param, Place, Style, decode, decode_with, encode},
};
