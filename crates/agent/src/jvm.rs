//! A thin facade over JVMTI and JNI: only what the agent needs, errors as `Option` or `Result`, nothing that unwinds.
//!
//! Every function here is called in a thread of the JVM with the environment that the JVM handed over.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use jvmti_bindings::sys::jni::JNINativeMethod;
pub use jvmti_bindings::sys::jni::{
    JNIEnv, JavaVM, jboolean, jclass, jint, jintArray, jlong, jobject, jobjectArray, jstring, jvalue,
};
pub use jvmti_bindings::sys::jni::{jfieldID, jmethodID};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_HEAP_FILTER_CLASS_UNTAGGED, JVMTI_HEAP_REFERENCE_FIELD, JVMTI_PRIMITIVE_TYPE_LONG,
    JVMTI_VERSION_11, jvmtiError, jvmtiFrameInfo, jvmtiHeapCallbacks, jvmtiHeapReferenceInfo,
    jvmtiHeapReferenceKind, jvmtiInterface_1_, jvmtiLineNumberEntry, jvmtiPrimitiveType,
};
pub use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_VM_DEATH,
    JVMTI_EVENT_VM_INIT,
};
pub use jvmti_bindings::sys::jvmti::{jvmtiCapabilities, jvmtiEnv, jvmtiEvent, jvmtiEventCallbacks};

/// The tool interface of this JVM.
#[derive(Clone, Copy)]
pub struct Jvmti(*mut jvmtiEnv);

// SAFETY: a JVMTI environment may be used by any thread of the JVM.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// What went wrong, in the JVM's words.
#[derive(Clone, Debug)]
pub struct Failed(pub String);

/// The name in a class's signature: `Ledger` of `LLedger;`. Only the first letter belongs to the signature.
pub fn class_name(signature: &str) -> &str {
    let name = signature.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
    name.unwrap_or(signature)
}

fn checked(error: jvmtiError) -> Result<(), Failed> {
    if error == jvmtiError::NONE { Ok(()) } else { Err(Failed(format!("{error:?}"))) }
}

/// Calls a function of the table; a JVM that lacks it is an error.
macro_rules! call {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        match $self.table().$name {
            // SAFETY: the table is the JVM's, and the arguments are as the interface asks.
            Some(function) => checked(unsafe { function($self.0, $($argument),*) }),
            None => Err(Failed("not there".to_owned())),
        }
    };
}

/// A field that [`Jvmti::each_long`] has met.
unsafe extern "system" fn on_field(
    kind: jvmtiHeapReferenceKind,
    _: *const jvmtiHeapReferenceInfo,
    _: jlong,
    _: *mut jlong,
    value: jvalue,
    of: jvmtiPrimitiveType,
    user: *mut c_void,
) -> jint {
    if kind == JVMTI_HEAP_REFERENCE_FIELD && of == JVMTI_PRIMITIVE_TYPE_LONG && !user.is_null() {
        // SAFETY: what `each_long` handed over, which waits for the walk to end; the value is a long, as its type says.
        unsafe { (*user.cast::<&mut dyn FnMut(i64)>())(value.j) };
    }
    // Go on.
    0
}

/// What a method is called.
pub struct Called {
    /// `com/acme/Account`.
    pub class: String,
    /// Name and descriptor.
    pub method: String,
    /// The source file; empty where it is not known.
    pub file: String,
    /// Places in the code and their lines, ascending.
    lines: Vec<(i64, i32)>,
}

impl Called {
    /// The line of a place in the code; 0 where it is not known.
    pub fn line(&self, place: i64) -> u32 {
        let at = self.lines.partition_point(|(start, _)| *start <= place);
        let line = at.checked_sub(1).and_then(|at| self.lines.get(at)).map_or(0, |(_, line)| *line);
        u32::try_from(line).unwrap_or(0)
    }
}

impl Jvmti {
    /// Asks the JVM for its tool interface.
    ///
    /// # Safety
    /// `vm` is the pointer that the JVM handed to the agent.
    pub unsafe fn new(vm: *mut JavaVM) -> Option<Self> {
        let mut env: *mut c_void = null_mut();
        // SAFETY: the caller's promise.
        let got = unsafe { ((**vm).GetEnv)(vm, &raw mut env, JVMTI_VERSION_11) };
        (got == 0 && !env.is_null()).then_some(Self(env.cast()))
    }

    fn table(&self) -> &jvmtiInterface_1_ {
        // SAFETY: the environment and its table live as long as the JVM.
        unsafe { &*(*self.0).functions }
    }

    pub fn add_capabilities(&self, capabilities: &jvmtiCapabilities) -> Result<(), Failed> {
        call!(self.AddCapabilities(capabilities))
    }

    pub fn set_callbacks(&self, callbacks: &jvmtiEventCallbacks) -> Result<(), Failed> {
        call!(self.SetEventCallbacks(callbacks, size_of::<jvmtiEventCallbacks>() as jint))
    }

    pub fn enable(&self, event: jvmtiEvent) -> Result<(), Failed> {
        call!(self.SetEventNotificationMode(JVMTI_ENABLE, event, null_mut()))
    }

    /// A copy of these bytes in memory that the JVM may free.
    pub fn allocate(&self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory: *mut u8 = null_mut();
        call!(self.Allocate(bytes.len() as jlong, &raw mut memory)).ok()?;
        // SAFETY: fresh memory of that length.
        unsafe { memory.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Some(memory)
    }

    fn take_string(&self, text: *mut c_char) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: a string of the JVM's, freed below.
        let copied = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        let _ = call!(self.Deallocate(text.cast()));
        Some(copied)
    }

    /// `Lcom/acme/Account;`, `[I`.
    pub fn signature(&self, class: jclass) -> Option<String> {
        let mut text: *mut c_char = null_mut();
        call!(self.GetClassSignature(class, &raw mut text, null_mut())).ok()?;
        self.take_string(text)
    }

    pub fn loader(&self, class: jclass) -> Option<jobject> {
        let mut loader: jobject = null_mut();
        call!(self.GetClassLoader(class, &raw mut loader)).ok()?;
        Some(loader)
    }

    /// The calls on the current thread's stack, innermost first: methods, and places in them. The thread is named, since
    /// for one that is not the JVM waits until no virtual thread is being mounted anywhere.
    pub fn calls(&self, current: jobject, most: usize) -> Vec<(jmethodID, i64)> {
        let mut frames = vec![jvmtiFrameInfo { method: null_mut(), location: 0 }; most];
        let mut count: jint = 0;
        let got = call!(self.GetStackTrace(current, 0, most as jint, frames.as_mut_ptr(), &raw mut count));
        frames.truncate(if got.is_ok() { count.max(0) as usize } else { 0 });
        frames.iter().map(|frame| (frame.method, frame.location)).collect()
    }

    /// What a method is called.
    pub fn called(&self, method: jmethodID) -> Option<Called> {
        let (mut name, mut descriptor): (*mut c_char, *mut c_char) = (null_mut(), null_mut());
        call!(self.GetMethodName(method, &raw mut name, &raw mut descriptor, null_mut())).ok()?;
        let (name, descriptor) = (self.take_string(name)?, self.take_string(descriptor)?);
        let mut class: jclass = null_mut();
        call!(self.GetMethodDeclaringClass(method, &raw mut class)).ok()?;
        let signature = self.signature(class)?;
        let mut file: *mut c_char = null_mut();
        let file = match call!(self.GetSourceFileName(class, &raw mut file)) {
            Ok(()) => self.take_string(file).unwrap_or_default(),
            Err(_) => String::new(),
        };
        let (mut count, mut table): (jint, *mut jvmtiLineNumberEntry) = (0, null_mut());
        let mut lines = Vec::new();
        if call!(self.GetLineNumberTable(method, &raw mut count, &raw mut table)).is_ok() && !table.is_null()
        {
            // SAFETY: an array of that length, freed below.
            let entries = unsafe { std::slice::from_raw_parts(table, count.max(0) as usize) };
            lines.extend(entries.iter().map(|entry| (entry.start_location, entry.line_number)));
            let _ = call!(self.Deallocate(table.cast()));
        }
        lines.sort_unstable();
        let class = class_name(&signature).to_owned();
        Some(Called { class, method: name + &descriptor, file, lines })
    }

    /// A property of the JVM's.
    pub fn property(&self, name: &CStr) -> Option<String> {
        let mut text: *mut c_char = null_mut();
        call!(self.GetSystemProperty(name.as_ptr(), &raw mut text)).ok()?;
        self.take_string(text)
    }

    /// The tag of an object; 0 for none.
    pub fn tag(&self, object: jobject) -> i64 {
        let mut tag = 0;
        let _ = call!(self.GetTag(object, &raw mut tag));
        tag
    }

    pub fn set_tag(&self, object: jobject, tag: i64) {
        let _ = call!(self.SetTag(object, tag));
    }

    /// Walks through all objects of classes that have a tag, and hands over what is in their fields of type `long`. The
    /// program stands still meanwhile. False if that is not possible.
    pub fn each_long(&self, mut each: &mut dyn FnMut(i64)) -> bool {
        let callbacks =
            jvmtiHeapCallbacks { primitive_field_callback: Some(on_field), ..jvmtiHeapCallbacks::default() };
        let user: *const c_void = (&raw mut each).cast();
        call!(self.IterateThroughHeap(
            JVMTI_HEAP_FILTER_CLASS_UNTAGGED,
            null_mut(),
            &raw const callbacks,
            user
        ))
        .is_ok()
    }

    pub fn loaded_classes(&self) -> Vec<jclass> {
        let (mut count, mut classes): (jint, *mut jclass) = (0, null_mut());
        if call!(self.GetLoadedClasses(&raw mut count, &raw mut classes)).is_err() || classes.is_null() {
            return Vec::new();
        }
        // SAFETY: an array of that length, freed below.
        let list = unsafe { std::slice::from_raw_parts(classes, count.max(0) as usize) }.to_vec();
        let _ = call!(self.Deallocate(classes.cast()));
        list
    }

    /// The class that declares a field which another one has.
    pub fn field_declaring(&self, class: jclass, field: jfieldID) -> Option<jclass> {
        let mut declaring: jclass = null_mut();
        call!(self.GetFieldDeclaringClass(class, field, &raw mut declaring)).ok()?;
        (!declaring.is_null()).then_some(declaring)
    }

    /// The access flags of a field.
    pub fn field_flags(&self, declaring: jclass, field: jfieldID) -> Option<u16> {
        let mut flags: jint = 0;
        call!(self.GetFieldModifiers(declaring, field, &raw mut flags)).ok()?;
        Some(flags as u16)
    }

    /// The interfaces that a class names itself.
    pub fn interfaces(&self, class: jclass) -> Vec<jclass> {
        let (mut count, mut classes): (jint, *mut jclass) = (0, null_mut());
        if call!(self.GetImplementedInterfaces(class, &raw mut count, &raw mut classes)).is_err()
            || classes.is_null()
        {
            return Vec::new();
        }
        // SAFETY: an array of that length, freed below.
        let list = unsafe { std::slice::from_raw_parts(classes, count.max(0) as usize) }.to_vec();
        let _ = call!(self.Deallocate(classes.cast()));
        list
    }

    pub fn retransform(&self, classes: &[jclass]) -> Result<(), Failed> {
        call!(self.RetransformClasses(classes.len() as jint, classes.as_ptr()))
    }

    pub fn add_module_exports(&self, module: jobject, package: &CStr, to: jobject) -> Result<(), Failed> {
        call!(self.AddModuleExports(module, package.as_ptr(), to))
    }

    pub fn add_module_reads(&self, module: jobject, to: jobject) -> Result<(), Failed> {
        call!(self.AddModuleReads(module, to))
    }
}

/// The Java side of the current thread.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

/// Calls a function of the table.
macro_rules! jni {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        // SAFETY: the environment is the current thread's, and the arguments are as JNI asks.
        unsafe { ((**$self.0).$name)($self.0, $($argument),*) }
    };
}

impl Jni {
    /// # Safety
    /// `env` is what the JVM handed to the current thread.
    pub unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// Whether a call has thrown; forgets it.
    pub fn forget_exception(self) -> bool {
        let thrown = jni!(self.ExceptionCheck()) != 0;
        if thrown {
            jni!(self.ExceptionClear());
        }
        thrown
    }

    fn some(self, object: jobject) -> Option<jobject> {
        let thrown = self.forget_exception();
        (!object.is_null() && !thrown).then_some(object)
    }

    /// Defines a class in the boot loader.
    pub fn define(self, name: &str, bytes: &[u8]) -> Option<jclass> {
        let name = CString::new(name).ok()?;
        self.some(jni!(self.DefineClass(
            name.as_ptr(),
            null_mut(),
            bytes.as_ptr().cast(),
            bytes.len() as jint
        )))
    }

    pub fn find(self, name: &CStr) -> Option<jclass> {
        self.some(jni!(self.FindClass(name.as_ptr())))
    }

    pub fn register(self, class: jclass, methods: &[(&CStr, &CStr, *mut c_void)]) -> bool {
        let methods: Vec<JNINativeMethod> = methods
            .iter()
            .map(|&(name, signature, function)| JNINativeMethod {
                name: name.as_ptr(),
                signature: signature.as_ptr(),
                fnPtr: function,
            })
            .collect();
        let registered = jni!(self.RegisterNatives(class, methods.as_ptr(), methods.len() as jint));
        !self.forget_exception() && registered == 0
    }

    pub fn method(self, class: jclass, name: &CStr, signature: &CStr) -> Option<jmethodID> {
        let method = jni!(self.GetMethodID(class, name.as_ptr(), signature.as_ptr()));
        (!self.forget_exception() && !method.is_null()).then_some(method)
    }

    pub fn static_method(self, class: jclass, name: &CStr, signature: &CStr) -> Option<jmethodID> {
        let method = jni!(self.GetStaticMethodID(class, name.as_ptr(), signature.as_ptr()));
        (!self.forget_exception() && !method.is_null()).then_some(method)
    }

    /// A field of objects, which the class may have inherited.
    pub fn field(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<jfieldID> {
        let field = jni!(self.GetFieldID(class, name.as_ptr(), descriptor.as_ptr()));
        (!self.forget_exception() && !field.is_null()).then_some(field)
    }

    /// A static field, which the class may have inherited.
    pub fn static_field(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<jfieldID> {
        let field = jni!(self.GetStaticFieldID(class, name.as_ptr(), descriptor.as_ptr()));
        (!self.forget_exception() && !field.is_null()).then_some(field)
    }

    /// What is in a static field.
    pub fn static_int(self, class: jclass, field: jfieldID) -> i32 {
        jni!(self.GetStaticIntField(class, field))
    }

    /// Calls a method without arguments that returns an object.
    pub fn get(self, object: jobject, method: jmethodID) -> Option<jobject> {
        self.some(jni!(self.CallObjectMethodA(object, method, null())))
    }

    /// Calls a static method with one object.
    pub fn tell(self, class: jclass, method: jmethodID, object: jobject) {
        let argument = jvalue { l: object };
        jni!(self.CallStaticVoidMethodA(class, method, &raw const argument));
        self.forget_exception();
    }

    /// Calls a static method with two objects.
    pub fn tell_both(self, class: jclass, method: jmethodID, one: jobject, other: jobject) {
        let arguments = [jvalue { l: one }, jvalue { l: other }];
        jni!(self.CallStaticVoidMethodA(class, method, arguments.as_ptr()));
        self.forget_exception();
    }

    /// Calls a static method without arguments; false if it throws.
    pub fn run(self, class: jclass, method: jmethodID) -> bool {
        jni!(self.CallStaticVoidMethodA(class, method, null()));
        !self.forget_exception()
    }

    /// Calls a static method without arguments that returns an object.
    pub fn get_static(self, class: jclass, method: jmethodID) -> Option<jobject> {
        self.some(jni!(self.CallStaticObjectMethodA(class, method, null())))
    }

    pub fn global(self, object: jobject) -> jobject {
        jni!(self.NewGlobalRef(object))
    }

    pub fn same(self, a: jobject, b: jobject) -> bool {
        jni!(self.IsSameObject(a, b)) != 0
    }

    pub fn superclass(self, class: jclass) -> Option<jclass> {
        self.some(jni!(self.GetSuperclass(class)))
    }

    /// The text of a Java string.
    pub fn text(self, string: jstring) -> String {
        if string.is_null() {
            return String::new();
        }
        let chars = jni!(self.GetStringUTFChars(string, null_mut()));
        if chars.is_null() {
            self.forget_exception();
            return String::new();
        }
        // SAFETY: the JVM's own copy, given back below.
        let text = unsafe { CStr::from_ptr(chars) }.to_string_lossy().into_owned();
        jni!(self.ReleaseStringUTFChars(string, chars));
        text
    }

    pub fn string(self, text: &str) -> Option<jstring> {
        let text = CString::new(text).ok()?;
        self.some(jni!(self.NewStringUTF(text.as_ptr())))
    }

    pub fn strings(self, texts: &[&str]) -> Option<jobjectArray> {
        let class = self.find(c"java/lang/String")?;
        let array = self.some(jni!(self.NewObjectArray(texts.len() as jint, class, null_mut())))?;
        for (i, text) in texts.iter().enumerate() {
            jni!(self.SetObjectArrayElement(array, i as jint, self.string(text)?));
        }
        (!self.forget_exception()).then_some(array)
    }

    pub fn ints(self, ints: &[i32]) -> Option<jintArray> {
        let array = self.some(jni!(self.NewIntArray(ints.len() as jint)))?;
        self.put_ints(array, ints);
        Some(array)
    }

    pub fn longs(self, longs: &[i64]) -> Option<jobject> {
        let count = jint::try_from(longs.len()).ok()?;
        let array = self.some(jni!(self.NewLongArray(count)))?;
        jni!(self.SetLongArrayRegion(array, 0, count, longs.as_ptr()));
        Some(array)
    }

    pub fn objects(self, objects: &[jobject]) -> Option<jobjectArray> {
        let class = self.find(c"java/lang/Object")?;
        let array = self.some(jni!(self.NewObjectArray(objects.len() as jint, class, null_mut())))?;
        for (i, object) in objects.iter().enumerate() {
            jni!(self.SetObjectArrayElement(array, i as jint, *object));
        }
        (!self.forget_exception()).then_some(array)
    }

    /// Enters an object's monitor; false if that failed.
    pub fn hold(self, object: jobject) -> bool {
        let held = jni!(self.MonitorEnter(object)) == 0;
        self.forget_exception();
        held
    }

    pub fn let_go(self, object: jobject) {
        jni!(self.MonitorExit(object));
        self.forget_exception();
    }

    pub fn put_ints(self, array: jintArray, ints: &[i32]) {
        jni!(self.SetIntArrayRegion(array, 0, ints.len() as jint, ints.as_ptr()));
        self.forget_exception();
    }
}
