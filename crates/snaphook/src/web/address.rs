//! The addresses that are not of the public internet. A name that leads to one of them is refused, whatever its source: that is how a
//! page, or a name server, turns a program against the network that it runs in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns what is special about an address; `None` for a public one. Follows the registries of special addresses,
/// and refuses what is reserved for a use that is not here yet.
pub(crate) fn special(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    Some(match address.octets() {
        [0, ..] => "an unspecified",
        [127, ..] => "a loopback",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private",
        [100, 64..=127, ..] => "a provider's private",
        [169, 254, ..] => "a link-local",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "a documentation",
        // Protocol assignments, relays of 6to4, measuring; multicast and what comes after it, with broadcast.
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => "a reserved",
        [224..=239, ..] => "a multicast",
        [240..=255, ..] => "a reserved",
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    Some(match address.segments() {
        _ if address.is_unspecified() => "an unspecified",
        _ if address.is_loopback() => "a loopback",
        [0xfc00..=0xfdff, ..] => "a private",
        [0xfe80..=0xfebf, ..] => "a link-local",
        [0xff00..=0xffff, ..] => "a multicast",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "a documentation",
        // What has an IPv4 address in it could be any of those above: 6to4, Teredo, NAT64, mapped and compatible ones.
        [0x2002, ..] | [0x2001, 0, ..] | [0x64, 0xff9b, ..] => "a translated",
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => "a translated",
        // Protocol assignments.
        [0x2001, 0..=0x1ff, ..] => "a reserved",
        // Global unicast.
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved",
    })
}

#[cfg(test)]
mod tests {
    use super::special;

    #[test]
    fn only_public_addresses_are_not_special() {
        let cases = "
            1.1.1.1 -                    8.8.8.8 -                 172.15.0.1 -             172.32.0.1 -
            100.63.255.255 -             100.128.0.0 -             192.0.1.1 -              198.17.0.1 -
            223.255.255.255 -            126.0.0.1 -               128.0.0.1 -              169.253.0.1 -
            2606:4700::1111 -            2a00:1450::1 -            2001:200::1 -            2001:4860::8888 -
            0.0.0.0 unspecified          0.1.2.3 unspecified       127.0.0.1 loopback       127.255.255.254 loopback
            10.0.0.1 private             172.16.0.1 private        172.31.255.255 private   192.168.1.1 private
            100.64.0.1 provider's        100.127.255.255 provider's 169.254.169.254 link-local
            192.0.2.1 documentation      198.51.100.7 documentation 203.0.113.9 documentation
            192.0.0.8 reserved           192.88.99.1 reserved      198.18.0.1 reserved      198.19.255.255 reserved
            224.0.0.1 multicast          239.255.255.250 multicast 240.0.0.1 reserved       255.255.255.255 reserved
            :: unspecified               ::1 loopback              fc00::1 private          fd12:3456::1 private
            fe80::1 link-local           febf::1 link-local        fec0::1 reserved         ff02::1 multicast
            2001:db8::1 documentation    3fff::1 documentation     3fff:fff::1 documentation
            ::ffff:127.0.0.1 translated  ::ffff:8.8.8.8 translated ::127.0.0.1 translated   ::ffff:0:8.8.8.8 translated
            64:ff9b::7f00:1 translated   64:ff9b:1::1 translated   2002:7f00:1::1 translated 2001:0:1::1 translated
            2001:2::1 reserved           2001:10::1 reserved       100::1 reserved          4000::1 reserved
        ";
        let words: Vec<&str> = cases.split_whitespace().collect();
        for pair in words.chunks(2) {
            let [address, expected] = pair else { panic!("{pair:?}") };
            let found = special(address.parse().unwrap()).unwrap_or("-");
            assert!(found.contains(expected), "{address} is {found}, not {expected}");
        }
    }
}
