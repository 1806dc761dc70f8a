//! The service of `ok/bodies`: it answers with the body that it got.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bodies_client::Client;
use bodies_model as model;
use bodies_model::{Event, Note, Problem, Refused, UploadedFile};
use bodies_server::{self as server, Authenticator};
use frontdesk_runtime::codec::{self, ByteStream, EventStream, File, StreamError};
use frontdesk_runtime::{Failure, StatusCode, Value};
use frontdesk_testkit::stand_in;
use futures_util::stream;

/// The most that the service takes of one body, in bytes.
pub(crate) const LIMIT: usize = 4 << 20;

/// The largest file that the service reads, which is less than a body may have.
pub(crate) const FILE_LIMIT: usize = 1 << 20;

struct Service;

impl Authenticator for Service {
    type Caller = ();
}

frontdesk_runtime::default_refusals!(Service => model::Refused, model::Problem, String);

/// Serves on a port of its own.
pub(crate) async fn start() -> SocketAddr {
    let routes = server::routes(Service, Service).body_limit(LIMIT);
    stand_in::serve(routes.into_router()).await
}

/// A client of a service on a port of its own.
pub(crate) async fn client() -> Client {
    Client::builder(format!("http://{}", start().await)).build().unwrap()
}

type Outcome<T, E> = Result<T, Failure<E>>;

impl server::Json for Service {
    type Caller = ();

    async fn post_json(&self, request: server::PostJson) -> Outcome<Note, model::PostJsonError> {
        Ok(request.body)
    }

    async fn post_optional_json(
        &self,
        request: server::PostOptionalJson,
    ) -> Outcome<model::PostOptionalJsonOk, model::PostOptionalJsonError> {
        Ok(model::PostOptionalJsonOk { note: request.body })
    }

    async fn post_nullable_json(
        &self,
        request: server::PostNullableJson,
    ) -> Outcome<Option<model::PostNullableJsonOk>, model::PostNullableJsonError> {
        Ok(request.body.map(|body| model::PostNullableJsonOk { value: body.value }))
    }

    async fn post_json_list(
        &self,
        request: server::PostJsonList,
    ) -> Outcome<Vec<Note>, model::PostJsonListError> {
        Ok(request.body)
    }

    async fn post_json_scalar(
        &self,
        request: server::PostJsonScalar,
    ) -> Outcome<String, model::PostJsonScalarError> {
        Ok(request.body)
    }

    async fn post_anything(&self, request: server::PostAnything) -> Outcome<Value, model::PostAnythingError> {
        Ok(request.body)
    }

    async fn post_json_suffix(
        &self,
        request: server::PostJsonSuffix,
    ) -> Outcome<Note, model::PostJsonSuffixError> {
        Ok(request.body)
    }

    async fn post_json_charset(
        &self,
        request: server::PostJsonCharset,
    ) -> Outcome<Note, model::PostJsonCharsetError> {
        Ok(request.body)
    }
}

impl server::Forms for Service {
    type Caller = ();

    async fn post_form(&self, request: server::PostForm) -> Outcome<model::Form, model::PostFormError> {
        Ok(request.body)
    }

    async fn post_optional_form(
        &self,
        request: server::PostOptionalForm,
    ) -> Outcome<model::PostOptionalFormOk, model::PostOptionalFormError> {
        let (text, limit) = request.body.map_or((None, None), |body| (body.text, body.limit));
        Ok(model::PostOptionalFormOk { text, limit })
    }

    async fn post_form_map(
        &self,
        request: server::PostFormMap,
    ) -> Outcome<BTreeMap<String, String>, model::PostFormMapError> {
        Ok(request.body)
    }

    async fn get_token(&self, request: server::GetToken) -> Outcome<model::GetTokenOk, model::GetTokenError> {
        let password = request.body.password.map_or_else(String::new, |secret| secret.expose().to_owned());
        let scope = request.body.scope.unwrap_or_default();
        let token = format!("{}|{password}|{scope}", request.body.grant_type);
        Ok(model::GetTokenOk { token, lifetime: Some(i32::MAX) })
    }
}

/// A file as the answer tells of it.
async fn told(member: &str, file: File) -> Result<UploadedFile, StreamError> {
    Ok(UploadedFile {
        member: member.to_owned(),
        file_name: file.name,
        content_type: file.content_type,
        bytes: file.content.bytes(FILE_LIMIT).await?.to_vec().into(),
    })
}

impl server::Multipart for Service {
    type Caller = ();

    async fn upload(
        &self,
        request: server::UploadRequest,
    ) -> Outcome<model::Uploaded, model::UploadRequestError> {
        let model::Upload { name, picture, attachments, note, xml, words, count, .. } = request.body;
        let mut files = vec![told("picture", picture).await?];
        for file in attachments.into_iter().flatten() {
            files.push(told("attachments", file).await?);
        }
        Ok(model::Uploaded { name, files, note, xml, words, count })
    }

    async fn upload_one(&self, request: server::UploadOne) -> Outcome<ByteStream, model::UploadOneError> {
        Ok(request.body.file.content)
    }

    async fn post_parts(&self, request: server::PostParts) -> Outcome<model::Parts, model::PostPartsError> {
        Ok(request.body)
    }
}

impl server::Plain for Service {
    type Caller = ();

    async fn post_text(&self, request: server::PostText) -> Outcome<String, model::PostTextError> {
        Ok(request.body)
    }

    async fn get_page(&self, _request: server::GetPage) -> Outcome<String, model::GetPageError> {
        Ok("<p>ü 😀</p>".to_owned())
    }

    async fn post_table(
        &self,
        request: server::PostTable,
    ) -> Outcome<model::PostTableSuccess, model::PostTableError> {
        use model::PostTableSuccess as Success;
        Ok(request.body.map_or(Success::NoContent(().into()), |body| Success::Ok(body.into())))
    }

    /// Sends each piece back as it comes.
    async fn post_bytes(
        &self,
        request: server::PostBytes,
    ) -> Outcome<model::PostBytesOk, model::PostBytesError> {
        let length = request.body.length().map(i64::try_from).transpose()?;
        Ok(model::PostBytesOk {
            content_disposition: length.map(|length| format!("attachment; filename=\"{length}\"")),
            x_length: length.unwrap_or(-1),
            body: request.body,
        })
    }

    async fn put_bytes(
        &self,
        request: server::PutBytes,
    ) -> Outcome<model::PutBytesSuccess, model::PutBytesError> {
        use model::PutBytesSuccess as Success;
        Ok(request.body.map_or(Success::NoContent(().into()), |body| Success::Ok(body.into())))
    }

    /// Reads everything before it answers.
    async fn put_any(&self, request: server::PutAny) -> Outcome<ByteStream, model::PutAnyError> {
        Ok(request.body.bytes(usize::MAX).await?.into())
    }

    async fn get_image(&self, request: server::GetImage) -> Outcome<ByteStream, model::GetImageError> {
        match request.name.as_str() {
            "cat" => Ok(vec![0x89, b'P', b'N', b'G', 0].into()),
            name => Err(model::GetImageError::NotFound(format!("there is no {name}").into()))?,
        }
    }
}

impl server::Several for Service {
    type Caller = ();

    async fn post_same(&self, request: server::PostSame) -> Outcome<Note, model::PostSameError> {
        Ok(request.body)
    }

    async fn post_different(
        &self,
        request: server::PostDifferent,
    ) -> Outcome<model::PostDifferentOkBody, model::PostDifferentError> {
        use model::{PostDifferentBody as Sent, PostDifferentOkBody as Answer};
        Ok(match request.body {
            Sent::Json(note) => Answer::Json(note),
            Sent::Text(text) => Answer::Text(text),
            Sent::Bytes(bytes) => Answer::Bytes(bytes),
            Sent::Multipart(parts) => Answer::Bytes(parts.file.content),
        })
    }

    async fn post_different_or_nothing(
        &self,
        request: server::PostDifferentOrNothing,
    ) -> Outcome<model::PostDifferentOrNothingSuccess, model::PostDifferentOrNothingError> {
        use model::{
            PostDifferentOrNothingBody as Sent, PostDifferentOrNothingConflictBody as Refusal,
            PostDifferentOrNothingError as Error, PostDifferentOrNothingOkBody as Answer,
            PostDifferentOrNothingSuccess as Success,
        };
        let problem = || Problem { message: "a conflict".to_owned(), errors: None };
        Ok(match request.body {
            None => Success::NoContent(().into()),
            Some(Sent::Json(note)) if note.title == "conflict" => {
                return Err(Error::Conflict(Refusal::Json(problem()).into()).into());
            }
            Some(Sent::Text(text)) if text == "conflict" => {
                return Err(Error::Conflict(Refusal::Text(text).into()).into());
            }
            Some(Sent::Text(text)) if text == "teapot" => {
                let refused = Refused { body: Problem { message: text, errors: None } };
                return Err(Error::Other(StatusCode::IM_A_TEAPOT, refused.into()).into());
            }
            Some(Sent::Json(note)) => Success::Ok(Answer::Json(note).into()),
            Some(Sent::Text(text)) => Success::Ok(Answer::Text(text).into()),
        })
    }
}

/// One event for each text.
fn events<T: Send + 'static>(data: impl IntoIterator<Item = T>) -> EventStream<T> {
    let events: Vec<_> = data
        .into_iter()
        .enumerate()
        .map(|(index, data)| Ok::<_, StreamError>(codec::Event::new(data).with_id(index.to_string())))
        .collect();
    EventStream::new(stream::iter(events))
}

/// The texts, numbered.
fn numbered(texts: impl IntoIterator<Item = String>) -> EventStream<Event> {
    events((0..).zip(texts).map(|(number, text)| Event { number, text: Some(text) }))
}

impl server::Events for Service {
    type Caller = ();

    async fn stream_events(
        &self,
        request: server::StreamEvents,
    ) -> Outcome<EventStream<Event>, model::StreamEventsError> {
        Ok(numbered((0..request.count).map(|number| format!("{number}\nü 😀"))))
    }

    async fn stream_text(
        &self,
        request: server::StreamText,
    ) -> Outcome<EventStream<String>, model::StreamTextError> {
        Ok(events(request.body))
    }

    async fn stream_or_answer(
        &self,
        request: server::StreamOrAnswer,
    ) -> Outcome<model::StreamOrAnswerOkBody, model::StreamOrAnswerError> {
        use model::StreamOrAnswerOkBody as Answer;
        let words = request.body.words;
        Ok(match request.body.stream {
            Some(true) => Answer::Events(numbered(words)),
            _ => Answer::Json(model::StreamOrAnswerOkJsonBody { words }),
        })
    }
}
