//! What frameworks, launchers and a library's users call: which roots there are, who makes the receivers, and what is
//! reached behind their fields. Programs in text form; the frameworks' classes are missing.

use events::models::Models;
use program::points::{Points, RootKind, World};
use program::{Program, Sharing};

const OBJECT: &str = "class java.lang.Object extends nothing { method public void <init>() unread } ";
const COUNTER: &str = "class Counter { field int x
    method void <init>() { call special void java.lang.Object.<init>()(this) return }
    method void inc() { v = get int Counter.x of this put int Counter.x of this = v return } } ";

/// Members of a class that makes a counter when it is made.
const HOLDS: &str = "field private final Counter c
    method public void <init>() { call special void java.lang.Object.<init>()(this) n = new Counter
        call special void Counter.<init>()(n) put Counter Here.c of this = n return } ";
const INC: &str = "c = get Counter Here.c of this call virtual void Counter.inc()(c)";

struct Told {
    program: Program,
    points: Points,
    sharing: Sharing,
}

impl Told {
    fn new(text: &str) -> Told {
        let text = format!("{OBJECT}{COUNTER}{text}");
        for class in program::ir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")) {
            assert_eq!(program::ir::verify(&class), [], "in\n{text}");
        }
        let program = Program::from_text(&text).expect("a program");
        let points = Points::new(&program, &Models::builtin().expect("they parse"), World::Guess);
        let sharing = Sharing::new(&program, &points);
        Told { program, points, sharing }
    }

    fn reaches(&self, class: &str, name: &str) -> bool {
        let class = self.program.class(self.program.class_named(class).expect(class));
        let mut named = class.methods().filter(|method| self.program.names_of(*method).0 == name);
        named.any(|method| self.points.is_reached(method))
    }

    /// May the counter's field be shared in `inc`?
    fn shares(&self) -> bool {
        let inc = self.program.method_named("Counter", "inc", "()V").expect("inc");
        self.sharing.maybe_shared(&self.program, &self.points, inc, 0)
    }

    /// The kinds of roots by name.
    fn roots(&self) -> Vec<(&str, RootKind)> {
        let roots = self.points.roots().iter();
        let mut roots: Vec<_> = roots.map(|root| (self.program.names_of(root.method).0, root.kind)).collect();
        roots.sort_unstable();
        roots
    }
}

#[test]
fn a_servlet_is_made_once_and_what_it_holds_is_shared() {
    let told = Told::new(&format!(
        "class Here extends javax.servlet.http.HttpServlet {{ {HOLDS}
            field private Counter late
            method public void init() {{ n = new Counter call special void Counter.<init>()(n)
                put Counter Here.late of this = n return }}
            method protected void doGet(javax.servlet.http.HttpServletRequest q, javax.servlet.http.HttpServletResponse a) {{
                {INC} l = get Counter Here.late of this call virtual void Counter.inc()(l) return }} }}"
    ));
    let made = ("<init>", RootKind::Main);
    assert_eq!(told.roots(), [made, ("doGet", RootKind::Entry), ("init", RootKind::Main)]);
    assert!(told.reaches("Counter", "inc") && told.shares());
    let get = told.points.roots().iter().find(|root| root.kind == RootKind::Entry).expect("an entry");
    let calls = told.points.targets_of(get.method).count();
    assert_eq!(calls, 2, "of what the constructor and what init has set");
}

#[test]
fn what_runs_by_the_clock_gets_what_is_put_into_its_fields() {
    let told = Told::new(
        "class Here { @org.springframework.beans.factory.annotation.Autowired field private Service s
            method public void <init>() { call special void java.lang.Object.<init>()(this) return }
            @org.springframework.scheduling.annotation.Scheduled
            method public void tick() { s = get Service Here.s of this call interface void Service.work()(s) return } }
        interface Service { method public abstract void work() }
        class Impl implements Service { field private final Counter c
            @javax.inject.Inject
            method void <init>(Counter c) { call special void java.lang.Object.<init>()(this)
                put Counter Impl.c of this = c return }
            method private void <init>() { call special void java.lang.Object.<init>()(this) return }
            method public void work() { c = get Counter Impl.c of this call virtual void Counter.inc()(c) return } }",
    );
    assert!(told.reaches("Impl", "work") && told.reaches("Counter", "inc") && told.shares());
    let private = told.program.method_named("Impl", "<init>", "()V").expect("a constructor");
    assert!(!told.points.is_reached(private), "the framework is told which one to take");
    assert!(told.roots().contains(&("tick", RootKind::Entry)));
}

#[test]
fn a_message_listener_gets_what_setters_and_producers_give() {
    let told = Told::new(
        "class Here implements javax.jms.MessageListener { field private Counter c
            method public void <init>() { call special void java.lang.Object.<init>()(this) return }
            @javax.annotation.Resource
            method public void take(Counter given) { put Counter Here.c of this = given return }
            method public void onMessage(javax.jms.Message m) {
                c = get Counter Here.c of this call virtual void Counter.inc()(c) return } }
        class Setup { method void <init>() { call special void java.lang.Object.<init>()(this) return }
            @org.springframework.context.annotation.Bean
            method Counter counter() { n = new Counter call special void Counter.<init>()(n) return n } }",
    );
    assert!(told.shares());
    let inc = told.program.method_named("Counter", "inc", "()V").expect("inc");
    let this = told.points.of(inc, program::ir::Reg(0)).expect("it is reached");
    let makers: Vec<_> = this.iter().map(|object| told.points.object(object).made).collect();
    assert!(makers.contains(&program::points::Made::New), "what the producer made: {makers:?}");
    assert!(told.roots().contains(&("onMessage", RootKind::Entry)));
}

#[test]
fn what_is_made_for_each_call_is_made_by_its_callers() {
    let text = |say: &str| {
        format!(
            "{say} class Here {{ {HOLDS} @javax.ws.rs.GET method public void list() {{ {INC} return }} }}"
        )
    };
    assert_eq!(Told::new(&text("")).roots(), [("<init>", RootKind::Entry), ("list", RootKind::Entry)]);
    let once = Told::new(&text("@javax.inject.Singleton"));
    assert_eq!(once.roots(), [("<init>", RootKind::Main), ("list", RootKind::Entry)]);
}

#[test]
fn a_test_has_what_its_fields_were_set_to() {
    let told = Told::new(&format!(
        "class Here {{ {HOLDS} @org.junit.Test method public void works() {{ {INC} return }} }}"
    ));
    assert_eq!(told.roots(), [("<init>", RootKind::Main), ("works", RootKind::Main)]);
    assert!(told.reaches("Counter", "inc") && !told.shares());
}

#[test]
fn what_a_library_hands_out_comes_back_to_it() {
    let told = Told::new(&format!(
        "public class Here {{ field private final Counter c
            method void <init>(Counter c) {{ call special void java.lang.Object.<init>()(this)
                put Counter Here.c of this = c return }}
            method public static Here create() {{ n = new Counter call special void Counter.<init>()(n)
                h = new Here call special void Here.<init>(Counter)(h, n) return h }}
            method public void use() {{ {INC} return }} }}"
    ));
    assert!(told.reaches("Counter", "inc") && told.shares());
}

#[test]
fn an_abstract_class_of_a_library_has_objects_of_its_users_classes() {
    let told = Told::new(&format!(
        "public abstract class Here {{ {HOLDS} method public void use() {{ {INC} return }} }}"
    ));
    assert!(told.reaches("Counter", "inc") && told.shares());
}

#[test]
fn a_main_needs_neither_static_nor_arguments() {
    let text = |main: &str| format!("class Here {{ {HOLDS} method {main} {{ return }} }}");
    for main in ["static void main()", "void main(java.lang.String[] args)", "void main()"] {
        let told = Told::new(&text(main));
        assert!(told.roots().contains(&("main", RootKind::Main)), "{main}: {:?}", told.roots());
    }
    // An older one is meant where there is any; a private one is none; that with arguments is taken.
    let library = Told::new(&text("private void main()").replace("class Here", "public class Here"));
    assert_eq!(library.roots(), [("<init>", RootKind::Public)]);
    let both = "class Here { method static void main(java.lang.String[] a) { return } method static void main() { return } }";
    assert_eq!(Told::new(both).roots().len(), 1);
}

#[test]
fn constructors_that_need_each_other_in_a_long_chain_are_all_run() {
    let mut text =
        "class Here { @a.Inject field C0 c @a.Scheduled method void tick() { return } } ".to_owned();
    for number in 0..20_000 {
        let next = number + 1;
        text += &format!(
            "class C{number} {{ method public void <init>(C{next} n) {{ \
             call special void java.lang.Object.<init>()(this) return }} }} "
        );
    }
    text += "class C20000 { method public void <init>() { call special void java.lang.Object.<init>()(this) return } }";
    assert!(Told::new(&text).reaches("C20000", "<init>"));
}

#[test]
fn closures_of_closures_of_closures_do_not_use_up_the_stack() {
    let mut text = "interface java.lang.Runnable { method public abstract void run() } \
        class Go implements java.lang.Runnable { method void <init>() { return } method public void run() { return } } \
        class Main { method public static void main(java.lang.String[] a) { c0 = new Go call special void Go.<init>()(c0) "
        .to_owned();
    for number in 0..50_000 {
        text += &format!(
            "c{} = closure void java.lang.Runnable.run() by interface void java.lang.Runnable.run() (c{number}) ",
            number + 1
        );
    }
    text += "call interface void java.lang.Runnable.run()(c50000) return } }";
    assert!(Told::new(&text).reaches("Go", "run"));
}
