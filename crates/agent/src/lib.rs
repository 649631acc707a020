//! The library that the JVM loads: it weaves classes as they are loaded, gives threads memory for their records, and
//! writes down what numbers stand for. It analyses nothing.
//!
//! The only crate with `unsafe`: the interface of the JVM is C, and records go into memory that another process reads.
//! Nothing unwinds out of here, and whatever fails leaves the program as it would be without the agent.

mod classes;
mod counts;
mod effects;
mod hook;
mod jvm;
mod launchers;
mod modes;
mod natives;
mod options;
mod others;
mod patterns;
mod planned;
mod record;
mod session;
mod sites;
mod stacks;
mod sweep;

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jvm::{
    JNIEnv, JavaVM, Jni, Jvmti, jclass, jint, jlong, jobject, jvmtiCapabilities, jvmtiEnv,
    jvmtiEventCallbacks,
};

use events::session::layout::TOOL;
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
    stacks: stacks::Stacks,
    planned: planned::Planned,
    sweep: sweep::Sweep,
    recording: Option<record::Recording>,
}

/// The variable with the options for JVMs that this one starts.
const CHILDREN: &str = "RADDLE_CHILDREN";

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
    pass_on();
    let options = Options::parse(text)?;
    // SAFETY: the caller's promise.
    let jvmti = unsafe { Jvmti::new(vm) }.ok_or("it has no tool interface")?;
    // Whoever names classes to watch means them wherever they are.
    if options.include.is_empty()
        && let Some(within) = &options.session
        && let Some(tool) = jvmti.property(c"sun.java.command").as_deref().and_then(launchers::tool)
    {
        // Whoever reads should know; if that fails nothing is lost but a remark.
        let _ = std::fs::write(within.join(format!("{TOOL}{}", std::process::id())), tool);
        return Ok(());
    }
    if let Some(within) = &options.session
        && options.reader != 0
        && !within.exists()
        && !session::lives(options.reader)
    {
        // A build tool's daemon that outlives the command has kept the options, and starts JVMs for others.
        return Ok(());
    }
    // Known this early, unlike the property of the library: `17`, `21`, …
    let java = jvmti.property(c"java.vm.specification.version").and_then(|text| text.parse().ok());
    let java: u16 = java.ok_or("it does not tell which Java it is")?;
    let models = hook::models(&options, java)?;
    let planned = planned::Planned::new(options.plan.as_deref())?;
    // First, so that nothing is left behind if it cannot be.
    let trace = match (&options.session, &options.record) {
        (None, Some(to)) => Some(record::create(to)?),
        _ => None,
    };
    let folder = match &options.session {
        Some(folder) => folder.clone(),
        None => record::folder().map_err(|e| format!("no private folder can be made: {e}"))?,
    };
    let (mut session, own) =
        session::Session::create(&folder, options.budget, options.reader).map_err(|e| {
            if trace.is_some() {
                let _ = std::fs::remove_dir_all(&folder);
            }
            format!("{}: {e}", folder.display())
        })?;
    let recording = match trace {
        Some(trace) => Some(record::Recording::begin(folder, own, trace).map_err(|e| e.to_string())?),
        None => None,
    };
    if let Some(recording) = &recording {
        session.is_read_by(recording.process);
    }
    let mut capabilities = jvmtiCapabilities::default();
    capabilities.set_can_generate_all_class_hook_events(true);
    capabilities.set_can_generate_early_class_hook_events(true);
    capabilities.set_can_retransform_classes(true);
    capabilities.set_can_retransform_any_class(true);
    capabilities.set_can_tag_objects(true);
    capabilities.set_can_get_line_numbers(true);
    capabilities.set_can_get_source_file_name(true);
    capabilities.set_can_generate_monitor_events(true);
    jvmti.add_capabilities(&capabilities).map_err(|e| format!("it lacks a capability ({})", e.0))?;
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(on_init);
    callbacks.VMDeath = Some(on_death);
    callbacks.ThreadEnd = Some(on_thread_end);
    callbacks.ClassFileLoadHook = Some(on_class);
    callbacks.MonitorWait = Some(on_wait);
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
        stacks: stacks::Stacks::default(),
        planned,
        sweep: sweep::Sweep::default(),
        recording,
    };
    agent.begin();
    if let Some(gap) = agent.planned.runs_on(java) {
        agent.session.names(&gap);
    }
    let _ = AGENT.set(agent);
    for event in [
        jvm::JVMTI_EVENT_VM_INIT,
        jvm::JVMTI_EVENT_VM_DEATH,
        jvm::JVMTI_EVENT_THREAD_END,
        jvm::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        jvm::JVMTI_EVENT_MONITOR_WAIT,
    ] {
        jvmti.enable(event).map_err(|e| format!("it does not tell of event {event:?} ({})", e.0))?;
    }
    Ok(())
}

/// JVMs that this one starts are to be watched too: `raddle` hands over the options that they have to find, under a name
/// that this JVM does not look at.
fn pass_on() {
    if let Some(options) = std::env::var_os(CHILDREN) {
        // SAFETY: the JVM has only begun to start, and none of its threads looks at the environment yet.
        unsafe {
            std::env::set_var("JAVA_TOOL_OPTIONS", options);
            std::env::remove_var(CHILDREN);
        }
    }
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

unsafe extern "system" fn on_wait(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    monitor: jobject,
    _: jlong,
) {
    contained((), || {
        if let Some(agent) = agent() {
            // SAFETY: the JVM's pointer, in this thread.
            agent.hook.wait_begins(unsafe { Jni::new(env) }, thread, monitor);
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
        if bytes.is_null() {
            return;
        }
        // SAFETY: the JVM's bytes, valid during this call.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length.max(0) as usize) };
        let own;
        let name = if name.is_null() {
            // Whoever defined it did not say what it is called; its bytes do, unless they are of no class.
            let Some(name) = instrument::name_of(bytes) else { return };
            own = name;
            own.as_slice()
        } else {
            // SAFETY: the JVM's string, valid during this call.
            unsafe { CStr::from_ptr(name) }.to_bytes()
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
