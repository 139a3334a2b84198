//! Rows of programs that read, change, make or move files, of what reaches other hosts and processes, and of what changes the
//! system.

use super::Role::*;
use super::{Makes, PROGRAM, Program, Role, Runs, words};

/// What its options tell.
const CONFIGURED: Program = Program { runs: Runs::Configured, ..PROGRAM };

/// Programs of which nothing but their roles is known.
const fn roles(names: &'static [&'static str], roles: &'static [Role]) -> Program {
    Program { names, roles, ..PROGRAM }
}

/// Programs that only read, unless they have one of these options.
const fn reads(names: &'static [&'static str], writing: &'static [&'static str]) -> Program {
    Program { names, roles: &[OnlyReads], writing, ..PROGRAM }
}

/// Programs with these options for starting others.
const fn starts(names: &'static [&'static str], options: &'static [&'static str]) -> Program {
    Program { names, starts: options, ..CONFIGURED }
}

const TAR: Program = Program { roles: &[Unpacks, UnpacksInto], ..CONFIGURED };
const GNU_TAR: Program = Program {
    starts: words!(
        "--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command
        --rmt-command -I -F"
    ),
    ..TAR
};

pub(super) const PROGRAMS: &[Program] = &[
    // ---- reading ----
    roles(
        words!(
            "cat ls stat head tail wc diff cmp md5sum sha1sum sha256sum sha512sum shasum realpath readlink basename
            dirname du"
        ),
        &[KeepsOperands, OnlyReads],
    ),
    Program { roles: &[KeepsOperands, OnlyReads], ..reads(words!("file"), words!("-C --co")) },
    Program { roles: &[KeepsOperands, OnlyReads], ..reads(words!("bat"), words!("--pager --diff")) },
    Program {
        roles: &[KeepsOperands, OnlyReads, Filters],
        synonyms: words!("r=recursive R=dereference-recursive"),
        ..roles(words!("grep"), &[])
    },
    roles(words!("egrep fgrep"), &[KeepsOperands, OnlyReads, Filters]),
    Program {
        roles: &[KeepsOperands, OnlyReads, Filters],
        writing: words!("--pre --hostname-bin"),
        ..starts(words!("rg"), words!("--pre --hostname-bin"))
    },
    Program {
        roles: &[OnlyReads, Filters],
        writing: words!("--pager"),
        ..starts(words!("ag"), words!("--pager"))
    },
    Program {
        roles: &[KeepsOperands, OnlyReads],
        writing: words!("-o -O --log --LOG +"),
        ..starts(words!("less"), words!("+ -k --lesskey-content --lesskey-src"))
    },
    Program { roles: &[KeepsOperands, OnlyReads], ..starts(words!("more"), words!("+")) },
    Program {
        roles: &[OnlyReads],
        writing: words!("-P --pager -H --html"),
        ..starts(words!("man"), words!("-P --pager -H --html"))
    },
    reads(words!("ack"), words!("--pager")),
    reads(words!("batcat"), words!("--pager --diff")),
    Program { roles: &[OnlyReads, HiddenOptions], ..reads(words!("tree"), words!("-*o")) },
    reads(
        words!("gh"),
        words!(
            "download clone checkout extension alias cp config ssh setup-git fork sync -O --output --clone"
        ),
    ),
    Program { roles: &[OnlyReads], ..starts(words!("column"), &[]) },
    roles(words!("od cut tr tac rev"), &[OnlyReads, Transforms]),
    roles(
        words!(
            "ll eza exa comm b2sum cksum df jq hexdump strings nl fold paste join whereis id whoami date sleep seq
            pgrep pidof ps lsof getfacl lsattr"
        ),
        &[OnlyReads],
    ),
    roles(words!("shellcheck flake8 mypy pylint"), &[KeepsOperands]),
    Program { names: words!("find gfind"), runs: Runs::Find, ..PROGRAM },
    Program { names: words!("fd fdfind"), roles: &[OnlyReads], runs: Runs::Fd, ..PROGRAM },
    Program {
        names: words!("git"),
        roles: &[KeepsOperands],
        runs: Runs::Git,
        synonyms: words!(
            "f=force n=dry-run a=all m=message d=delete q=quiet u=set-upstream i=interactive v=verbose"
        ),
        ..PROGRAM
    },
    // ---- changing ----
    Program {
        roles: &[HiddenOptions],
        writing: words!("-*o --o --co"),
        ..starts(words!("sort"), words!("--compress-program"))
    },
    roles(words!("uniq"), &[HiddenOptions]),
    roles(words!("xxd"), &[HiddenOptions, Transforms]),
    Program {
        names: words!("sed"),
        roles: &[HiddenOptions, Transforms, Filters],
        runs: Runs::Sed,
        makes: Makes::InPlace,
        synonyms: words!("i=in-place n=quiet"),
        ..PROGRAM
    },
    Program { names: words!("gsed"), runs: Runs::Sed, makes: Makes::InPlace, ..PROGRAM },
    Program { makes: Makes::Operands, ..roles(words!("tee"), &[]) },
    roles(words!("mkdir mkfifo"), &[Creates]),
    Program { makes: Makes::Operands, ..roles(words!("touch"), &[Creates]) },
    Program {
        makes: Makes::Operands,
        synonyms: words!("rR=recursive f=force a=archive n=no-clobber v=verbose"),
        ..roles(words!("cp"), &[Copies])
    },
    Program {
        makes: Makes::Operands,
        synonyms: words!("f=force n=no-clobber v=verbose"),
        ..roles(words!("mv"), &[Copies, Removes])
    },
    Program {
        makes: Makes::Operands,
        synonyms: words!("f=force s=symbolic"),
        ..roles(words!("ln"), &[Copies])
    },
    Program { makes: Makes::Operands, ..roles(words!("install"), &[Copies]) },
    roles(words!("gcp gmv gln ginstall link"), &[Copies]),
    Program {
        synonyms: words!("rR=recursive f=force i=interactive d=dir v=verbose"),
        ..roles(words!("rm"), &[Removes])
    },
    Program { synonyms: words!("u=remove f=force"), ..roles(words!("shred"), &[Removes]) },
    roles(words!("rmdir unlink trash trash-put gio srm wipe del erase rd"), &[Removes]),
    Program { makes: Makes::Output, roles: &[Transforms], ..starts(words!("dd"), &[]) },
    Program { makes: Makes::Parts, ..starts(words!("split"), words!("--filter")) },
    Program { makes: Makes::Parts, ..roles(words!("csplit"), &[]) },
    roles(words!("patch"), &[RunsTexts, Unpacks]),
    roles(words!("apply_patch applypatch"), &[RunsTexts]),
    Program {
        makes: Makes::LaterOperands,
        synonyms: words!("R=recursive f=silent v=verbose"),
        ..roles(words!("chmod"), &[ChangesAccess])
    },
    Program {
        synonyms: words!("R=recursive f=silent v=verbose"),
        ..roles(words!("chown"), &[ChangesAccess])
    },
    Program { synonyms: words!("R=recursive f=silent"), ..roles(words!("chgrp"), &[ChangesAccess]) },
    roles(words!("chattr setfacl setfattr xattr chcon chflags icacls attrib takeown"), &[ChangesAccess]),
    // ---- archives and encodings ----
    Program { names: words!("tar"), synonyms: words!("x=extract c=create f=file"), ..GNU_TAR },
    Program { names: words!("gtar"), ..GNU_TAR },
    Program { names: words!("bsdtar"), starts: words!("--use-compress-program"), ..TAR },
    roles(words!("unzip cpio 7z 7za"), &[Unpacks, UnpacksInto]),
    roles(words!("pax unrar gpatch ar"), &[Unpacks]),
    starts(words!("zip"), words!("-T -TT --unzip-command")),
    roles(words!("gunzip xz bzip2 zstd"), &[Compresses, Transforms]),
    roles(words!("gzip pigz pbzip2 lzma lz4 lzip unxz bunzip2 unzstd"), &[Compresses]),
    roles(words!("base64 base32 basenc uudecode zcat iconv"), &[Transforms]),
    Program { roles: &[Transforms], ..starts(words!("openssl"), words!("-engine -provider")) },
    Program { roles: &[Transforms], ..starts(words!("gpg"), words!("--exec-path --photo-viewer")) },
    // ---- other hosts ----
    Program {
        makes: Makes::Operands,
        synonyms: words!("r=recursive a=archive n=dry-run"),
        ..starts(words!("rsync"), words!("-e --rsh --rsync-path"))
    },
    Program { makes: Makes::Operands, roles: &[Copies], ..starts(words!("scp"), words!("-S -o -F")) },
    starts(words!("sftp"), words!("-S -o -F -b -D")),
    Program {
        makes: Makes::Downloads,
        synonyms: words!("o=output O=remote-name X=request d=data k=insecure T=upload-file"),
        ..starts(words!("curl"), words!("-K --config"))
    },
    Program {
        makes: Makes::Downloads,
        synonyms: words!("O=output-document q=quiet"),
        ..starts(words!("wget"), words!("--use-askpass --config -e --execute"))
    },
    Program { makes: Makes::Downloads, ..roles(words!("aria2c fetch"), &[]) },
    starts(words!("nc"), words!("-e -c --exec --sh-exec")),
    starts(words!("netcat"), words!("-e -c")),
    starts(words!("nmap"), words!("--script")),
    starts(words!("tcpdump"), words!("-z")),
    starts(words!("lftp"), words!("-c -e -f")),
    starts(words!("mutt neomutt"), words!("-e -F")),
    starts(words!("hg"), words!("--config")),
    starts(words!("svn"), words!("--config-option --editor-cmd --diff-cmd")),
    starts(words!("ssh-keygen"), words!("-D")),
    starts(words!("ssh-add"), words!("-s -S")),
    // ---- programs with an option that starts others ----
    starts(words!("konsole"), words!("-e")),
    starts(words!("fzf"), words!("--preview --bind --listen")),
    starts(words!("exiftool"), words!("-if -execute -config")),
    // ---- processes and the system ----
    Program { roles: &[ManagesServices], ..starts(words!("systemctl"), words!("edit")) },
    roles(words!("service taskkill stop-process wmic loginctl"), &[ManagesServices]),
    roles(words!("launchctl"), &[ManagesServices, SetsVariables]),
    roles(words!("setenv"), &[SetsVariables]),
    roles(words!("renice criu"), &[ChangesProcess]),
    roles(
        words!(
            "mount umount fusermount fusermount3 bindfs sshfs pivot_root switch_root losetup unionfs overlayfs
            mount.fuse diskutil hdiutil"
        ),
        &[Mounts],
    ),
];
