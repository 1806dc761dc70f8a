//! Classification of IP addresses, and the networks that the operator allows.
//!
//! The tables follow the IANA special-purpose address registries (RFC 6890 and its updates). In IPv4 every
//! address is public unless it is listed. In IPv6 only global unicast `2000::/3` is public, minus the listed
//! blocks, so blocks that are assigned in the future stay blocked until this table changes.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// The class of an IP address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressClass {
    /// Reachable from anywhere; the only class that is allowed by default.
    Public,
    /// The machine itself: `127.0.0.0/8`, `::1`.
    Loopback,
    /// Private and unique-local networks (RFC 1918, RFC 4193, and the old site-local `fec0::/10`).
    Private,
    /// Limited to one link: `169.254.0.0/16`, `fe80::/10`. Cloud metadata services live here.
    LinkLocal,
    /// Shared between a provider and its customers (RFC 6598, `100.64.0.0/10`).
    Shared,
    /// "This host" or "no address": `0.0.0.0/8`, `::`. Many systems connect to themselves on these.
    Unspecified,
    /// Documentation and benchmarking blocks, which no real server has.
    Documentation,
    /// One to many: multicast and broadcast.
    Multicast,
    /// Contains an IPv4 address in an IPv6 address (mapped, compatible, 6to4, Teredo, NAT64), through which a
    /// gateway could reach an address that was not checked.
    Embedded,
    /// Reserved by the registries for other purposes than ordinary servers.
    Reserved,
}

impl AddressClass {
    /// Classifies an address.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        V4.iter().find(|(network, _)| network.contains(&address)).map_or(Self::Public, |(_, class)| *class)
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let listed = V6.iter().find(|(network, _)| network.contains(&address)).map(|(_, class)| *class);
        let fallback = if GLOBAL_UNICAST.contains(&address) { Self::Public } else { Self::Reserved };
        listed.unwrap_or(fallback)
    }
}

impl fmt::Display for AddressClass {
    /// Writes a noun phrase that completes "… is".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::LinkLocal => "a link-local address",
            Self::Shared => "an address of a provider's internal network",
            Self::Unspecified => "an unspecified address",
            Self::Documentation => "an address reserved for documentation and tests",
            Self::Multicast => "a multicast or broadcast address",
            Self::Embedded => "an IPv6 address that wraps an IPv4 address",
            Self::Reserved => "a reserved address",
        })
    }
}

/// The networks that the operator allows in addition to public addresses.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    allow: Vec<IpNet>,
}

impl Guard {
    pub(crate) fn new(allow: Vec<IpNet>) -> Self {
        Self { allow }
    }

    /// Returns whether any network is allowed.
    pub(crate) fn allows_any(&self) -> bool {
        !self.allow.is_empty()
    }

    /// Returns whether the address is in an allowed network, in its own or its IPv4-mapped form.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        let canonical = address.to_canonical();
        let mapped = match canonical {
            IpAddr::V4(address) => IpAddr::V6(address.to_ipv6_mapped()),
            IpAddr::V6(_) => canonical,
        };
        self.allow.iter().any(|network| network.contains(&canonical) || network.contains(&mapped))
    }

    /// Returns the class for which the address is refused, or `None` if requests may go to it.
    pub(crate) fn refusal(&self, address: IpAddr) -> Option<AddressClass> {
        let class = AddressClass::of(address);
        (class != AddressClass::Public && !self.allows(address)).then_some(class)
    }
}

/// Address space of public IPv6 addresses (RFC 4291).
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// IPv4 blocks that are not public.
const V4: [(Ipv4Net, AddressClass); 18] = [
    (v4([0, 0, 0, 0], 8), AddressClass::Unspecified),
    (v4([10, 0, 0, 0], 8), AddressClass::Private),
    (v4([100, 64, 0, 0], 10), AddressClass::Shared),
    (v4([127, 0, 0, 0], 8), AddressClass::Loopback),
    (v4([169, 254, 0, 0], 16), AddressClass::LinkLocal),
    (v4([172, 16, 0, 0], 12), AddressClass::Private),
    (v4([192, 0, 0, 0], 24), AddressClass::Reserved),
    (v4([192, 0, 2, 0], 24), AddressClass::Documentation),
    (v4([192, 31, 196, 0], 24), AddressClass::Reserved),
    (v4([192, 52, 193, 0], 24), AddressClass::Reserved),
    (v4([192, 88, 99, 0], 24), AddressClass::Reserved),
    (v4([192, 168, 0, 0], 16), AddressClass::Private),
    (v4([192, 175, 48, 0], 24), AddressClass::Reserved),
    (v4([198, 18, 0, 0], 15), AddressClass::Documentation),
    (v4([198, 51, 100, 0], 24), AddressClass::Documentation),
    (v4([203, 0, 113, 0], 24), AddressClass::Documentation),
    (v4([224, 0, 0, 0], 4), AddressClass::Multicast),
    // Class E, including the limited broadcast address.
    (v4([240, 0, 0, 0], 4), AddressClass::Reserved),
];

/// IPv6 blocks that are not public. The first match decides, so the addresses and blocks inside `::/8` and
/// `2001::/23` precede the larger ones.
const V6: [(Ipv6Net, AddressClass); 18] = [
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), AddressClass::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), AddressClass::Loopback),
    (v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), AddressClass::Embedded),
    (v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), AddressClass::Embedded),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), AddressClass::Embedded),
    (v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), AddressClass::Embedded),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), AddressClass::Embedded),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), AddressClass::Embedded),
    (v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), AddressClass::Documentation),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), AddressClass::Reserved),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), AddressClass::Documentation),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), AddressClass::Embedded),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), AddressClass::Documentation),
    (v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), AddressClass::Reserved),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), AddressClass::Private),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), AddressClass::LinkLocal),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), AddressClass::Private),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), AddressClass::Multicast),
];

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::from_octets(octets), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::from_segments(segments), prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_block_is_classified_and_its_neighbors_are_public() {
        use AddressClass::{
            Documentation, Embedded, LinkLocal, Loopback, Multicast, Private, Public, Reserved, Shared,
            Unspecified,
        };
        let table = [
            ("0.0.0.0", Unspecified),
            ("0.255.255.255", Unspecified),
            ("1.0.0.0", Public),
            ("8.8.8.8", Public),
            ("9.255.255.255", Public),
            ("10.0.0.5", Private),
            ("10.255.255.255", Private),
            ("11.0.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Shared),
            ("100.127.255.255", Shared),
            ("100.128.0.0", Public),
            ("126.255.255.255", Public),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("128.0.0.0", Public),
            ("169.253.255.255", Public),
            ("169.254.169.254", LinkLocal),
            ("169.255.0.0", Public),
            ("172.15.255.255", Public),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("172.32.0.0", Public),
            ("192.0.0.8", Reserved),
            ("192.0.1.0", Public),
            ("192.0.2.1", Documentation),
            ("192.88.99.1", Reserved),
            ("192.167.255.255", Public),
            ("192.168.1.1", Private),
            ("192.169.0.0", Public),
            ("198.17.255.255", Public),
            ("198.18.0.1", Documentation),
            ("198.19.255.255", Documentation),
            ("198.20.0.0", Public),
            ("198.51.100.7", Documentation),
            ("203.0.113.9", Documentation),
            ("223.255.255.255", Public),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("240.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("::", Unspecified),
            ("::1", Loopback),
            ("::2", Embedded),
            ("::127.0.0.1", Embedded),
            ("::ffff:127.0.0.1", Embedded),
            ("::ffff:8.8.8.8", Embedded),
            ("::ffff:0:8.8.8.8", Embedded),
            ("64:ff9b::a00:5", Embedded),
            ("64:ff9b:1::1", Embedded),
            ("100::1", Reserved),
            ("1fff::1", Reserved),
            ("2000::1", Public),
            ("2001::1", Embedded),
            ("2001:2::1", Documentation),
            ("2001:20::1", Reserved),
            ("2001:1ff:ffff::1", Reserved),
            ("2001:200::1", Public),
            ("2001:db8::1", Documentation),
            ("2001:4860:4860::8888", Public),
            ("2002:7f00:1::1", Embedded),
            ("2606:4700::1111", Public),
            ("3fff::1", Documentation),
            ("3fff:1000::1", Public),
            ("4000::1", Reserved),
            ("5f00::1", Reserved),
            ("fc00::1", Private),
            ("fdff::1", Private),
            ("fe00::1", Reserved),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("fec0::1", Private),
            ("ff02::1", Multicast),
        ];
        for (address, class) in table {
            assert_eq!(AddressClass::of(address.parse().unwrap()), class, "{address}");
        }
    }

    #[test]
    fn an_allow_list_allows_only_what_it_lists() {
        let guard = Guard::new(vec!["127.0.0.0/8".parse().unwrap(), "fd00:1::/32".parse().unwrap()]);
        for (address, open) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::ffff:127.0.0.1", true),
            ("::127.0.0.1", false),
            ("10.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("::1", false),
            ("fd00:1::7", true),
            ("fd00:2::7", false),
            ("93.184.216.34", true),
        ] {
            assert_eq!(guard.refusal(address.parse().unwrap()).is_none(), open, "{address}");
        }
    }

    #[test]
    fn an_allow_list_in_mapped_form_allows_the_plain_address() {
        let guard = Guard::new(vec!["::ffff:10.0.0.0/104".parse().unwrap()]);
        assert!(guard.allows("10.1.2.3".parse().unwrap()));
        assert!(!guard.allows("11.1.2.3".parse().unwrap()));
    }
}
