//! `test`, `t` and `expect`: what scripts of tests have. The members of the last two are core's lists.

use std::any::TypeId;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rhai::{Dynamic, FnPtr, Module};
use serde_json::Value as Json;
use snaphook_core::Location;
use snaphook_core::testing::{EXPECT_MEMBERS, T_MEMBERS};
use snaphook_script::testing::Registered;

use crate::bindings::{Args, args, indexer, missing, put};
use crate::callback::Callback;
use crate::convert;
use crate::meter::{Foreign, outside, with_clock_stopped};
use crate::raise::{Raised, host, raise};
use crate::vm_context::{Tests, VmContext, active};

/// The number of arguments that the functions of `t` and `expect` take at most; the bench says what each wants.
const MAX_ARGUMENTS: usize = 4;
const USAGE: &str = "use test(\"what it does\", |t| { … })";

/// The `t` of one test, which is of no use after it.
#[derive(Clone)]
pub(crate) struct TestObject(Foreign<Arc<AtomicBool>>);

impl TestObject {
    pub(crate) fn new(live: &Arc<AtomicBool>) -> Self {
        TestObject(Foreign::new(Arc::clone(live)))
    }
}

/// The object that `expect(subject)` gives.
#[derive(Clone)]
pub(crate) struct Expectation(Foreign<Arc<Json>>);

/// Puts the globals of test scripts into their module.
pub(crate) fn register(globals: &mut Module) {
    globals.set_custom_type::<TestObject>("t");
    globals.set_custom_type::<Expectation>("expect(…)");
    indexer::<TestObject>(globals, |_, name| Err(missing("t", name, T_MEMBERS)));
    indexer::<Expectation>(globals, |_, name| Err(missing("expect(…)", name, EXPECT_MEMBERS)));
    put(globals, "test", vec![TypeId::of::<Dynamic>(); 2], true, |context, args| {
        let (vm, tests) = tests()?;
        let name = args::at("test", 0, args)?;
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(raise(format!("the name of a test is empty; {USAGE}")));
        }
        let function =
            args.get_mut(1).map(|value| std::mem::take(*value)).and_then(|f| f.try_cast::<FnPtr>());
        let function =
            function.ok_or_else(|| raise(format!("the second argument of test() is a function; {USAGE}")))?;
        let function = Callback::new(context, function, 1..=1)
            .map_err(|what| raise(format!("the function of a test takes t, but {what}; {USAGE}")))?;
        let file = context.call_source().map_or_else(|| vm.hook.file.clone(), PathBuf::from);
        let line = context.call_position().line().and_then(|line| u32::try_from(line).ok());
        tests.add(Registered { name, location: Location { file, line }, function }).map_err(raise)?;
        Ok(Dynamic::UNIT)
    });
    put(globals, "expect", vec![TypeId::of::<Dynamic>()], true, |_, args| {
        let (vm, _) = tests()?;
        let subject = args.first().map(|subject| vm.to_json(subject)).transpose();
        let subject = subject.map_err(|error| named("expect(…)", &error))?.and_then(Foreign::take);
        Ok(Dynamic::from(Expectation(Foreign::new(outside(|| Arc::new(subject.unwrap_or_default()))))))
    });
    for name in T_MEMBERS {
        each::<TestObject>(globals, name, |name, this: &TestObject, arguments| {
            if !this.0.get().is_some_and(|live| live.load(Ordering::Relaxed)) {
                return Err(raise(format!("t.{name}: the test that this t belongs to has ended")));
            }
            let (_, tests) = tests()?;
            let value = with_clock_stopped(|| tests.bench.call(name, arguments));
            let value = Foreign::new(host(|| value)?);
            value.get().map_or(Ok(Dynamic::UNIT), convert::from_json)
        });
    }
    for name in EXPECT_MEMBERS {
        each::<Expectation>(globals, name, |name, this: &Expectation, arguments| {
            let (_, tests) = tests()?;
            let subject = this.0.get().ok_or_else(|| raise("the subject is gone"))?;
            let checked = with_clock_stopped(|| tests.bench.expect(subject, name, arguments));
            host(|| checked).map(|()| Dynamic::UNIT)
        });
    }
}

type Member<T> = fn(&'static str, &T, Vec<Json>) -> Result<Dynamic, Raised>;

/// Puts a method into the module, for any number of arguments.
fn each<T: Clone + Send + Sync + 'static>(globals: &mut Module, name: &'static str, work: Member<T>) {
    for count in 0..=MAX_ARGUMENTS {
        let mut types = vec![TypeId::of::<Dynamic>(); count + 1];
        types[0] = TypeId::of::<T>();
        put(globals, name, types, false, move |_, args| {
            let (vm, _) = tests()?;
            let arguments = read(&vm, name, args)?;
            let this = args.first().and_then(|this| this.read_lock::<T>().map(|this| this.clone()));
            let this = this.ok_or_else(|| raise("this is neither t nor an expectation"))?;
            let arguments = arguments.take().unwrap_or_default();
            work(name, &this, arguments)
        });
    }
}

fn read(vm: &VmContext, name: &str, args: &Args<'_>) -> Result<Foreign<Vec<Json>>, Raised> {
    let mut list = Foreign::new(Vec::new());
    for value in args.iter().skip(1) {
        let json = vm.to_json(value).map_err(|error| named(name, &error))?.take();
        if let Some(list) = list.get_mut() {
            outside(|| list.push(json.unwrap_or_default()));
        }
    }
    Ok(list)
}

fn named(name: &str, error: &rhai::EvalAltResult) -> Raised {
    match error {
        rhai::EvalAltResult::ErrorRuntime(text, _) => raise(format!("{name}: {text}")),
        other => raise(format!("{name}: {other}")),
    }
}

fn tests() -> Result<(Arc<VmContext>, Arc<Tests>), Raised> {
    let vm = active()?.vm;
    let tests = vm.tests.clone().ok_or_else(|| raise("this script is no test"))?;
    Ok((vm, tests))
}
