//! The library that the JVM loads: it weaves classes as they are loaded, gives threads memory for their records, and
//! writes down what numbers stand for. It analyses nothing.
//!
//! The only crate with `unsafe`: the interface of the JVM is C, and records go into memory that another process reads.
//! Nothing unwinds out of here, and whatever fails leaves the program as it would be without the agent.

mod classes;
mod effects;
mod hook;
mod jvm;
mod natives;
mod options;
mod patterns;
mod record;
mod session;
mod sites;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jvm::{
    JNIEnv, JavaVM, Jni, Jvmti, jclass, jint, jobject, jvmtiCapabilities, jvmtiEnv, jvmtiEventCallbacks,
};

use options::Options;

/// All that the agent knows. There is one, from the JVM's start to its end.
struct Agent {
    jvmti: Jvmti,
    options: Options,
    session: session::Session,
    sites: sites::Sites,
    classes: classes::Classes,
    hook: hook::Hook,
    effects: effects::Effects,
    recording: Option<record::Recording>,
}

static AGENT: OnceLock<Agent> = OnceLock::new();

/// The agent, once it has been set up.
fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Runs something that must not unwind into the JVM.
fn contained<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

/// Tells the user something, on standard error: the program's own output is not ours.
fn say(text: &str) {
    eprintln!("raddle: {text}");
}

/// Called by the JVM when it loads the library.
///
/// # Safety
/// The JVM calls it, with pointers that are valid.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(vm: *mut JavaVM, options: *mut c_char, _: *mut c_void) -> jint {
    contained((), || {
        let text = if options.is_null() {
            String::new()
        } else {
            // SAFETY: the JVM's string.
            unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
        };
        // SAFETY: the JVM's pointer.
        if let Err(why) = unsafe { load(vm, &text) } {
            say(&format!("this JVM is not watched: {why}"));
        }
    });
    // Also if nothing can be watched: the program must run.
    0
}

unsafe fn load(vm: *mut JavaVM, text: &str) -> Result<(), String> {
    let options = Options::parse(text)?;
    // SAFETY: the caller's promise.
    let jvmti = unsafe { Jvmti::new(vm) }.ok_or("it has no tool interface")?;
    let models = hook::models(&options)?;
    let folder = match &options.session {
        Some(folder) => folder.clone(),
        None => record::folder().map_err(|e| format!("no private folder can be made: {e}"))?,
    };
    let (session, own) = session::Session::create(&folder, options.budget, options.reader)
        .map_err(|e| format!("{}: {e}", folder.display()))?;
    let recording = match (&options.session, &options.record) {
        (None, Some(to)) => Some(record::Recording::begin(folder, own, to).map_err(|e| e.to_string())?),
        _ => None,
    };
    let mut capabilities = jvmtiCapabilities::default();
    capabilities.set_can_generate_all_class_hook_events(true);
    capabilities.set_can_generate_early_class_hook_events(true);
    capabilities.set_can_retransform_classes(true);
    capabilities.set_can_retransform_any_class(true);
    capabilities.set_can_tag_objects(true);
    jvmti.add_capabilities(&capabilities).map_err(|e| format!("it lacks a capability ({})", e.0))?;
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(on_init);
    callbacks.VMDeath = Some(on_death);
    callbacks.ThreadEnd = Some(on_thread_end);
    callbacks.ClassFileLoadHook = Some(on_class);
    jvmti.set_callbacks(&callbacks).map_err(|e| format!("it takes no callbacks ({})", e.0))?;
    let sites = sites::Sites::new().ok_or("there is no memory for its table of sites")?;
    let agent = Agent {
        jvmti,
        hook: hook::Hook::new(models, &options),
        options,
        session,
        sites,
        classes: classes::Classes::default(),
        effects: effects::Effects::default(),
        recording,
    };
    agent.begin();
    let _ = AGENT.set(agent);
    for event in [
        jvm::JVMTI_EVENT_VM_INIT,
        jvm::JVMTI_EVENT_VM_DEATH,
        jvm::JVMTI_EVENT_THREAD_END,
        jvm::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
    ] {
        jvmti.enable(event).map_err(|e| format!("it does not tell of event {event:?} ({})", e.0))?;
    }
    Ok(())
}

unsafe extern "system" fn on_init(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject) {
    contained((), || {
        let Some(agent) = agent() else { return };
        // SAFETY: the JVM's pointer, in this thread.
        if let Err(why) = natives::bring_in(agent, unsafe { Jni::new(env) }) {
            say(&format!("this JVM is not watched: {why}"));
        }
    });
}

unsafe extern "system" fn on_death(_: *mut jvmtiEnv, _: *mut JNIEnv) {
    contained((), || {
        if let Some(agent) = agent() {
            agent.tell_counts();
            agent.session.end();
            if let Some(recording) = &agent.recording {
                recording.end();
            }
        }
    });
}

unsafe extern "system" fn on_thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    contained((), || {
        if let Some(agent) = agent() {
            // SAFETY: the JVM's pointer, in this thread.
            agent.hook.thread_ended(unsafe { Jni::new(env) }, thread);
        }
    });
}

#[allow(clippy::too_many_arguments, reason = "the JVM's interface")]
unsafe extern "system" fn on_class(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    bytes: *const u8,
    new_length: *mut jint,
    new_bytes: *mut *mut u8,
) {
    contained((), || {
        let Some(agent) = agent() else { return };
        if name.is_null() || bytes.is_null() {
            return;
        }
        // SAFETY: the JVM's strings and bytes, valid during this call.
        let (name, bytes) = unsafe {
            (CStr::from_ptr(name).to_bytes(), std::slice::from_raw_parts(bytes, length.max(0) as usize))
        };
        let jni = (!env.is_null()).then(|| {
            // SAFETY: the JVM's pointer, in this thread.
            unsafe { Jni::new(env) }
        });
        let Some(woven) = agent.weave(jni, redefined, loader, name, bytes) else { return };
        if let (Some(memory), Ok(length)) = (agent.jvmti.allocate(&woven), jint::try_from(woven.len())) {
            // SAFETY: places where the JVM wants the answer.
            unsafe {
                *new_bytes = memory;
                *new_length = length;
            }
        }
    });
}
