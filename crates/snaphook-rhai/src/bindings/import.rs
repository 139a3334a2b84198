//! `import`: the modules of a folder hook, and nothing else. They were read together with the hook; nothing is read from
//! disk here, so what was hashed is what runs (law 7).

use std::sync::Arc;

use rhai::{Engine, EvalAltResult, Module, ModuleResolver, Position, Scope, Shared};
use snaphook_script::modules::{self, ModuleError};
use snaphook_script::path;

use crate::compile::compile;
use crate::raise::{Raised, raise};
use crate::vm_context::{VmContext, active};

/// Finds modules in the folder of the running hook.
pub(crate) struct OwnFolder;

impl ModuleResolver for OwnFolder {
    fn resolve(
        &self,
        engine: &Engine,
        source: Option<&str>,
        name: &str,
        position: Position,
    ) -> Result<Shared<Module>, Raised> {
        let vm = active()?.vm;
        let at = |error: Raised| -> Raised {
            let mut error = error;
            if error.position().is_none() {
                error.set_position(position);
            }
            error
        };
        let folder = vm.script.hook.file.parent().map(|folder| folder.display().to_string());
        let folder = folder.unwrap_or_default();
        let file = find(&vm, name, source.unwrap_or_default(), &folder).map_err(|error| at(raise(error)))?;
        match vm.modules.lock().get(&file) {
            Some(Some(module)) => return Ok(module.clone()),
            Some(None) => return Err(at(raise(format!("{file} imports itself, perhaps through others")))),
            None => {}
        }
        vm.modules.lock().insert(file.clone(), None);
        let loaded = load(engine, &vm, &path::join(&folder, &file), &file);
        let mut modules = vm.modules.lock();
        match loaded {
            Ok(module) => {
                modules.insert(file, Some(module.clone()));
                Ok(module)
            }
            Err(error) => {
                modules.remove(&file);
                let shown = path::join(&folder, &file);
                Err(EvalAltResult::ErrorInModule(shown, error, position).into())
            }
        }
    }
}

fn load(engine: &Engine, vm: &Arc<VmContext>, shown: &str, file: &str) -> Result<Shared<Module>, Raised> {
    let source = vm.script.modules.get(file).ok_or_else(|| raise(format!("no module {file}")))?;
    let mut ast = compile(engine, source)?;
    ast.set_source(shown);
    let mut module = Module::eval_ast_as_new(Scope::new(), &ast, engine)?;
    module.set_id(shown);
    module.build_index();
    Ok(module.into())
}

/// The file behind a name: `util`, `lib/util`, or `./util` and `../util` as seen from the asking file.
fn find(vm: &VmContext, name: &str, asking: &str, folder: &str) -> Result<String, ModuleError> {
    let call = || format!("import \"{name}\"");
    let modules = &vm.script.modules;
    if modules.is_empty() {
        return Err(ModuleError::OneFile { call: call(), main: "init.rhai" });
    }
    let wanted = modules::wanted(name.trim_end_matches(".rhai"), asking, folder, false);
    modules::find(modules, &wanted, &[".rhai", "/init.rhai"], call, name)
}
