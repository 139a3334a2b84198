//! `docker`, `podman` and `kubectl`: the command that they start in a container is listed, too. It may reach the files
//! that the container was given.

use super::{Call, Item, Reader, Res, emit, start};
use crate::Word;
use crate::programs::{self, Role, words};

/// Options of `run`, `exec` and `create` without a value.
const FLAGS: &str = "itdPqT";
const FLAG_WORDS: &[&str] = words!(
    "--interactive --tty --detach --rm --init --privileged --read-only --publish-all --no-healthcheck
    --oom-kill-disable --quiet --sig-proxy --no-deps --service-ports --no-TTY --no-tty --build --stdin --replace
    --all-containers"
);
/// Options with a value.
const VALUED: &str = "veuwpmhlcan";
const VALUED_WORDS: &[&str] = words!(
    "--volume --env --user --workdir --publish --memory --hostname --label --name --network --net --mount --platform
    --cpus --gpus --add-host --env-file --cap-add --cap-drop --security-opt --device --shm-size --restart --ulimit
    --tmpfs --volumes-from --link --pull --log-driver --log-opt --dns --ipc --pid --cidfile --ip --userns --uts
    --cgroupns --group-add --stop-signal --stop-timeout --expose --index --detach-keys --memory-swap --cpu-shares
    --cpuset-cpus --network-alias --runtime --sysctl --attach --namespace --container --context --kubeconfig
    --health-cmd-none --arch --os --authfile --pod"
);

pub(super) fn run(reader: &mut Reader<'_, '_>, call: Call, name: &str) -> Res<()> {
    let kube = !programs::is(name, Role::StartsContainers);
    let words = call.args().to_vec();
    let known = |at: usize| words.get(at).and_then(|item: &Item| item.word.known());
    let commands: &[&str] = if kube { &["exec", "debug", "run"] } else { &["run", "exec", "create"] };
    // the command may stand behind others (`docker container run`, `docker compose exec`) and options
    let Some(at) =
        words.iter().position(|item| item.word.known().is_some_and(|text| commands.contains(&text)))
    else {
        let unclear = words.first().is_some_and(|item| item.word.known().is_none());
        return emit(reader, call, unclear, None);
    };
    let plain = words.iter().take(at).all(|item| matches!(item.word.known(), Some("container" | "compose")));
    if !plain && words.iter().take(at).any(|item| item.word.known().is_none_or(|text| text.starts_with('-')))
    {
        // `docker -H host run`, `docker compose -f file exec`: options in front are not modelled
        return emit(reader, call, true, None);
    }
    if !plain {
        return emit(reader, call, false, None);
    }
    let inner = if kube {
        behind_dashes(&words)
    } else {
        operands(&words, at + 1, known(at) == Some("exec") || known(0) == Some("compose"))
    };
    let Some(inner) = inner else { return emit(reader, call, true, None) };
    if inner < words.len() {
        let mut command = call.clone();
        command.redirects.clear();
        let command = command.through(name, inner + 1);
        reader.nested(|reader| start(reader, command))?;
    }
    emit(reader, call, false, None)
}

/// Returns where the command of `kubectl exec pod -- cmd` begins.
fn behind_dashes(words: &[Item]) -> Option<usize> {
    match words.iter().position(|item| item.word == "--") {
        Some(at) => words.iter().take(at).all(|item| !item.word.many()).then_some(at + 1),
        None => None,
    }
}

/// Returns where the command behind options and the image begins; `None` where an option is not in the tables.
fn operands(words: &[Item], from: usize, exec: bool) -> Option<usize> {
    let mut at = from;
    while let Some(item) = words.get(at) {
        let Word::Known(text) = &item.word else {
            let plain = item.word.prefix().chars().next().is_some_and(|c| c != '-');
            return (plain && !item.word.many()).then_some(at + 1);
        };
        at += 1;
        let (option, inline) =
            text.split_once('=').map_or((text.as_str(), false), |(option, _)| (option, true));
        if option.starts_with("--") && option.len() > 2 {
            if VALUED_WORDS.contains(&option) {
                at += usize::from(!inline);
            } else if !FLAG_WORDS.contains(&option) {
                return None;
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (index, letter) in letters.char_indices() {
                if VALUED.contains(letter) && !(exec && letter == 'p') {
                    at += usize::from(index + 1 == letters.len());
                    break;
                }
                if !FLAGS.contains(letter) {
                    return None;
                }
            }
        } else {
            // the image or the container
            return Some(at);
        }
        if words.get(at - 1).is_some_and(|item| item.word.many()) {
            return None;
        }
    }
    Some(words.len())
}
