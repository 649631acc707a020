//! The tables that come with Raddle.

use super::super::*;

fn builtin() -> Models {
    match Models::builtin() {
        Ok(models) => models,
        Err(errors) => panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

#[test]
fn the_built_in_tables_parse_and_print_back() {
    let models = builtin();
    let mut again = Models::empty();
    again.add("printed", &models.to_text()).expect("what is printed can be read");
    assert_eq!(again.to_text(), models.to_text());
    assert_eq!(again.lines(), models.lines());
}

#[test]
fn the_built_in_tables_do_not_contradict_each_other() {
    assert_eq!(builtin().contradictions(), Ok(()));
}

#[test]
fn every_table_file_is_compiled_in() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of tables")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut named: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
    named.sort_unstable();
    assert_eq!(files, named);
}

/// The effects of the built-in call line of a class.
fn says(class: &str, name: &str, descriptor: &str) -> String {
    let models = builtin();
    let lines: Vec<&Line> = models.calls(name, descriptor).filter(|line| *line.class == *class).collect();
    assert_eq!(lines.len(), 1, "{class}.{name}{descriptor}");
    let text = lines[0].to_string();
    text.split_once(": ").map_or(String::new(), |(_, effects)| effects.to_owned())
}

#[test]
fn the_facilities_mean_what_they_should() {
    let locks = "java/util/concurrent/locks";
    assert_eq!(says(&format!("{locks}/ReentrantLock"), "lock", "()V"), "acquire this.sync");
    assert_eq!(
        says(&format!("{locks}/ReentrantReadWriteLock$ReadLock"), "unlock", "()V"),
        "release this.sync read"
    );
    assert_eq!(says("java/util/concurrent/CountDownLatch", "countDown", "()V"), "signal this");
    assert_eq!(
        says("java/util/concurrent/atomic/AtomicInteger", "compareAndSet", "(II)Z"),
        "volatile update this if true"
    );
    assert_eq!(
        says("java/lang/System", "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V"),
        "read array arg0 from arg1 length arg4; write array arg2 from arg3 length arg4"
    );
    // Any descriptor: the call site says what the variable needs.
    assert_eq!(says("java/lang/invoke/VarHandle", "setVolatile", "(La/B;Z)V"), "volatile write handle this");
}

#[test]
fn kinds_of_well_known_classes() {
    let models = builtin();
    let kind = |class: &str| models.kind(class).map(|kind| kind.word);
    assert_eq!(kind("java/util/HashMap"), Some(KindWord::Unsynchronised));
    assert_eq!(kind("java/util/Vector"), Some(KindWord::Synchronised));
    assert_eq!(kind("java/util/concurrent/ConcurrentHashMap"), Some(KindWord::Concurrent));
    assert_eq!(kind("java/lang/String"), Some(KindWord::Immutable));
    assert_eq!(kind("java/util/HashMap$KeySet"), Some(KindWord::Wrapper));
    assert_eq!(kind("java/lang/Object"), None);
}

#[test]
fn tests_are_marked_and_their_frameworks_unwatched() {
    let models = builtin();
    for annotation in ["org/junit/Test", "org/junit/jupiter/api/Test", "org/testng/annotations/Test"] {
        assert!(models.is_marked(Role::Test, annotation));
        assert!(models.is_unwatched(annotation));
    }
    assert!(!models.is_unwatched("com/acme/AccountTest"));
}

#[test]
fn the_examples_of_the_documentation_are_right() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    let page = std::fs::read_to_string(page).expect("docs/models.md");
    let parts: Vec<&str> = page.split("```").collect();
    let tables: Vec<&&str> = parts.iter().skip(1).step_by(2).filter(|part| part.starts_with('\n')).collect();
    assert_eq!(tables.len(), 3);
    for table in tables {
        builtin().add("docs/models.md", table).unwrap_or_else(|errors| panic!("{}\n{table}", errors[0]));
    }
}
