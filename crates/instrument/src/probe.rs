//! The methods of `raddle/rt/Probe` that woven code calls. All are static; none may throw.

use classfile::{Pool, Result, Snippet, op};

/// The class that woven code calls.
pub const CLASS: &[u8] = b"raddle/rt/Probe";

/// A method of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
}

macro_rules! methods {
    ($($(#[$doc:meta])* $constant:ident = $name:literal $descriptor:literal;)+) => {
        /// The methods by number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Probe { $($(#[$doc])* $constant),+ }

        /// Every method that woven code may call.
        pub const METHODS: &[Method] = &[$(Method { name: $name, descriptor: $descriptor }),+];
    };
}

methods! {
    /// Has this thread told reads of the static field often enough, as the shadow word says? The second argument is where in
    /// the word the field's bits are.
    KnowsRead = "knowsRead" "(JI)Z";
    /// The same for writes.
    KnowsWrite = "knowsWrite" "(JI)Z";
    /// A read whose shadow word is not up to date, with the site and where the bits are; gives the new word.
    Read = "read" "(Ljava/lang/Object;JII)J";
    /// A write, likewise.
    Write = "write" "(Ljava/lang/Object;JII)J";
    /// A read without a shadow word. After the read, since the field may turn out to be volatile.
    ReadAny = "readAny" "(Ljava/lang/Object;I)V";
    /// A read that is told each time, after it.
    ReadAlways = "readAlways" "(Ljava/lang/Object;I)V";
    /// A write without a shadow word, before it.
    WriteAny = "writeAny" "(Ljava/lang/Object;I)V";
    /// A field of an object is read: what is to be told is found out when it is first run. After the read, if the field is of
    /// another class.
    ReadField = "readField" "(Ljava/lang/Object;I)V";
    /// Before one is written.
    WriteField = "writeField" "(Ljava/lang/Object;I)V";
    /// Before an element is read.
    ArrayRead = "arrayRead" "(Ljava/lang/Object;II)V";
    /// Before an element is written.
    ArrayWrite = "arrayWrite" "(Ljava/lang/Object;II)V";
    /// After a loop has accessed elements of an array: the first, and the one behind the last. Nothing if there is none.
    ArrayRange = "arrayRange" "(Ljava/lang/Object;III)V";
    /// The same for elements that do not follow one another: the first, the one that would come next, and the step.
    ArraySteps = "arraySteps" "(Ljava/lang/Object;IIII)V";
    /// After the read; null for statics.
    VolatileRead = "volatileRead" "(Ljava/lang/Object;I)V";
    /// Before the write.
    VolatileWrite = "volatileWrite" "(Ljava/lang/Object;I)V";
    /// Before a monitor is entered: overflows the stack if a later call could.
    Room = "room" "()V";
    /// After a monitor was entered.
    Enter = "enter" "(Ljava/lang/Object;I)V";
    /// Before a monitor is left.
    Exit = "exit" "(Ljava/lang/Object;I)V";
    /// A block begins.
    Begin = "begin" "(I)V";
    /// A block ends.
    Finish = "finish" "(I)V";
    /// The end of a constructor of a class with final fields.
    Freeze = "freeze" "(Ljava/lang/Object;I)V";
    /// The end of a constructor of a class with a finalizer.
    Orders = "orders" "(Ljava/lang/Object;I)V";
    /// The begin of a finalizer.
    Finalizes = "finalizes" "(Ljava/lang/Object;I)V";
    /// The end of a constructor of a class above which there may be a finalizer.
    Made = "made" "(Ljava/lang/Object;I)V";
    /// The end of a class's initialisation.
    Initialised = "initialised" "(Ljava/lang/Class;I)V";
    /// The class, named by the site, is used: it was initialised before.
    Uses = "uses" "(I)V";
    /// An effect of a model line: receiver (null: the line holds), target, value. Site 0: nothing.
    Effect = "effect" "(Ljava/lang/Object;Ljava/lang/Object;JI)V";
    /// Array elements: receiver, array, first, one past the last.
    EffectRange = "effectRange" "(Ljava/lang/Object;Ljava/lang/Object;III)V";
    /// A variable reached by a handle: who decides, handle, base, index, value.
    EffectHandle = "effectHandle" "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;IJI)V";
    /// 0 for null, 1 for an object.
    Bit = "bit" "(Ljava/lang/Object;)J";
    /// After an object was cloned: the copy, and what it was copied from.
    Cloned = "cloned" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// A watched value was read, or is about to be used.
    Flow = "flow" "(I)V";
    /// The same where no lock puts it in its place among what other threads do: around a call.
    FlowNow = "flowNow" "(I)V";
    /// A test begins.
    Mark = "mark" "(Ljava/lang/String;I)V";
    /// A method runs that the plan holds for unused; its name.
    Unplanned = "unplanned" "(Ljava/lang/String;)V";
    /// Links an access to a static field of another class.
    Link = "link" "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/Class;Ljava/lang/String;I)Ljava/lang/invoke/CallSite;";
}

/// The probe's methods in one class: constants and calls, made when first used.
pub(crate) struct Probes {
    indices: [u16; METHODS.len()],
    calls: [Snippet; METHODS.len()],
}

impl Default for Probes {
    fn default() -> Self {
        Self { indices: [0; METHODS.len()], calls: std::array::from_fn(|_| Snippet::default()) }
    }
}

impl Probes {
    /// The index of the method's constant.
    pub fn index(&mut self, pool: &mut Pool<'_>, probe: Probe) -> Result<u16> {
        let (Some(place), Some(method)) = (self.indices.get_mut(probe as usize), METHODS.get(probe as usize))
        else {
            return Ok(0); // the two tables are of one length
        };
        if *place == 0 {
            *place = pool.add_method_ref(CLASS, method.name.as_bytes(), method.descriptor.as_bytes())?;
        }
        Ok(*place)
    }

    /// Appends the call.
    pub fn call(&mut self, pool: &mut Pool<'_>, to: &mut Snippet, probe: Probe) -> Result<()> {
        if self.calls.get(probe as usize).is_none_or(Snippet::is_empty) {
            let index = self.index(pool, probe)?;
            if let (Some(call), Some(method)) =
                (self.calls.get_mut(probe as usize), METHODS.get(probe as usize))
            {
                call.invoke_at(op::INVOKESTATIC, index, method.descriptor.as_bytes())?;
            }
        }
        if let Some(call) = self.calls.get(probe as usize) {
            to.append(call);
        }
        Ok(())
    }
}
