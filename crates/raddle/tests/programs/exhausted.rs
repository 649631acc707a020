//! Memory that has run out: an error for want of it is the program's own, and what could not be recorded is told.

use crate::harmless::{javas, unchanged};
use crate::{files, java_sources, javac, scratch, watch};

#[test]
fn a_program_that_fills_its_memory_and_goes_on_does_so_watched() {
    let classes = scratch("fills");
    javac(&files(&java_sources("exhausted")), "", &classes);
    let classes = classes.display().to_string();
    for java in javas() {
        // G1 leaves not a byte in such a heap, and the JVM needs some before it asks anybody how to link an access.
        // The second is the smallest block that memory is filled with, in longs. Parallel would refuse memory by the clock too:
        // what there is, to whoever asks next, if collecting took long, as it does on a loaded machine.
        for (collector, least) in [("-XX:+UseSerialGC", "128"), ("-XX:+UseParallelGC", "8192")] {
            let limit = "-XX:-UseGCOverheadLimit";
            let watched = unchanged(&java, &[collector, limit, "-Xmx64m", "-cp", &classes, "Fills", least]);
            assert!(watched.out.contains("round 2: 100"), "{}", watched.out);
        }
    }
}

#[test]
fn memory_that_has_run_out_is_not_noticed_where_the_program_asks_for_none() {
    let classes = scratch("exhausted");
    javac(&files(&java_sources("exhausted")), "", &classes);
    let classes = classes.display().to_string();
    let watched = watch(&[], &["java", "-Xmx24m", "-XX:+UseSerialGC", "-cp", &classes, "Exhausted"]);
    assert_eq!(watched.out, "Exhausted: all done, thrown: none\n", "{}", watched.err);
    let gaps = watched.report["gaps"].as_array().expect("gaps");
    let told =
        gaps.iter().filter(|gap| gap["why"].as_str().is_some_and(|why| why.contains("run out of memory")));
    assert_eq!(told.count(), 1, "{gaps:?}");
}
