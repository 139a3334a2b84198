//! `--compat`: hooks of other products, for one run. For every run they are named in the user's config.toml. With it `--cwd`, where a
//! command is about a project.

use std::path::PathBuf;

use snaphook::Product;
use snaphook_discovery::Directories;

use crate::env::Env;
use crate::exit::Failure;
use crate::wiring;

/// The products whose hooks are loaded, beside snaphook's own.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct CompatArgs {
    /// Also load the hooks of these products: discobot, marvin, iteratr. `[compat]` in your config.toml does it for
    /// every run
    #[arg(long, value_name = "PRODUCT,…", value_delimiter = ',', value_parser = product)]
    compat: Vec<Product>,
}

impl CompatArgs {
    /// Returns the products.
    pub(crate) fn products(&self) -> &[Product] {
        &self.compat
    }

    /// The folders with those of the products, too.
    pub(crate) fn with(&self, mut directories: Directories) -> Directories {
        directories.add_compat(self.compat.iter().copied());
        directories
    }
}

/// The project that a command is about, and the products whose hooks it has.
#[derive(Debug, clap::Args)]
pub(crate) struct ProjectArgs {
    /// The working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    #[command(flatten)]
    compat: CompatArgs,
}

impl ProjectArgs {
    /// # Errors
    /// The folder does not exist.
    pub(crate) fn directories(&self, env: &Env) -> Result<Directories, Failure> {
        Ok(self.compat.with(wiring::directories(env, self.cwd.as_deref())?))
    }
}

fn product(name: &str) -> Result<Product, String> {
    let known = || Product::OTHERS.map(Product::as_str).join(", ");
    Product::other(name).ok_or_else(|| format!("there are {}", known()))
}
