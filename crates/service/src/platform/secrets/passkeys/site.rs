//! The site that passkeys belong to: the host of the public address, and the one origin that may use them.

use url::{Host, Url};
use webauthn_rp::request::{AsciiDomain, RpId};

/// Why passkeys cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// The address is not one with HTTPS and the name of a host, which browsers ask for.
    HttpsRequired,
    /// The public address is not configured. What a request says of it could be chosen by whoever sends it.
    AddressRequired,
}

/// Where passkeys can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    host: String,
    origin: String,
}

impl Site {
    /// Returns the site of the public address. Without one, a service that is called on its own machine is
    /// known there as `localhost`; `requested` is the address that the request was sent to.
    pub(crate) fn new(public_url: Option<&Url>, requested: &str) -> Result<Self, Unusable> {
        if let Some(url) = public_url {
            return Self::of(url).ok_or(Unusable::HttpsRequired);
        }
        let mut url: Url = requested.parse().map_err(|_| Unusable::AddressRequired)?;
        let is_here = match url.host() {
            Some(Host::Domain(host)) => host == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if is_here && url.set_host(Some("localhost")).is_ok() {
            return Self::of(&url).ok_or(Unusable::AddressRequired);
        }
        Err(if url.scheme() == "https" { Unusable::AddressRequired } else { Unusable::HttpsRequired })
    }

    fn of(url: &Url) -> Option<Self> {
        let Some(Host::Domain(host)) = url.host() else { return None };
        let is_usable = url.scheme() == "https" || url.scheme() == "http" && host == "localhost";
        AsciiDomain::try_from(host.to_owned()).ok()?;
        is_usable.then(|| Self { host: host.to_owned(), origin: url.origin().ascii_serialization() })
    }

    /// The scheme, the host and the port, as browsers sign them.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The id of the site, to which browsers bind each passkey.
    pub(super) fn rp_id(&self) -> RpId {
        let domain = AsciiDomain::try_from(self.host.clone());
        RpId::Domain(domain.expect("the host was checked when the site was made"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(public_url: Option<&str>, requested: &str) -> Result<String, Unusable> {
        let url = public_url.map(|url| url.parse().unwrap());
        Site::new(url.as_ref(), requested).map(|site| format!("{} {}", site.host, site.origin))
    }

    #[test]
    fn passkeys_belong_to_the_public_address() {
        let of = |url| site(Some(url), "http://127.0.0.1:8080");
        assert_eq!(of("https://Desk.example/desk/"), Ok("desk.example https://desk.example".to_owned()));
        assert_eq!(of("https://desk.example:8443"), Ok("desk.example https://desk.example:8443".to_owned()));
        assert_eq!(
            of("https://bücher.example"),
            Ok("xn--bcher-kva.example https://xn--bcher-kva.example".to_owned())
        );
        assert_eq!(of("http://localhost:8080"), Ok("localhost http://localhost:8080".to_owned()));
        for unusable in
            ["http://desk.example", "https://203.0.113.7", "http://127.0.0.1:8080", "https://[::1]"]
        {
            assert_eq!(of(unusable), Err(Unusable::HttpsRequired), "{unusable}");
        }
    }

    #[test]
    fn without_a_public_address_they_work_on_the_machine_itself() {
        let here = Ok("localhost http://localhost:8080".to_owned());
        for requested in ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"] {
            assert_eq!(site(None, requested), here, "{requested}");
        }
        assert_eq!(site(None, "https://localhost"), Ok("localhost https://localhost".to_owned()));
        assert_eq!(site(None, "http://desk.example"), Err(Unusable::HttpsRequired));
        assert_eq!(site(None, "https://desk.example"), Err(Unusable::AddressRequired));
        assert_eq!(site(None, "https://localhost.desk.example"), Err(Unusable::AddressRequired));
        assert_eq!(site(None, "http://"), Err(Unusable::AddressRequired));
    }
}
