package org.gradle.launcher;

import java.util.List;

/**
 * Stands for Gradle: has its main class's name, and starts a JVM that does the work; with the environment it was itself
 * started with, or as a daemon would that was there before.
 */
public class GradleMain {
    static int racy;

    public static void main(String[] args) throws Exception {
        if (args.length == 0) throw new IllegalArgumentException("what as?");
        System.out.println(System.getenv("GRADLE_OPTS"));
        String java = System.getProperty("java.home") + "/bin/java";
        List<String> command = List.of(java, "-cp", System.getProperty("java.class.path"), "Parent", "child");
        ProcessBuilder work = new ProcessBuilder(command).inheritIO();
        if (args[0].equals("daemon")) work.environment().remove("JAVA_TOOL_OPTIONS");
        System.exit(work.start().waitFor());
    }
}
