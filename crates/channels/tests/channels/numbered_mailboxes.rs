//! Mailboxes with any numbers, which are searched in windows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use frontdesk_channels::{
    Secret,
    imap::{Bounds, Cursor, ImapServer, Renumbered, Security, Visit},
};
use jiff::Timestamp;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::local;

/// A mailbox of messages with these numbers, in their order. The last `recent` ones have arrived since any
/// day.
struct Numbered {
    uids: Vec<u32>,
    recent: usize,
    pause: Duration,
    /// Searches that were answered.
    searches: AtomicUsize,
}

/// What the mailbox calls its numbering.
const NUMBERING: u32 = 9;

impl Numbered {
    fn new(uids: Vec<u32>, recent: usize) -> Self {
        Self { uids, recent, pause: Duration::ZERO, searches: AtomicUsize::new(0) }
    }

    /// Serves the mailbox.
    async fn start(self) -> (Arc<Self>, ImapServer) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mailbox = Arc::new(self);
        let served = Arc::clone(&mailbox);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mailbox = Arc::clone(&served);
                tokio::spawn(async move { mailbox.converse(stream).await });
            }
        });
        let server = ImapServer {
            host: "127.0.0.1".to_owned(),
            port,
            security: Security::None,
            user: "shop".to_owned(),
            password: Secret::new("secret"),
            mailbox: "INBOX".to_owned(),
        };
        (mailbox, server)
    }

    async fn converse(&self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let _ = stream.get_mut().write_all(b"* OK ready\r\n").await;
        let mut line = String::new();
        while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
            let (tag, command) = line.trim_end().split_once(' ').unwrap();
            let words: Vec<&str> = command.split(' ').collect();
            let untagged = match words[..] {
                ["EXAMINE", ..] => {
                    let (exists, next) = (self.uids.len(), self.uids.last().unwrap() + 1);
                    format!(
                        "* {exists} EXISTS\r\n* OK [UIDVALIDITY {NUMBERING}] x\r\n* OK [UIDNEXT {next}] x\r\n"
                    )
                }
                ["UID", "SEARCH", ref query @ ..] => {
                    self.searches.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(self.pause).await;
                    let found: Vec<String> = self.search(query).iter().map(|uid| format!(" {uid}")).collect();
                    format!("* SEARCH{}\r\n", found.concat())
                }
                ["UID", "FETCH", uid, "(UID", "RFC822.SIZE)"] => {
                    format!("* 1 FETCH (UID {uid} RFC822.SIZE 2)\r\n")
                }
                ["UID", "FETCH", uid, ..] => format!("* 1 FETCH (UID {uid} BODY[] {{2}}\r\nHi)\r\n"),
                _ => String::new(),
            };
            let _ = stream.get_mut().write_all(format!("{untagged}{tag} OK done\r\n").as_bytes()).await;
            line.clear();
        }
    }

    fn search(&self, query: &[&str]) -> Vec<u32> {
        let old = match query {
            [.., "SINCE", _] => self.uids.len() - self.recent,
            _ => 0,
        };
        match query {
            ["UID", range, ..] => {
                let (first, last) = range.split_once(':').unwrap();
                let range = first.parse::<u32>().unwrap()..=last.parse().unwrap();
                self.uids[old..].iter().copied().filter(|uid| range.contains(uid)).collect()
            }
            [position] => vec![self.uids[position.parse::<usize>().unwrap() - 1]],
            _ => panic!("{query:?} is not expected"),
        }
    }
}

fn cursor(uid_validity: u32, last_uid: u32) -> Cursor {
    Cursor { uid_validity, last_uid, read_at: Timestamp::now(), failing: None, renumbered: None }
}

/// Returns the numbers of the messages of one visit, how far it came, and whether there are others.
async fn visit(server: &ImapServer, cursor: &Cursor, patience: Duration) -> (Vec<u32>, Cursor, bool) {
    let bounds = Bounds { messages: 2, bytes: 1 << 20, patience };
    let outbound = local();
    let visit = Visit::begin(&outbound, server, Some(cursor), bounds, true, Timestamp::now());
    let mut visit = visit.await.unwrap();
    let mut found = Vec::new();
    while let Some(message) = visit.next().await {
        found.push(message.uid);
    }
    let (cursor, has_more) = (visit.cursor().clone(), visit.has_more());
    visit.end().await;
    // A cursor survives the database.
    (found, serde_json::from_str(&serde_json::to_string(&cursor).unwrap()).unwrap(), has_more)
}

/// Visits a mailbox until nothing more is there. Returns all numbers.
async fn all(server: &ImapServer, mut cursor: Cursor) -> Vec<u32> {
    let mut all = Vec::new();
    loop {
        let (found, reached, has_more) = visit(server, &cursor, Duration::from_mins(1)).await;
        all.extend(found);
        cursor = reached;
        if !has_more {
            return all;
        }
    }
}

#[tokio::test]
async fn messages_are_found_however_far_their_numbers_are_apart() {
    const NEAR_THE_END: u32 = 4_000_000_000;
    let by_time =
        |count: u32, apart: u32| (0..count).map(move |number| NEAR_THE_END - (count - number) * apart);
    for (uids, old, recent) in [
        // The numbers, the last one that was read before, and how many have arrived since the day before.
        (vec![50_000, 99_999], 7, 2),
        (vec![NEAR_THE_END, NEAR_THE_END + 1, u32::MAX - 1], 7, 3),
        (vec![1, 2, 3, 4_294_000_000], 3, 1),
        // One message in 10 hours, for years.
        (by_time(100_000, 36_000).collect(), NEAR_THE_END - 3 * 36_000, 2),
        (by_time(100_001, 36_000).collect(), NEAR_THE_END - 10 * 36_000, 9),
        // Only the last ones remain of many.
        ((1..=90_000).chain(NEAR_THE_END..NEAR_THE_END + 3).collect(), 90_000, 3),
        // Many at once.
        ((1..=5).chain(NEAR_THE_END..NEAR_THE_END + 45_000).collect(), NEAR_THE_END + 44_990, 9),
    ] {
        let expected = uids[uids.len() - recent..].to_vec();
        for last in [cursor(NUMBERING, old), cursor(NUMBERING - 1, 4_111_222_333)] {
            let (mailbox, server) = Numbered::new(uids.clone(), recent).start().await;
            assert_eq!(all(&server, last.clone()).await, expected, "{last:?}");
            // Each visit asks a few times for numbers, and not for two hundred thousand windows.
            let (searches, visits) = (mailbox.searches.load(Ordering::SeqCst), recent.div_ceil(2));
            assert!(searches <= 20 * visits, "{searches} searches in {visits} visits, {last:?}");
        }
    }
}

#[tokio::test]
async fn messages_from_before_another_numbering_stay_read_in_later_visits() {
    // Three messages are of that day, so the second visit still has to know which day that was.
    let (_, server) = Numbered::new(vec![10, 20, 30, 40, 50], 3).start().await;
    let (found, reached, has_more) = visit(&server, &cursor(8, 1_000), Duration::from_mins(1)).await;
    assert_eq!((found, has_more), (vec![30, 40], true));
    assert_eq!(reached.renumbered.as_ref().map(|renumbered| renumbered.newest), Some(50));
    // Without a new message nothing is fetched, however often the mailbox is visited.
    let (_, server) = Numbered::new(vec![10, 20, 30, 40, 50], 0).start().await;
    let (found, reached, has_more) = visit(&server, &cursor(8, 1_000), Duration::from_mins(1)).await;
    assert_eq!((found, has_more, reached.last_uid), (vec![], false, 50));
    assert!(visit(&server, &reached, Duration::from_mins(1)).await.0.is_empty());
    // A message that somebody moves there afterwards is new, although its own date is older.
    let (_, server) = Numbered::new(vec![10, 20, 30, 40, 50, 60], 0).start().await;
    let before =
        Cursor { renumbered: Some(Renumbered { newest: 50, since: reached.read_at }), ..cursor(9, 0) };
    let (found, reached, _) = visit(&server, &before, Duration::from_mins(1)).await;
    assert_eq!((found, reached.last_uid, reached.renumbered), (vec![60], 60, None));
}

#[tokio::test]
async fn a_search_that_takes_long_goes_on_in_the_next_visit() {
    // The only message that has arrived since then is the last one of six windows.
    let uids: Vec<u32> = (1..=120_000).map(|number| number * 20_000).collect();
    let mailbox = Numbered { pause: Duration::from_millis(700), ..Numbered::new(uids, 1) };
    let (_, server) = mailbox.start().await;
    let patience = Duration::from_secs(5);
    let (mut cursor, mut found, mut visits) = (cursor(8, 1_000), Vec::new(), 0);
    while found.is_empty() {
        let before = cursor;
        (found, cursor, _) = visit(&server, &before, patience).await;
        assert!(cursor.last_uid > before.last_uid || before.uid_validity == 8, "{cursor:?}");
        visits += 1;
    }
    assert_eq!(found, [2_400_000_000]);
    assert!(visits > 1, "the search ended in one visit");
}
