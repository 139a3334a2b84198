//! Tests that use files, processes and sockets, as those of real crates do.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

#[test]
fn the_program_runs() {
    let run = |number: &str| Command::new(env!("CARGO_BIN_EXE_parcel")).arg(number).output().unwrap();
    assert_eq!(run("12").stdout, b"144 is here\n");
    assert_eq!(run("1000").status.code(), Some(3));
}

#[test]
fn temporary_files() {
    for folder in [Path::new(env!("CARGO_TARGET_TMPDIR")), &env::temp_dir()] {
        let file = folder.join(format!("parcel-{}", std::process::id()));
        fs::write(&file, "text").unwrap();
        fs::rename(&file, file.with_extension("new")).unwrap();
        assert_eq!(fs::read(file.with_extension("new")).unwrap(), b"text");
        fs::remove_file(file.with_extension("new")).unwrap();
    }
}

#[test]
fn sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = thread::spawn(move || TcpStream::connect(address).unwrap().write_all(b"hello").unwrap());
    let mut text = String::new();
    listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
    client.join().unwrap();
    assert_eq!(text, "hello");

    let path = env::temp_dir().join(format!("parcel-{}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    UnixStream::connect(&path).unwrap().write_all(b"hello").unwrap();
    listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
    fs::remove_file(path).unwrap();
    assert_eq!(text, "hellohello");
}
