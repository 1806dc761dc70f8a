//! Vectors that are still to be made.

use std::collections::BTreeMap;

use frontdesk_store::{ChunkVectors, NewVectors};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::World;

on_both_databases!(accounts_take_turns);

const OTHER: &str = "another model";

async fn accounts_take_turns(database: &Database) {
    let store = &database.store;
    let mut expected = BTreeMap::new();
    for (name, seed) in [("one", 1), ("two", 2), ("three", 3)] {
        let account_id = World::new(store, name, seed).await.account.account_id;
        expected.insert(account_id, 0);
    }
    let all = store.vectors().unembedded(OTHER, 1_000).await.unwrap().len();
    let mut order = Vec::new();
    let mut after = None;
    while let Some((account_id, chunks)) = store.vectors().unembedded_in_turn(OTHER, after, 1).await.unwrap()
    {
        let [chunk] = &chunks[..] else { panic!("{chunks:?}") };
        let vectors = Some(ChunkVectors { vector: vec![1, 2], segments: Vec::new() });
        let made = [NewVectors { chunk_id: chunk.chunk_id, vectors }];
        store.vectors().save(OTHER, &made).await.unwrap();
        *expected.get_mut(&account_id).unwrap() += 1;
        order.push(account_id);
        after = Some(account_id);
    }
    assert_eq!(order.len(), all, "every chunk once");
    // All have as many, so each round serves each.
    let accounts: Vec<_> = expected.keys().copied().collect();
    assert!(expected.values().all(|chunks| chunks * 3 == all && *chunks > 1), "{expected:?}");
    assert!(order.chunks(3).all(|round| round == accounts), "{order:?}");
    // A new model begins with the first again.
    let (first, chunks) = store.vectors().unembedded_in_turn("third", None, 100).await.unwrap().unwrap();
    assert_eq!((first, chunks.len() * 3), (accounts[0], all), "only chunks of one account");
}
