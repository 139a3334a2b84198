//! Serves a script of model answers until its standard input is closed. For interop scripts.
//!
//!     scripted_model SCRIPT [REQUESTS]
//!
//! SCRIPT is a JSON file with a list of exchanges. The first line of the output is the address, without a path. A line
//! `release NAME` on standard input releases a gate. At the end the requests are written to REQUESTS, one JSON object a line.

use std::error::Error;
use std::io::Write;

use snaphook_testing::model::ScriptedModel;
use tokio::io::{AsyncBufReadExt, BufReader};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let script = arguments.next().ok_or("usage: scripted_model SCRIPT [REQUESTS]")?;
    let requests = arguments.next();
    let model = ScriptedModel::from_json(&std::fs::read_to_string(script)?).await?;
    writeln!(std::io::stdout(), "{}", model.root())?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(gate) = line.strip_prefix("release ") {
            model.release(gate);
        }
    }
    if let Some(path) = requests {
        let mut file = std::fs::File::create(path)?;
        for request in model.requests() {
            serde_json::to_writer(&mut file, &request)?;
            writeln!(file)?;
        }
    }
    Ok(())
}
