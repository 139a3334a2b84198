//! The work at the start of an agent's session that hooks have no part in: the script before commits, where Discobot's
//! hooks are in use.

use snaphook::{BoxFuture, Host};
use snaphook_discovery::Directories;
use snaphook_session::AtStart;

use crate::env::Env;

/// Puts the script before commits into a repository.
pub(super) struct GitScript<'a> {
    pub(super) env: &'a Env,
}

impl AtStart for GitScript<'_> {
    fn started<'a>(&'a self, directories: &'a Directories, host: &'a Host) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let text = crate::git::at_start(self.env, directories, host).await?;
            Some(format!("git: {text}"))
        })
    }
}
