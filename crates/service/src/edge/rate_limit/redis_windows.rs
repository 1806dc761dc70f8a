//! Sliding windows in Redis or Valkey: one list of moments per subject, changed by one script, so that each
//! decision is atomic.

use std::time::Duration;

use redis::{
    Client, RedisError, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

use super::operation::Operation;

/// What the names of all entries begin with, so that the server can be shared with other programs.
const PREFIX: &str = "frontdesk:limit:";

/// Decides about one event. `KEYS[1]` is the list of admitted events, in microseconds by the server's clock;
/// `ARGV` is the limit, the window in microseconds, and 1 to count the event. Returns 0 if the event is
/// admitted, or else the microseconds until the next one will be.
const DECIDE: &str = "
local clock = redis.call('TIME')
local moment = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
-- The server's clock may be set back; the order of events must not change with it.
local last = redis.call('LINDEX', KEYS[1], -1)
if last and tonumber(last) > moment then moment = tonumber(last) end
while true do
  local first = redis.call('LINDEX', KEYS[1], 0)
  if not first or tonumber(first) > moment - window then break end
  redis.call('LPOP', KEYS[1])
end
local count = redis.call('LLEN', KEYS[1])
if count >= limit then
  return tonumber(redis.call('LINDEX', KEYS[1], count - limit)) + window - moment
end
if ARGV[3] == '1' then
  redis.call('RPUSH', KEYS[1], string.format('%.0f', moment))
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 1000)
end
return 0
";

/// The address of the Redis server cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`limits.redis_url` cannot be used; write redis://HOST:PORT/DATABASE, or rediss:// for TLS")]
pub struct RedisUrlError(#[source] RedisError);

/// Sliding windows in Redis or Valkey.
pub(super) struct RedisWindows {
    connection: ConnectionManager,
    script: Script,
}

impl RedisWindows {
    /// Prepares the connection, which is made with the first decision and made again whenever it is lost.
    pub(super) fn open(url: &str, timeout: Duration) -> Result<Self, RedisUrlError> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(timeout))
            .set_response_timeout(Some(timeout))
            // The caller has a fallback, so a decision must not wait for further attempts.
            .set_number_of_retries(0);
        let connection = Client::open(url)
            .and_then(|client| ConnectionManager::new_lazy_with_config(client, config))
            .map_err(RedisUrlError)?;
        Ok(Self { connection, script: Script::new(DECIDE) })
    }

    /// Returns `None` if the event is admitted, or else the time after which the next one will be.
    pub(super) async fn decide(
        &self,
        operation: Operation,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, RedisError> {
        let mut connection = self.connection.clone();
        let wait: i64 = self
            .script
            .key(format!("{PREFIX}{name}"))
            .arg(limit.max(1))
            .arg(u64::try_from(window.as_micros()).unwrap_or(u64::MAX))
            .arg(u8::from(operation == Operation::Take))
            .invoke_async(&mut connection)
            .await?;
        Ok(u64::try_from(wait).ok().filter(|wait| *wait > 0).map(Duration::from_micros))
    }
}
