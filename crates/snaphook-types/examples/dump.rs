//! scratch
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("luau") => print!("{}", snaphook_types::luau().unwrap()),
        Some("luals") => print!("{}", snaphook_types::luals().unwrap()),
        _ => print!("{}", snaphook_types::reference().unwrap()),
    }
}
