//! Prints the square of its argument.

fn main() {
    let number = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    match parcel::square(number) {
        Some(square) => println!("{}", greeting::of(square)),
        None => std::process::exit(3),
    }
}
