//! One customer, one address and one visitor beside others: what they take, and what stays free.

mod connections;
mod crawls;
mod public_posts;
mod waiting;
