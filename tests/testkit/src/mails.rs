//! E-mails of random forms, and the faults that programs and connections add to them.

use base64::{Engine, engine::general_purpose::STANDARD};
use fastrand::Rng;

/// Returns the e-mail of a number: a sound one with up to four faults.
pub fn broken(seed: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    let mut bytes = sound(&mut rng);
    for _ in 0..=rng.usize(..4) {
        damage(&mut rng, &mut bytes);
    }
    bytes
}

/// A sound message of a random form.
pub fn sound(rng: &mut Rng) -> Vec<u8> {
    let mut text = String::from(
        "From: Ada Lovelace <ada@acme.example>\r\nTo: shop@shop.example\r\nDate: Sun, 03 May 2026 12:00:00 +0200\r\n",
    );
    text.push_str(&format!("Message-ID: <{}@acme.example>\r\n", rng.u64(..)));
    text.push_str(
        ["Subject: Re: Delivery\r\n", "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n", "Subject:\r\n", ""]
            [rng.usize(..4)],
    );
    text.push_str(
        ["References: <1@shop.example>\r\n <2@shop.example>\r\n", "In-Reply-To: <1@shop.example>\r\n", ""]
            [rng.usize(..3)],
    );
    text.push_str(
        [
            "Auto-Submitted: auto-replied\r\n",
            "Precedence: bulk\r\n",
            "X-Frontdesk-Channel: 1\r\n",
            "",
            "",
            "",
        ][rng.usize(..6)],
    );
    text.push_str("MIME-Version: 1.0\r\n");
    let mut bytes = text.into_bytes();
    part(rng, 0, &mut bytes);
    bytes
}

fn part(rng: &mut Rng, depth: usize, bytes: &mut Vec<u8>) {
    let kind = if depth > 4 { rng.usize(3..9) } else { rng.usize(..9) };
    match kind {
        0..3 => {
            let boundary = format!("b{}", rng.u32(..));
            let subtype = ["mixed", "alternative", "related", "report; report-type=delivery-status", "digest", "signed"][rng.usize(..6)];
            bytes.extend(format!("Content-Type: multipart/{subtype}; boundary=\"{boundary}\"\r\n\r\npreamble\r\n").bytes());
            for _ in 0..rng.usize(0..4) {
                bytes.extend(format!("--{boundary}\r\n").bytes());
                part(rng, depth + 1, bytes);
                bytes.extend(b"\r\n");
            }
            bytes.extend(format!("--{boundary}--\r\nepilogue\r\n").bytes());
        }
        3 => bytes.extend(b"Content-Type: text/plain; charset=utf-8; format=flowed\r\n\r\nHello \r\nworld\r\n\r\nOn 3 May 2026, Bo wrote:\r\n> Hi\r\n-- \r\nAda\r\n"),
        4 => bytes.extend(b"Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=FC=DFe <b>all<blockquote>x</p>\r\n"),
        5 => {
            let content: Vec<u8> = (0..rng.usize(0..3_000)).map(|_| rng.u8(..)).collect();
            bytes.extend(b"Content-Type: application/octet-stream; name=\"a.bin\"\r\nContent-Transfer-Encoding: base64\r\n\r\n");
            bytes.extend(STANDARD.encode(content).bytes());
        }
        6 => {
            let mut content = 0x223e_9f78_u32.to_le_bytes().to_vec();
            content.extend((0..rng.usize(0..300)).map(|_| rng.u8(..)));
            bytes.extend(b"Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\n");
            bytes.extend(STANDARD.encode(content).bytes());
        }
        7 => bytes.extend(b"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a\r\n\r\nFinal-Recipient: rfc822; bo@acme.example\r\nAction: failed\r\nStatus: 5.1.1\r\n"),
        _ => {
            bytes.extend(b"Content-Type: message/rfc822\r\n\r\nFrom: bo@acme.example\r\nMessage-ID: <9@acme.example>\r\n");
            part(rng, depth + 1, bytes);
        }
    }
}

/// Breaks a message in one of the ways that programs and connections do.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let length = bytes.len().max(1);
    let at = rng.usize(..length);
    match rng.usize(..14) {
        // The connection ended.
        0 => bytes.truncate(at),
        // A byte changed.
        1 => bytes[at] = rng.u8(..),
        // Line feeds only, or carriage returns only.
        2 => bytes.retain(|byte| *byte != b'\r'),
        3 => bytes.retain(|byte| *byte != b'\n'),
        // Noise within.
        4 => {
            let noise: Vec<u8> = (0..rng.usize(1..200)).map(|_| rng.u8(..)).collect();
            bytes.splice(at..at, noise);
        }
        // A part of it twice.
        5 => {
            let end = (at + rng.usize(1..500)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
        // A part of it missing.
        6 => {
            let end = (at + rng.usize(1..500)).min(bytes.len());
            bytes.drain(at..end);
        }
        // Zero bytes, 8-bit bytes.
        7 => {
            for byte in bytes.iter_mut().skip(at).take(30) {
                *byte = 0;
            }
        }
        8 => {
            for byte in bytes.iter_mut().skip(at).take(30) {
                *byte |= 0x80;
            }
        }
        // Boundaries, encodings and charsets that are not there.
        9 => replace(bytes, b"boundary=", b"bounary="),
        10 => replace(bytes, b"base64", b"quoted-printable"),
        11 => replace(bytes, b"utf-8", b"x-unknown\0"),
        12 => replace(bytes, b"quoted-printable", b"base64"),
        // A line without end.
        _ => {
            let line = vec![b'a'; 20_000];
            bytes.splice(at..at, line);
        }
    }
}

fn replace(bytes: &mut Vec<u8>, from: &[u8], to: &[u8]) {
    if let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes.splice(at..at + from.len(), to.iter().copied());
    }
}
