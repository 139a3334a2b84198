//! Git's own commands and settings: which start a program, which leave the working tree alone.

use super::words;

/// Keys of the configuration that run nothing, and starts of such keys, which end in a dot.
pub(crate) const PLAIN_KEYS: &[&str] = words!(
    "user.name user.email user.useconfigonly user.signingkey author. committer. color. column.ui advice. status. log.
    stash. feature. index. pack. lfs. checkout. help.autocorrect versionsort. init.defaultbranch
    core.autocrlf core.eol core.quotepath core.filemode core.longpaths core.symlinks core.ignorecase core.abbrev
    core.safecrlf core.precomposeunicode core.compression core.bare core.whitespace core.preloadindex
    core.untrackedcache core.sparsecheckout core.logallrefupdates core.commentchar
    pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.parallel
    rebase.autostash rebase.autosquash rebase.updaterefs rerere.enabled merge.conflictstyle merge.ff merge.renamelimit
    diff.renames diff.renamelimit diff.noprefix diff.mnemonicprefix diff.algorithm diff.colormoved diff.context
    diff.submodule branch.autosetupmerge branch.autosetuprebase branch.sort tag.sort tag.gpgsign
    commit.gpgsign commit.verbose commit.cleanup clone.defaultremotename submodule.recurse submodule.fetchjobs
    gc.auto gc.autodetach gc.pruneexpire maintenance.auto safe.directory protocol.version
    http.postbuffer http.version http.sslverify http.lowspeedlimit http.lowspeedtime http.extraheader
    http.followredirects transfer.fsckobjects fetch.fsckobjects fetch.fsck. receive.fsck. fsck.
    receive.denycurrentbranch"
);

/// Options with which a command of git starts a program.
const STARTS: &[(&str, &[&str])] = &[
    ("archive", words!("--exec")),
    ("clone", words!("-u --upload-pack -c --config --template")),
    ("credential", words!("fill")),
    ("daemon", words!("--access-hook")),
    ("diff", words!("--ext-diff")),
    ("difftool", words!("-x --extcmd")),
    ("fetch", words!("--upload-pack")),
    ("fetch-pack", words!("--upload-pack --exec")),
    ("for-each-repo", words!("--config")),
    ("grep", words!("-O --open-files-in-pager")),
    ("help", words!("-w --web")),
    ("hook", words!("run")),
    ("init", words!("--template")),
    ("instaweb", words!("-d --httpd -b --browser")),
    ("log", words!("--ext-diff")),
    ("ls-remote", words!("--upload-pack --exec")),
    ("merge-index", words!("-o -q")),
    ("pull", words!("--upload-pack")),
    ("push", words!("--receive-pack --exec")),
    ("rebase", words!("-x --exec")),
    ("send-email", words!("--sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd")),
    ("send-pack", words!("--receive-pack --exec")),
    ("shell", words!("-c")),
    ("show", words!("--ext-diff")),
];

/// Commands that leave the working tree as it is.
const READERS: &[&str] = words!(
    "add commit diff log status show blame grep ls-files rev-parse check-ignore cat-file branch push fetch remote
    describe shortlog ls-tree tag config check-attr rev-list"
);

/// The options with which a command of git starts a program.
pub(crate) fn starting_options(command: &str) -> &'static [&'static str] {
    STARTS.iter().find(|(name, _)| *name == command).map_or(&[], |(_, options)| options)
}

/// Returns whether a command of git leaves the files of the working tree as they are.
#[must_use]
pub fn keeps_working_tree(command: &str) -> bool {
    READERS.contains(&command)
}
