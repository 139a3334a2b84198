//! Objects that the API returns: named values that are read as properties. A misspelt property is an error, never a
//! silent `()`.

use rhai::{Dynamic, EvalAltResult, FuncRegistration, ImmutableString, Map, Module};
use snaphook_script::kit::no_such;

use crate::bindings::{getter, indexer, setter};
use crate::raise::{Raised, raise};

/// An object of the host with properties.
pub(crate) trait Record: Clone + Send + Sync + 'static {
    /// The name in messages, with its article.
    const NAME: &'static str;
    /// The name that `type_of` gives.
    const TYPE: &'static str;
    /// Its properties.
    const FIELDS: &'static [&'static str];
    /// Its methods.
    const METHODS: &'static [&'static str] = &[];

    /// The value of one of `FIELDS`.
    fn field(&self, name: &str) -> Dynamic;

    /// The error for a property that is not there.
    fn missing(&self, name: &str) -> Box<EvalAltResult> {
        raise(Self::no_such(name))
    }

    /// The message about a property or a method that is not there.
    fn no_such(name: &str) -> String {
        let names: Vec<_> = Self::FIELDS.iter().chain(Self::METHODS).copied().collect();
        no_such(Self::NAME, name, &names)
    }
}

/// Registers the properties of a record.
pub(crate) fn register<R: Record>(library: &mut Module) {
    library.set_custom_type::<R>(R::TYPE);
    for name in R::FIELDS {
        library.set_getter_fn(*name, |record: &mut R| -> Result<Dynamic, Box<EvalAltResult>> {
            Ok(record.field(name))
        });
    }
    // What has no getter comes here, as a property or as an index.
    library.set_indexer_get_fn(
        |record: &mut R, key: ImmutableString| -> Result<Dynamic, Box<EvalAltResult>> {
            if R::FIELDS.contains(&key.as_str()) { Ok(record.field(&key)) } else { Err(record.missing(&key)) }
        },
    );
}

/// All properties of a record as a map, for its JSON form.
pub(crate) fn as_map<R: Record>(record: &R) -> Dynamic {
    let fields = R::FIELDS.iter().map(|name| ((*name).into(), record.field(name)));
    fields.collect::<Map>().into()
}

/// A result of the host's as a map of its fields, which a script can set anew: `out.stdout.trim()` changes the text and
/// sets it again. A misspelt field is an error.
pub(crate) trait Fields: Clone + Send + Sync + 'static {
    /// The name in messages, with its article.
    const NAME: &'static str;
    /// The name that `type_of` gives.
    const TYPE: &'static str;
    /// The names of the fields.
    const NAMES: &'static [&'static str];

    /// The fields.
    fn map(&mut self) -> &mut Map;

    /// The value of a field.
    ///
    /// # Errors
    /// There is no such field.
    fn get(&mut self, name: &str) -> Result<Dynamic, Raised> {
        self.map().get(name).cloned().ok_or_else(|| raise(no_such(Self::NAME, name, Self::NAMES)))
    }
}

/// The map of these values, in the order of the fields' names.
pub(crate) fn fields<R: Fields>(values: impl IntoIterator<Item = Dynamic>) -> Map {
    R::NAMES.iter().map(|name| (*name).into()).zip(values).collect()
}

/// Registers the fields of a result.
pub(crate) fn register_fields<R: Fields>(module: &mut Module) {
    module.set_custom_type::<R>(R::TYPE);
    for name in R::NAMES {
        getter::<R>(module, name, R::get);
    }
    indexer::<R>(module, R::get);
    setter::<R>(module, |this, name, value| {
        let _known = this.get(name)?;
        this.map().insert(name.into(), value);
        Ok(())
    });
}

/// A registration in the global name space: for methods.
pub(crate) fn method(name: &str) -> FuncRegistration {
    FuncRegistration::new(name).in_global_namespace()
}
