//! Tasks that run one after the other, and some that only look as if they did.

use super::super::SPEC;
use super::none;
use crate::Options;
use crate::on_code::testing::{JDK, subjects};

/// Two tasks that write one field, and what `main` does with them.
fn program(main: &str) -> String {
    format!(
        "{JDK}
        interface java.util.concurrent.Future {{
            method public abstract java.lang.Object get()
            method public abstract boolean cancel(boolean)
        }}
        interface java.util.concurrent.ExecutorService {{
            method public abstract java.util.concurrent.Future submit(java.lang.Runnable)
        }}
        class java.util.concurrent.Executors {{
            method public static java.util.concurrent.ExecutorService newCachedThreadPool() unread
        }}
        interface java.util.concurrent.CompletionStage {{ }}
        class java.util.concurrent.CompletableFuture implements java.util.concurrent.CompletionStage {{
            method public static java.util.concurrent.CompletableFuture runAsync(java.lang.Runnable) unread
            method public java.util.concurrent.CompletableFuture thenRun(java.lang.Runnable) unread
            method public java.util.concurrent.CompletableFuture runAfterEither(java.util.concurrent.CompletionStage, \
                java.lang.Runnable) unread
            method public boolean complete(java.lang.Object) unread
        }}
        class Main {{
            field static int x
            method private static void first() {{ one = 1 putstatic int Main.x = one return }}
            method private static void second() {{ two = 2 putstatic int Main.x = two return }}
            method private static void outer() {{ {SECOND} {LATER} return }}
            method private static void nothing() {{ return }}
            method public static void main(java.lang.String[] args) {{
                zero = 0
                {FIRST}
                {SECOND}
                o = closure void java.lang.Runnable.run() by static void Main.outer() ()
                n = closure void java.lang.Runnable.run() by static void Main.nothing() ()
                {main}
            }}
        }}"
    )
}

const FIRST: &str = "a = closure void java.lang.Runnable.run() by static void Main.first() ()";
const SECOND: &str = "b = closure void java.lang.Runnable.run() by static void Main.second() ()";
const LATER: &str = "l = call static java.util.concurrent.CompletableFuture \
    java.util.concurrent.CompletableFuture.runAsync(java.lang.Runnable)(b)";
const POOL: &str = "pool = call static java.util.concurrent.ExecutorService \
    java.util.concurrent.Executors.newCachedThreadPool()()";
const GET: &str = "v = call interface java.lang.Object java.util.concurrent.Future.get()(f)";

/// Hands a task to the pool.
fn submit(future: &str, task: &str) -> String {
    format!(
        "{future} = call interface java.util.concurrent.Future \
         java.util.concurrent.ExecutorService.submit(java.lang.Runnable)(pool, {task})"
    )
}

fn run_async(future: &str, task: &str) -> String {
    format!(
        "{future} = call static java.util.concurrent.CompletableFuture \
         java.util.concurrent.CompletableFuture.runAsync(java.lang.Runnable)({task})"
    )
}

fn then_run(next: &str, future: &str, task: &str) -> String {
    format!(
        "{next} = call virtual java.util.concurrent.CompletableFuture \
         java.util.concurrent.CompletableFuture.thenRun(java.lang.Runnable)({future}, {task})"
    )
}

fn races(main: &str) {
    assert_eq!(subjects(&SPEC, &Options::default(), &program(main)), ["Main.x"], "{main}");
}

#[test]
fn a_task_that_is_handed_over_when_another_was_waited_for_comes_after_it() {
    let (one, other) = (submit("f", "a"), submit("g", "b"));
    none(&program(&format!("{POOL} {one} {GET} {other} return")));
    races(&format!("{POOL} {one} {other} {GET} return"));
    // Another one was waited for.
    let third = submit("f", "n").replace("f =", "h =");
    races(&format!("{POOL} {one} {third} {} {other} return", GET.replace("(f)", "(h)")));
    // Only on one way.
    races(&format!(
        "{POOL} {one} if zero == 0 then waits else goes waits: {GET} jump goes goes: {other} return"
    ));
}

#[test]
fn who_was_cancelled_may_go_on_when_its_future_is_complete() {
    let (one, other) = (submit("f", "a"), submit("g", "b"));
    let cancel = "c = call interface boolean java.util.concurrent.Future.cancel(boolean)(f, zero)";
    races(&format!("{POOL} {one} {cancel} {GET} {other} return"));
}

#[test]
fn a_stage_comes_after_those_that_lead_to_it() {
    let (one, next) = (run_async("f", "a"), then_run("g", "f", "b"));
    none(&program(&format!("{one} {next} return")));
    // And so does the stage after the next one, and what it hands over itself.
    let chain = format!("{} {}", then_run("g", "f", "n"), then_run("h", "g", "b"));
    none(&program(&format!("{one} {chain} return")));
    none(&program(&format!("{one} {} return", then_run("g", "f", "o"))));
    // A stage of another future does not, nor does one that needs either of two.
    races(&format!("{one} {} {} return", run_async("e", "n"), then_run("g", "e", "b")));
    let either = "g = call virtual java.util.concurrent.CompletableFuture \
        java.util.concurrent.CompletableFuture.runAfterEither(java.util.concurrent.CompletionStage, \
        java.lang.Runnable)(f, e, b)";
    races(&format!("{one} {} {either} return", run_async("e", "n")));
    // Somebody may complete it by hand.
    let complete =
        "c = call virtual boolean java.util.concurrent.CompletableFuture.complete(java.lang.Object)(f, args)";
    races(&format!("{one} {complete} {next} return"));
}
