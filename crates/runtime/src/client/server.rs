//! [`Server`]: the location of a service according to its document.

use std::{error, fmt};

/// The location of a service according to its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// The URL, with `{name}` for a variable. A URL without a host is relative to the location of the
    /// document.
    pub url: &'static str,
    /// The document's description of the server.
    pub description: &'static str,
    /// The variables of the URL.
    pub variables: &'static [Variable],
}

/// A variable in the URL of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the URL.
    pub name: &'static str,
    /// The default value.
    pub default: &'static str,
    /// The allowed values; empty for any.
    pub values: &'static [&'static str],
}

/// Why the URL of a server is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerError {
    /// The server has no such variable.
    NoVariable(String),
    /// The document does not allow this value.
    BadValue {
        /// The variable.
        name: &'static str,
        /// The requested value.
        value: String,
        /// The allowed values.
        values: &'static [&'static str],
    },
}

impl Server {
    /// Returns the URL with the default values of all variables.
    pub fn url(&self) -> String {
        self.fill(&[])
    }

    /// Returns the URL with these values. Other variables have their defaults.
    ///
    /// # Errors
    ///
    /// The server does not have one of the variables, or the document does not allow a value.
    pub fn url_with(&self, values: &[(&str, &str)]) -> Result<String, ServerError> {
        for (name, value) in values {
            let variable = self
                .variables
                .iter()
                .find(|variable| variable.name == *name)
                .ok_or_else(|| ServerError::NoVariable((*name).to_owned()))?;
            if !variable.values.is_empty() && !variable.values.contains(value) {
                let value = (*value).to_owned();
                return Err(ServerError::BadValue { name: variable.name, value, values: variable.values });
            }
        }
        Ok(self.fill(values))
    }

    fn fill(&self, values: &[(&str, &str)]) -> String {
        self.variables.iter().fold(self.url.to_owned(), |url, variable| {
            let given = values.iter().find(|(name, _)| *name == variable.name);
            url.replace(&format!("{{{}}}", variable.name), given.map_or(variable.default, |(_, value)| value))
        })
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVariable(name) => write!(formatter, "the server has no variable `{name}`"),
            Self::BadValue { name, value, values } => {
                write!(
                    formatter,
                    "`{value}` cannot be the variable `{name}`; it may be one of {}",
                    values.join(", ")
                )
            }
        }
    }
}

impl error::Error for ServerError {}

#[cfg(test)]
mod tests {
    use super::{Server, ServerError, Variable};

    const SERVER: Server = Server {
        url: "https://{region}.example.com/{version}",
        description: "",
        variables: &[
            Variable { name: "region", default: "eu", values: &["eu", "us"] },
            Variable { name: "version", default: "v1", values: &[] },
        ],
    };

    #[test]
    fn variables_have_their_defaults_unless_said_otherwise() {
        assert_eq!(SERVER.url(), "https://eu.example.com/v1");
        assert_eq!(SERVER.url_with(&[("region", "us")]).unwrap(), "https://us.example.com/v1");
        assert!(matches!(SERVER.url_with(&[("region", "mars")]), Err(ServerError::BadValue { .. })));
        assert_eq!(SERVER.url_with(&[("x", "y")]), Err(ServerError::NoVariable("x".to_owned())));
    }
}
