//! Faults of frames: fields that differ, and frames that are missing, doubled or foreign. Not here: faults of bytes and of the
//! connection (`delivery`).

use serde_json::Value;

use super::fault::{Fault, IndexFault};
use super::frame::{Data, Frame};
use super::wires::{Answer, Format};

/// Applies a fault of frames. Returns false if it changes nothing, and none if it is not one of frames.
pub(super) fn apply(
    fault: &Fault,
    frames: &mut Vec<Frame>,
    format: &dyn Format,
    answer: &Answer<'_>,
) -> Option<bool> {
    let traits = format.traits();
    Some(match fault {
        Fault::Index(fault) => change(frames, traits.indices, |index| fault.of(index)),
        Fault::NoIds => change(frames, traits.ids, |_| None),
        Fault::Replace { at, raw } => at_frame(frames, *at, |frames, at| frames[at] = Frame::raw(raw)),
        Fault::Insert { at, raw } => at_frame(frames, *at, |frames, at| frames.insert(at, Frame::raw(raw))),
        Fault::Remove { at } => at_frame(frames, *at, |frames, at| drop(frames.remove(at))),
        Fault::Repeat { at } => at_frame(frames, *at, |frames, at| frames.insert(at, frames[at].clone())),
        Fault::Error { after, status } => match position(*after, frames.len()) {
            Some(after) => {
                frames.truncate(after);
                frames.push(format.error_frame(answer, frames, *status, &error_text(*status)));
                true
            }
            None => false,
        },
        _ => return None,
    })
}

/// The text of an error that a script asks for.
pub(super) fn error_text(status: u16) -> String {
    format!("the script has an error here, with status {status}")
}

/// Returns the place between frames that a number means, from 0 to their count.
pub(super) fn position(number: isize, frames: usize) -> Option<usize> {
    let position = match usize::try_from(number) {
        Ok(position) => position,
        Err(_) => frames.checked_sub(number.unsigned_abs())?,
    };
    (position <= frames).then_some(position)
}

fn at_frame(frames: &mut Vec<Frame>, at: isize, change: impl FnOnce(&mut Vec<Frame>, usize)) -> bool {
    let at = position(at, frames.len()).filter(|at| *at < frames.len());
    at.map(|at| change(frames, at)).is_some()
}

impl IndexFault {
    fn of(self, index: &Value) -> Option<Value> {
        match self {
            IndexFault::Missing => None,
            IndexFault::Plus(more) => Some((index.as_u64().unwrap_or_default().saturating_add(more)).into()),
            IndexFault::Same(index) => Some(index.into()),
        }
    }
}

/// Changes or removes the fields at these places. Returns whether there were any.
fn change(frames: &mut [Frame], places: &[&str], new: impl Fn(&Value) -> Option<Value>) -> bool {
    let mut changed = false;
    for frame in frames {
        let Data::Json(data) = &mut frame.data else { continue };
        for place in places {
            let keys: Vec<&str> = place.split('/').skip(1).collect();
            changed |= change_at(data, &keys, &new);
        }
    }
    changed
}

fn change_at(value: &mut Value, keys: &[&str], new: &impl Fn(&Value) -> Option<Value>) -> bool {
    match (value, keys) {
        (Value::Array(list), ["*", rest @ ..]) => {
            let changed: Vec<bool> = list.iter_mut().map(|inner| change_at(inner, rest, new)).collect();
            changed.contains(&true)
        }
        (Value::Object(fields), [last]) => {
            let Some(old) = fields.get(*last) else { return false };
            match new(old) {
                Some(new) => drop(fields.insert((*last).to_owned(), new)),
                // The order of the others stays.
                None => drop(fields.shift_remove(*last)),
            }
            true
        }
        (Value::Object(fields), [key, rest @ ..]) => {
            fields.get_mut(*key).is_some_and(|inner| change_at(inner, rest, new))
        }
        _ => false,
    }
}
