//! The operations, one `impl` for the trait of each tag.

use std::collections::BTreeMap;

use @snake@_server::model::{GetItemError, Item, NotFound, Problem};
use @snake@_server::{Failure, GetItem, Items};

/// The state that handlers share.
#[derive(Clone, Debug)]
pub struct Service {
    names: BTreeMap<String, String>,
}

impl Default for Service {
    fn default() -> Self {
        let names = [("lamp", "Reading lamp"), ("vase", "Blue vase")];
        Self { names: names.map(|(id, name)| (id.to_owned(), name.to_owned())).into() }
    }
}

impl Items for Service {
    type Caller = ();

    async fn get_item(&self, request: GetItem) -> Result<Item, Failure<GetItemError>> {
        let id = request.item_id;
        let absent = || Problem { message: format!("There is no item `{id}`.") };
        // `?` takes the responses that the contract declares for this operation; others do not compile.
        let name = self.names.get(&id).ok_or_else(|| NotFound { body: absent() })?;
        Ok(Item { name: name.clone(), id })
    }
}
