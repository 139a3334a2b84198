//! The process of the proxy that `net = [hosts]` needs. It is forked before the namespaces, so that it is outside; its listener
//! comes from inside. It ends when nothing is left in the command's network namespace. Not here: what it decides (`proxy`).

use std::ffi::OsString;
use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::{Pid, PidfdFlags, WaitOptions, getpid, pidfd_open, setsid, waitpid};
use snaphook_core::NetHosts;

use crate::command::Failure;
use crate::ffi::{self, Side};
use crate::proxy;

/// The most connections at one time.
const MAX_CONNECTIONS: usize = 256;

/// The time between two looks for processes that the command left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

/// The way to the proxy's process.
pub(crate) struct Proxy(UnixStream);

/// Starts the process. It is nobody's child, so that the command has none that it did not start.
pub(crate) fn fork(hosts: &NetHosts) -> Result<Proxy, Failure> {
    let failed = |error: io::Error| Failure::step("start the proxy", error);
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let command = getpid();
    match ffi::fork().map_err(failed)? {
        Side::Child => {
            drop(ours);
            let code = match ffi::fork() {
                Ok(Side::Child) => i32::from(run(theirs, hosts, command).is_err()),
                Ok(Side::Parent(_)) => 0,
                Err(_) => 1,
            };
            ffi::exit(code)
        }
        Side::Parent(child) => {
            drop(theirs);
            let status =
                waitpid(Pid::from_raw(child), WaitOptions::empty()).map_err(|error| failed(error.into()))?;
            match status {
                Some((_, status)) if status.exit_status() == Some(0) => Ok(Proxy(ours)),
                _ => Err(failed(io::Error::other("it could not fork"))),
            }
        }
    }
}

impl Proxy {
    /// Listens in the command's network namespace, gives the listener to the proxy, and says where it is.
    pub(crate) fn hand_over(self, hosts: &NetHosts) -> Result<Vec<(OsString, OsString)>, Failure> {
        let failed = |error: io::Error| Failure::step("hand the proxy its listener", error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        send(&self.0, listener.as_fd()).map_err(failed)?;
        // It answers once it listens.
        io::Read::read_exact(&mut &self.0, &mut [0]).map_err(failed)?;
        let http = format!("http://127.0.0.1:{port}");
        let socks = format!("socks5h://127.0.0.1:{port}");
        // Those of the command's own loopback, but where the policy means the machine's.
        let own = ["localhost", "127.0.0.1", "::1"].into_iter().filter(|name| !hosts.names(name));
        let own = own.collect::<Vec<_>>().join(",");
        let named =
            [("http_proxy", &http), ("https_proxy", &http), ("all_proxy", &socks), ("no_proxy", &own)];
        let both = named
            .into_iter()
            .flat_map(|(name, value)| [(name.to_owned(), value), (name.to_uppercase(), value)]);
        Ok(both.map(|(name, value)| (name.into(), value.into())).collect())
    }
}

fn send(to: &UnixStream, fd: std::os::fd::BorrowedFd<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fds = [fd];
    if !control.push(SendAncillaryMessage::ScmRights(&fds)) {
        return Err(io::Error::other("no room for a descriptor"));
    }
    sendmsg(to, &[IoSlice::new(b"l")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive(from: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    recvmsg(from, &mut [IoSliceMut::new(&mut [0])], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let fds = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    fds.flatten().next().ok_or_else(|| io::Error::other("the command ended before it ran"))
}

/// The whole life of the proxy.
fn run(from: UnixStream, hosts: &NetHosts, command: Pid) -> io::Result<()> {
    // Out of the session: a key that ends the command is not for the proxy, which others of the command may still use.
    setsid()?;
    let null = fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    rustix::process::chdir("/")?;
    let watched = pidfd_open(command, PidfdFlags::empty())?;
    let listener = TcpListener::from(receive(&from)?);
    // Our own streams must not hold what the caller waits for.
    let namespace = namespace_of(&format!("/proc/{}/ns/net", command.as_raw_nonzero()))?;
    io::Write::write_all(&mut &from, b"l")?;
    drop(from);
    let hosts = Arc::new(hosts.clone());
    let busy = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let is_ours = client.peer_addr().is_ok_and(proxy::is_local);
            if !is_ours || busy.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                continue;
            }
            busy.fetch_add(1, Ordering::Relaxed);
            let (hosts, busy) = (hosts.clone(), busy.clone());
            thread::spawn(move || {
                proxy::serve(client, &hosts);
                busy.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    poll(&mut [PollFd::new(&watched, PollFlags::IN)], None)?;
    while is_used(&namespace) {
        thread::sleep(LEFT_BEHIND);
    }
    Ok(())
}

fn namespace_of(link: &str) -> io::Result<std::path::PathBuf> {
    fs::read_link(link)
}

/// Returns whether a process is in the namespace.
fn is_used(namespace: &std::path::Path) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        .any(|entry| fs::read_link(entry.path().join("ns/net")).is_ok_and(|link| link == namespace))
}
