//! `snaphook sessions`.

use serde_json::json;
use snaphook_agent::sessions::{SessionInfo, list};

use super::args::SessionsArgs;
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::print::{self, Paint, brief, lines};

/// Runs the command.
pub(crate) fn sessions(env: &Env, args: &SessionsArgs) -> Result<Exit, Failure> {
    let directories = args.project.directories(env)?;
    let state = directories.state.as_deref().ok_or_else(super::no_state)?;
    let here = |session: &SessionInfo| args.all || session.folder == directories.cwd;
    let sessions: Vec<SessionInfo> = list(state).into_iter().filter(here).collect();
    if args.json {
        let documents: Vec<_> = sessions.iter().map(document).collect();
        print::json(&json!({ "sessions": documents }));
        return Ok(Exit::Fine);
    }
    let paint = Paint { on: env.colours(env.stdout_is_terminal) };
    if sessions.is_empty() {
        let elsewhere = if args.all { "" } else { " in this folder (`--all` lists every folder's)" };
        print::stdout(&format!("no sessions{elsewhere}\n"));
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for session in sessions {
        let what = if session.broken { "(not a session)".to_owned() } else { brief(&session.prompt, 60) };
        let place = if args.all {
            format!(" {}", lines(&session.folder.display().to_string()))
        } else {
            String::new()
        };
        let model = lines(&session.model);
        text.push_str(&format!("{}  {}{}  {what}\n", paint.bold(&session.id), model, paint.dim(&place)));
    }
    print::stdout(&text);
    Ok(Exit::Fine)
}

fn document(session: &SessionInfo) -> serde_json::Value {
    json!({
        "id": session.id,
        "file": session.path.display().to_string(),
        "model": session.model,
        "folder": session.folder.display().to_string(),
        "began": session.began,
        "prompt": session.prompt,
        "broken": session.broken,
    })
}
