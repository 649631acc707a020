//! Brings the runtime classes into the JVM, and the native methods that they call.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, Ordering};

use events::session::Entry;

use crate::jvm::{JNIEnv, Jni, class_name, jboolean, jclass, jint, jlong, jobject, jobjectArray, jstring};
use crate::{Agent, agent, contained, sweep};

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// Defines the classes, registers their methods, and weaves what was loaded too early.
pub fn bring_in(agent: &Agent, jni: Jni) -> Result<(), String> {
    let mut defined = Vec::new();
    for (name, bytes) in CLASSES {
        let class = jni.define(name, bytes).ok_or_else(|| format!("{name} could not be defined"))?;
        defined.push((*name, class));
    }
    let class = |name: &str| {
        let found = defined.iter().find(|(defined, _)| defined.strip_prefix("raddle/rt/") == Some(name));
        found.map(|&(_, class)| class).ok_or_else(|| format!("{name} is not there"))
    };
    let probe = class("Probe")?;
    open_modules(agent, jni, probe).ok_or("the JDK's modules could not be opened")?;
    for (name, methods) in natives() {
        if !jni.register(class(name)?, &methods) {
            return Err(format!("the methods of {name} could not be registered"));
        }
    }
    let ended =
        jni.static_method(probe, c"ended", c"(Ljava/lang/Thread;)V").ok_or("the probe is not whole")?;
    let prepare = jni.static_method(probe, c"prepare", c"()V").ok_or("the probe is not whole")?;
    if !jni.run(probe, prepare) {
        return Err("the probe cannot work with this Java".to_owned());
    }
    let platform = jni.find(c"java/lang/ClassLoader").and_then(|loader| {
        let get = jni.static_method(loader, c"getPlatformClassLoader", c"()Ljava/lang/ClassLoader;")?;
        jni.get_static(loader, get)
    });
    let platform = platform.map_or(std::ptr::null_mut(), |platform| jni.global(platform));
    agent.hook.begin(platform, jni.global(probe), ended as usize);
    let waits = class("Waits")?;
    let begins = jni.static_method(waits, c"begins", c"(Ljava/lang/Thread;Ljava/lang/Object;)V");
    agent.hook.tell_waits(jni.global(waits), begins.ok_or("the probe is not whole")? as usize);
    let mut early = Vec::new();
    for class in agent.jvmti.loaded_classes() {
        let signature = agent.jvmti.signature(class).unwrap_or_default();
        let name = class_name(&signature);
        if agent.hook.wants(name) {
            early.push(class);
        } else if agent.jvmti.loader(class).is_some_and(|loader| agent.hook.is_late(jni, loader, name)) {
            let mut entry = Vec::new();
            let why = "it was loaded before watching began, for another agent".to_owned();
            Entry::Gap { what: format!("class {}", for_people(name)), why, count: 1 }.encode(&mut entry);
            agent.session.names(&entry);
        }
    }
    for class in &early {
        // One by one: a class that cannot be woven must not keep others from it.
        if let Err(failed) = agent.jvmti.retransform(&[*class]) {
            let what = format!("class {}", agent.jvmti.signature(*class).unwrap_or_default());
            let mut entry = Vec::new();
            Entry::Gap { what, why: format!("could not be woven anew ({})", failed.0), count: 1 }
                .encode(&mut entry);
            agent.session.names(&entry);
        }
    }
    Ok(())
}

/// Lets the runtime classes use the JDK's own, and the JDK's classes call the probe.
fn open_modules(agent: &Agent, jni: Jni, probe: jclass) -> Option<()> {
    let class = jni.find(c"java/lang/Class")?;
    let module = jni.method(class, c"getModule", c"()Ljava/lang/Module;")?;
    let ours = jni.get(probe, module)?;
    let base = jni.get(class, module)?;
    for package in [c"jdk.internal.misc", c"jdk.internal.vm.annotation"] {
        agent.jvmti.add_module_exports(base, package, ours).ok()?;
    }
    agent.jvmti.add_module_reads(base, ours).ok()
}

type Method = (&'static CStr, &'static CStr, *mut c_void);

/// The native methods by class.
fn natives() -> Vec<(&'static str, Vec<Method>)> {
    vec![
        (
            "Recorder",
            vec![
                (c"stampAddress", c"()J", stamp_address as *mut c_void),
                (c"filters", c"()Z", filters as *mut c_void),
                (c"name", c"(ILjava/lang/String;)V", name as *mut c_void),
                (c"open", c"(ILjava/lang/String;)J", open as *mut c_void),
                (c"next", c"(JI)J", next as *mut c_void),
                (c"close", c"(J)V", close as *mut c_void),
            ],
        ),
        ("Identities", vec![(c"gone", c"(J)V", gone as *mut c_void)]),
        (
            "Numbers",
            vec![
                (c"numbers", c"()J", numbers as *mut c_void),
                (c"usedUp", c"(JIZ)[J", used_up as *mut c_void),
            ],
        ),
        (
            "Sites",
            vec![
                (c"table", c"()J", table as *mut c_void),
                (c"unplanned", c"(Ljava/lang/String;)V", unplanned as *mut c_void),
            ],
        ),
        (
            "Stacks",
            vec![
                (c"stack", c"(Ljava/lang/Thread;IIZ)V", stack as *mut c_void),
                (c"calls", c"(IIZLjava/lang/String;)V", calls as *mut c_void),
            ],
        ),
        ("Lost", vec![(c"tell", c"()V", lost as *mut c_void)]),
        (
            "ClassInfo",
            vec![
                (c"numberOf", c"(Ljava/lang/Class;)I", number_of as *mut c_void),
                (c"hasNumbers", c"(Ljava/lang/Class;)Z", has_numbers as *mut c_void),
                (c"numbered", c"(Ljava/lang/Class;)V", numbered as *mut c_void),
                (c"kindOf", c"(Ljava/lang/Class;)[Ljava/lang/Object;", kind_of as *mut c_void),
            ],
        ),
        (
            "Effect",
            vec![
                (c"describe", c"(ILjava/lang/Class;)[Ljava/lang/Object;", describe as *mut c_void),
                (c"hold", c"(Ljava/lang/Object;)Z", hold as *mut c_void),
                (c"letGo", c"(Ljava/lang/Object;)V", let_go as *mut c_void),
            ],
        ),
        (
            "Variables",
            vec![
                (
                    c"fieldNumber",
                    c"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;I)I",
                    field_number as *mut c_void,
                ),
                (c"siteFor", c"(II)I", site_for as *mut c_void),
                (c"siteForElement", c"(ILjava/lang/Class;)I", site_for_element as *mut c_void),
            ],
        ),
        (
            "Link",
            vec![(
                c"linked",
                c"(ILjava/lang/Class;Ljava/lang/String;Ljava/lang/String;I)I",
                linked as *mut c_void,
            )],
        ),
        (
            "Fields",
            vec![
                (c"declaring", c"(ILjava/lang/Class;)Ljava/lang/Class;", declaring as *mut c_void),
                (c"look", c"(ILjava/lang/Class;Ljava/lang/Class;)J", other as *mut c_void),
            ],
        ),
    ]
}

extern "system" fn filters(_: *mut JNIEnv, _: jclass) -> jboolean {
    jboolean::from(agent().is_none_or(|agent| !agent.options.unfiltered))
}

extern "system" fn stamp_address(_: *mut JNIEnv, _: jclass) -> jlong {
    agent().map_or(0, |agent| agent.session.stamp_address())
}

extern "system" fn name(env: *mut JNIEnv, _: jclass, number: jint, name: jstring) {
    contained((), || {
        let Some(agent) = agent() else { return };
        // SAFETY: the JVM's pointer, in this thread.
        let name = unsafe { Jni::new(env) }.text(name);
        let mut entry = Vec::new();
        Entry::Thread { number: number as u32, name, page: 0, creator: 0 }.encode(&mut entry);
        agent.session.names(&entry);
    });
}

extern "system" fn open(env: *mut JNIEnv, _: jclass, number: jint, name: jstring) -> jlong {
    contained(0, || {
        let Some(agent) = agent() else { return 0 };
        let number = number as u32;
        let Some((address, page)) = agent.session.open(number) else { return 0 };
        // SAFETY: the JVM's pointer, in this thread.
        let name = unsafe { Jni::new(env) }.text(name);
        let mut entry = Vec::new();
        Entry::Thread { number, name, page, creator: 0 }.encode(&mut entry);
        agent.session.names(&entry);
        address
    })
}

extern "system" fn next(_: *mut JNIEnv, _: jclass, chunk: jlong, number: jint) -> jlong {
    contained(0, || agent().and_then(|agent| agent.session.next(chunk, number as u32)).unwrap_or(0))
}

extern "system" fn close(_: *mut JNIEnv, _: jclass, chunk: jlong) {
    contained((), || {
        if let Some(agent) = agent() {
            agent.session.close(chunk);
        }
    });
}

/// Something could not be recorded.
extern "system" fn lost(_: *mut JNIEnv, _: jclass) {
    contained((), || {
        let Some(agent) = agent() else { return };
        let (what, why) =
            ("what threads did", "the program had run out of memory, and so there was none to record it");
        let mut entry = Vec::new();
        Entry::Gap { what: what.to_owned(), why: why.to_owned(), count: 1 }.encode(&mut entry);
        agent.session.names(&entry);
    });
}

/// The stack of the current thread shows how a thread comes to a site, or is started there.
extern "system" fn stack(
    _: *mut JNIEnv,
    _: jclass,
    current: jobject,
    thread: jint,
    site: jint,
    starts: jboolean,
) {
    contained((), || {
        if let Some(agent) = agent() {
            agent.tell_stack(current, thread as u32, site as u32, starts != 0);
        }
    });
}

/// The same with calls that Java has written down.
extern "system" fn calls(
    env: *mut JNIEnv,
    _: jclass,
    thread: jint,
    site: jint,
    starts: jboolean,
    calls: jstring,
) {
    contained((), || {
        let Some(agent) = agent() else { return };
        // SAFETY: the JVM's pointer, in this thread.
        let calls = unsafe { Jni::new(env) }.text(calls);
        agent.tell_calls(&calls, thread as u32, site as u32, starts != 0);
    });
}

/// An array has died that one thread alone has accessed.
extern "system" fn gone(_: *mut JNIEnv, _: jclass, number: jlong) {
    contained((), || {
        if let (Some(agent), Ok(number)) = (agent(), u64::try_from(number)) {
            agent.session.gone(number);
        }
    });
}

/// The next number of an object. Never 0.
static OBJECTS: AtomicI64 = AtomicI64::new(1);

/// A block of numbers; the first.
extern "system" fn numbers(_: *mut JNIEnv, _: jclass) -> jlong {
    OBJECTS.fetch_add(sweep::BLOCK as i64, Ordering::Relaxed)
}

/// So many of the block that begins with this number have been given to objects that keep their number. Tells which
/// objects have died, if it is time to look and that is wanted; null: none.
extern "system" fn used_up(env: *mut JNIEnv, _: jclass, first: jlong, used: jint, look: jboolean) -> jobject {
    contained(null_mut(), || {
        let Some(agent) = agent() else { return null_mut() };
        agent.sweep.used_up(u64::try_from(first).unwrap_or(0), u64::try_from(used).unwrap_or(0));
        if look == 0 || !agent.sweep.is_due() {
            return null_mut();
        }
        let dead = agent.sweep.look(|each| agent.jvmti.each_long(each));
        if dead.is_empty() {
            return null_mut();
        }
        // SAFETY: the JVM's pointer, in this thread.
        unsafe { Jni::new(env) }.longs(&dead).unwrap_or(null_mut())
    })
}

/// Objects of exactly this class keep their number.
extern "system" fn numbered(_: *mut JNIEnv, _: jclass, class: jclass) {
    contained((), || {
        if let Some(agent) = agent() {
            agent.jvmti.set_tag(class, 1);
        }
    });
}

extern "system" fn table(_: *mut JNIEnv, _: jclass) -> jlong {
    agent().map_or(0, |agent| agent.sites.address())
}

/// A method runs that the plan holds for unused.
extern "system" fn unplanned(env: *mut JNIEnv, _: jclass, method: jstring) {
    contained((), || {
        let Some(agent) = agent() else { return };
        // SAFETY: the JVM's pointer, in this thread.
        let method = unsafe { Jni::new(env) }.text(method);
        if let Some(entry) = agent.planned.ran(method) {
            agent.session.names(&entry);
        }
    });
}

/// The class that declares the field which a site accesses in an object of this class.
extern "system" fn declaring(env: *mut JNIEnv, _: jclass, site: jint, of: jclass) -> jclass {
    contained(null_mut(), || {
        let Some(agent) = agent() else { return null_mut() };
        // SAFETY: the JVM's pointer, in this thread.
        agent.declaring(unsafe { Jni::new(env) }, site as u32, of).unwrap_or(null_mut())
    })
}

/// What is to be done there.
extern "system" fn other(env: *mut JNIEnv, _: jclass, site: jint, of: jclass, declaring: jclass) -> jlong {
    contained(0, || {
        let Some(agent) = agent() else { return 0 };
        // SAFETY: the JVM's pointer, in this thread.
        agent.other(unsafe { Jni::new(env) }, site as u32, of, declaring)
    })
}

/// A class's loader and internal name: `com/acme/Account`, `[I`.
pub fn identify(agent: &Agent, class: jclass) -> Option<(i64, String)> {
    let signature = agent.jvmti.signature(class)?;
    let name = match signature.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) {
        Some(name) => name.to_owned(),
        None => signature,
    };
    let loader = agent.jvmti.loader(class)?;
    Some((agent.classes.loader(agent.jvmti, loader), name))
}

/// `int[]` for `[I`.
pub fn for_people(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let depth = name.len() - element.len();
    let plain = match element {
        _ if depth == 0 => element,
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        object => class_name(object),
    };
    plain.replace('/', ".") + &"[]".repeat(depth)
}

extern "system" fn number_of(_: *mut JNIEnv, _: jclass, class: jclass) -> jint {
    contained(0, || {
        let Some(agent) = agent() else { return 0 };
        let Some((loader, name)) = identify(agent, class) else { return 0 };
        let number = agent.classes.number(loader, &name);
        agent.names(&[]);
        number as jint
    })
}

extern "system" fn has_numbers(_: *mut JNIEnv, _: jclass, class: jclass) -> jboolean {
    contained(0, || {
        let Some(agent) = agent() else { return 0 };
        let Some((loader, name)) = identify(agent, class) else { return 0 };
        jboolean::from(agent.classes.has_numbers(loader, &name))
    })
}

/// A site that uses a static field of another class has been linked: now it is known which field that is. The site to use.
extern "system" fn linked(
    env: *mut JNIEnv,
    _: jclass,
    site: jint,
    declaring: jclass,
    name: jstring,
    descriptor: jstring,
    flags: jint,
) -> jint {
    contained(site, || {
        let Some(agent) = agent() else { return site };
        // SAFETY: the JVM's pointer, in this thread.
        let jni = unsafe { Jni::new(env) };
        let Some((loader, class)) = identify(agent, declaring) else { return site };
        agent.link(site as u32, loader, &class, jni.text(name), jni.text(descriptor), flags as u16) as jint
    })
}

/// The kind of a collection class: its number, and two paths.
extern "system" fn kind_of(env: *mut JNIEnv, _: jclass, class: jclass) -> jobjectArray {
    contained(null_mut(), || {
        let Some(agent) = agent() else { return null_mut() };
        // SAFETY: the JVM's pointer, in this thread.
        let jni = unsafe { Jni::new(env) };
        let (kind, of, mutex) = agent.kind_of(jni, class);
        let paths = [of, mutex].map(|path| jni.strings(&path.iter().map(String::as_str).collect::<Vec<_>>()));
        match (jni.ints(&[kind]), paths) {
            (Some(kind), [Some(of), Some(mutex)]) => jni.objects(&[kind, of, mutex]).unwrap_or(null_mut()),
            _ => null_mut(),
        }
    })
}

/// The effects at a site for a class: two objects each, fields and numbers.
extern "system" fn describe(env: *mut JNIEnv, _: jclass, site: jint, class: jclass) -> jobjectArray {
    contained(null_mut(), || {
        let Some(agent) = agent() else { return null_mut() };
        // SAFETY: the JVM's pointer, in this thread.
        let jni = unsafe { Jni::new(env) };
        let mut objects = Vec::new();
        for told in agent.effects_at(jni, site as u32, class) {
            let fields: Vec<&str> = told.fields.iter().map(String::as_str).collect();
            let (Some(fields), Some(numbers)) = (jni.strings(&fields), jni.ints(&told.numbers)) else {
                continue;
            };
            objects.extend([fields, numbers]);
        }
        jni.objects(&objects).unwrap_or(null_mut())
    })
}

extern "system" fn hold(env: *mut JNIEnv, _: jclass, object: jobject) -> jboolean {
    // SAFETY: the JVM's pointer, in this thread.
    contained(0, || jboolean::from(unsafe { Jni::new(env) }.hold(object)))
}

extern "system" fn let_go(env: *mut JNIEnv, _: jclass, object: jobject) {
    // SAFETY: the JVM's pointer, in this thread.
    contained((), || unsafe { Jni::new(env) }.let_go(object));
}

extern "system" fn field_number(
    env: *mut JNIEnv,
    _: jclass,
    class: jclass,
    name: jstring,
    descriptor: jstring,
    flags: jint,
) -> jint {
    contained(0, || {
        let Some(agent) = agent() else { return 0 };
        // SAFETY: the JVM's pointer, in this thread.
        let jni = unsafe { Jni::new(env) };
        let Some((loader, class)) = identify(agent, class) else { return 0 };
        agent.field(loader, &class, jni.text(name), jni.text(descriptor), flags as u16) as jint
    })
}

extern "system" fn site_for(_: *mut JNIEnv, _: jclass, site: jint, field: jint) -> jint {
    contained(site, || agent().map_or(site, |agent| agent.site_for_field(site as u32, field as u32) as jint))
}

extern "system" fn site_for_element(_: *mut JNIEnv, _: jclass, site: jint, array: jclass) -> jint {
    contained(site, || {
        let Some(agent) = agent() else { return site };
        let Some((loader, name)) = identify(agent, array) else { return site };
        let class = agent.classes.number(loader, &name);
        agent.site_for_element(site as u32, class, for_people(&name)) as jint
    })
}
