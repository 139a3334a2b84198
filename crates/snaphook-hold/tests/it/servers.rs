//! Servers outside of a hold, which count what reaches them. Not here: what tries to (`battery`).

use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// One TCP and UDP port, a path socket and an abstract one.
pub struct Servers {
    pub port: u16,
    pub path: PathBuf,
    pub name: String,
    hits: Arc<AtomicUsize>,
}

const SENTINEL: &[u8] = b"sentinel";

impl Servers {
    /// Who asks a socket for a file gets `file`, open for writing.
    pub fn start(path: &Path, file: &Path) -> Self {
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()) {
                break (tcp, udp);
            }
        };
        let port = tcp.local_addr().unwrap().port();
        let name = format!("snaphook-hold-{port}");
        let hits = Arc::new(AtomicUsize::new(0));
        let count = || {
            let hits = hits.clone();
            move |bytes: &[u8]| {
                if bytes != SENTINEL {
                    hits.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        let hit = count();
        thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                hit(&first(&mut stream));
            }
        });
        let hit = count();
        thread::spawn(move || {
            let mut bytes = [0; 64];
            while let Ok((length, from)) = udp.recv_from(&mut bytes) {
                hit(&bytes[..length]);
                if &bytes[..length] == SENTINEL {
                    let _ = udp.send_to(SENTINEL, from);
                }
            }
        });
        let abstract_address = SocketAddr::from_abstract_name(&name).unwrap();
        for listener in
            [UnixListener::bind(path).unwrap(), UnixListener::bind_addr(&abstract_address).unwrap()]
        {
            let (hit, file) = (count(), file.to_owned());
            thread::spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    let bytes = first(&mut stream);
                    hit(&bytes);
                    if bytes.starts_with(b"f") {
                        send_file(&stream, &file);
                    }
                }
            });
        }
        Servers { port, path: path.to_owned(), name, hits }
    }

    /// The number of connections and datagrams that came so far: none is on its way any more.
    pub fn hits(&self) -> usize {
        let tcp = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        settle(tcp);
        settle(UnixStream::connect(&self.path).unwrap());
        let address = SocketAddr::from_abstract_name(&self.name).unwrap();
        settle(UnixStream::connect_addr(&address).unwrap());
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.send_to(SENTINEL, ("127.0.0.1", self.port)).unwrap();
        udp.recv_from(&mut [0; 64]).unwrap();
        self.hits.load(Ordering::SeqCst)
    }
}

/// Each server takes one connection after the other, so that those before it are counted when this one is closed.
fn settle(mut stream: impl Read + Write) {
    stream.write_all(SENTINEL).unwrap();
    let _ = stream.read(&mut [0]);
}

/// What came first. An open connection that sends nothing is a hit as well.
fn first(stream: &mut impl Read) -> Vec<u8> {
    let mut bytes = [0; 64];
    let length = stream.read(&mut bytes).unwrap_or(0);
    bytes[..length].to_vec()
}

fn send_file(to: &UnixStream, file: &Path) {
    let Ok(file) = std::fs::File::options().read(true).write(true).open(file) else { return };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fds = [file.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&fds)));
    let _ = sendmsg(to, &[IoSlice::new(b"f")], &mut control, SendFlags::empty());
}
