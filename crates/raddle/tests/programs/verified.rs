//! The agent as it is, in JVMs that verify every class: what it does to classes of the JDK, also to those that were there
//! before it (Thread, Reflection), and to libraries passes the verifier. `crates/instrument/tests/link.rs` has more classes
//! with a stand-in for the probe.

use std::fs;

use crate::harmless::{classes, javas, unchanged};
use crate::{jars, scratch};

#[test]
fn classes_link_under_full_verification_as_they_do_alone() {
    let libraries = format!("{}:{}", jars("jars"), jars("more-jars"));
    for (number, java) in javas().iter().enumerate() {
        // Verification of every class, into a file: the JVM's standard output is the program's.
        let log = scratch("verified").join("log");
        let option = format!("-Xlog:class+init=info:file={}", log.display());
        let path = format!("{}:{libraries}", classes());
        let step = if number == 0 { "40" } else { "160" };
        let mut args = vec!["-Xverify:all", &option, "-cp", &path, "Links", step];
        args.extend(libraries.split(':'));
        let linked = unchanged(java, &args);
        // It was the last to write its log.
        let log = fs::read_to_string(&log).expect("the JVM's log");
        let verified = |name: &str| log.contains(&format!("Start class verification for: {name}\n"));
        let mut patched = vec![
            "java.lang.Thread",
            "jdk.internal.reflect.Reflection",
            "java.util.concurrent.locks.ReentrantLock",
            "java.util.concurrent.ConcurrentHashMap",
            "com.google.common.collect.ImmutableList",
        ];
        if number > 0 {
            patched.push("java.lang.VirtualThread");
        }
        for name in patched {
            assert!(verified(name), "{java}: {name} was not verified");
        }
        let count = log.matches("Start class verification for: ").count();
        let lines = linked.out.lines().count();
        let failed =
            linked.out.lines().filter(|line| line.contains("Error") || line.contains("needs")).count();
        println!("{java}: {lines} classes told, {failed} do not link, {count} verifications");
        assert!(lines > 2_500 && count > lines * 9 / 10 && failed * 20 < lines, "{java}: {}", linked.err);
        assert!(linked.report["coverage"]["classes_woven"].as_u64() > Some(100), "{}", linked.err);
        assert_eq!(linked.report["gaps"].as_array().map(Vec::len), Some(0), "{}", linked.err);
    }
}
