//! A request, taken apart into path, parameters and token.

use std::collections::HashMap;

use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest};
use data_encoding::HEXLOWER;
use ring::hmac;
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::error::GraphError;
use crate::core::Core;
use crate::faults::On;

/// A call of the Graph API.
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Such as `v25.0`.
    pub(crate) version: String,
    /// Parts of the path after the version.
    pub(crate) path: Vec<String>,
    pub(crate) query: HashMap<String, String>,
    /// Fields of the body; empty if it is neither a JSON object nor a form.
    pub(crate) fields: Map<String, Value>,
    pub(crate) body: Bytes,
    /// Boundary of the body's parts, if it is a form with files.
    pub(crate) boundary: Option<String>,
    /// Empty if there is none.
    pub(crate) token: String,
}

impl Call {
    /// Parses a request. The path was matched before: `/v25.0/…`.
    pub(crate) fn read(request: &HttpRequest, body: Bytes) -> Self {
        let mut path = request.path().split('/').filter(|part| !part.is_empty()).map(str::to_owned);
        let version = path.next().unwrap_or_default();
        let path = path.collect();
        let query: HashMap<String, String> =
            form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect();
        let fields = fields(request, &body);
        let token = token(request, &query, &fields);
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = content_type.and_then(|text| text.strip_prefix("multipart/form-data; boundary="));
        let boundary = boundary.map(|text| text.trim_matches('"').to_owned());
        Self { method: request.method().clone(), version, path, query, fields, body, boundary, token }
    }

    /// Returns the first part of the path: an object's id.
    pub(crate) fn id(&self) -> &str {
        self.path.first().map_or("", String::as_str)
    }

    /// Returns the second part of the path; empty for the object itself.
    pub(crate) fn edge(&self) -> &str {
        self.path.get(1).map_or("", String::as_str)
    }

    /// Finds a parameter in the query or the body.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str).or_else(|| self.fields.get(name)?.as_str())
    }

    /// Classifies the call for the faults.
    pub(crate) fn on(&self) -> On {
        match (&self.method, self.edge()) {
            (&Method::GET, _) => On::Reads,
            (&Method::POST, "messages") => On::Sends,
            _ => On::Edits,
        }
    }

    /// Returns whether the app itself calls, by its id and its secret.
    pub(crate) fn is_of_app(&self, core: &Core) -> bool {
        format!("{}|{}", core.config.app_id, core.config.app_secret.expose_secret()) == self.token
    }

    /// Checks the token, and the proof if the app demands one.
    pub(crate) fn authenticate(&self, core: &Core) -> Result<(), GraphError> {
        if self.token.is_empty() {
            return Err(GraphError::token("An access token is required to request this resource."));
        }
        let app_token = self.is_of_app(core);
        if !app_token && !core.world().knows_token(&self.token) {
            return Err(GraphError::token("Invalid OAuth access token - Cannot parse access token"));
        }
        if !core.config.require_appsecret_proof || app_token {
            return Ok(());
        }
        let Some(proof) = self.parameter("appsecret_proof") else {
            return Err(GraphError::proof("API calls from the server require an appsecret_proof argument"));
        };
        let key = hmac::Key::new(hmac::HMAC_SHA256, core.config.app_secret.expose_secret().as_bytes());
        if proof == HEXLOWER.encode(hmac::sign(&key, self.token.as_bytes()).as_ref()) {
            Ok(())
        } else {
            Err(GraphError::proof("Invalid appsecret_proof provided in the API argument"))
        }
    }
}

/// Returns the token of the header.
pub(super) fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("oauth")).then(|| token.trim())
}

fn token(request: &HttpRequest, query: &HashMap<String, String>, fields: &Map<String, Value>) -> String {
    let parameter = || query.get("access_token").map(String::as_str);
    let field = || fields.get("access_token").and_then(Value::as_str);
    bearer(request).or_else(parameter).or_else(field).unwrap_or_default().to_owned()
}

/// Parses JSON whatever the content type says, so that a bare `curl -d` works; anything else as a form.
fn fields(request: &HttpRequest, body: &Bytes) -> Map<String, Value> {
    match serde_json::from_slice(body) {
        Ok(fields) => fields,
        Err(_) if request.content_type() == "application/x-www-form-urlencoded" => {
            let form = form_urlencoded::parse(body).into_owned();
            form.map(|(name, value)| (name, form_value(value))).collect()
        }
        Err(_) => Map::new(),
    }
}

/// Parses JSON in a form's field.
fn form_value(text: String) -> Value {
    match serde_json::from_str(&text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
        _ => Value::String(text),
    }
}
