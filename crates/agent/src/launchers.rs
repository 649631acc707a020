//! Which JVMs are left alone: those of build tools, which start the program and its tests in JVMs of their own, and the
//! JDK's tools. What they do with threads is not what the user asked about.
//!
//! Tools that run the program in their own JVM by default (Ant, sbt) are not among them.

/// Main classes, and what to call the tool.
const TOOLS: &[(&str, &str)] = &[
    ("org.codehaus.plexus.classworlds.launcher.Launcher", "Maven"),
    ("org.apache.maven.wrapper.MavenWrapperMain", "Maven"),
    ("org.mvndaemon.mvnd.", "Maven"),
    ("org.gradle.wrapper.GradleWrapperMain", "Gradle"),
    ("org.gradle.launcher.", "Gradle"),
    ("org.jetbrains.kotlin.daemon.", "the Kotlin compiler"),
    ("org.jetbrains.kotlin.cli.", "the Kotlin compiler"),
];

/// The modules of the JDK that have tools in them.
const MODULES: &[&str] = &["jdk.", "java."];

/// The tool that a JVM was started for by this command line (main class or module, then arguments).
pub fn tool(command: &str) -> Option<&'static str> {
    let main = command.split_whitespace().next()?;
    if let Some((module, _)) = main.split_once('/')
        && MODULES.iter().any(|prefix| module.starts_with(prefix))
    {
        return Some("the JDK");
    }
    let named = |name: &str| main == name || name.ends_with('.') && main.starts_with(name);
    // Gradle's wrapper is started as a jar.
    if main.ends_with("gradle-wrapper.jar") {
        return Some("Gradle");
    }
    TOOLS.iter().find(|(name, _)| named(name)).map(|(_, tool)| *tool)
}

#[cfg(test)]
mod tests {
    use super::tool;

    #[test]
    fn build_tools_are_known_by_their_main_class() {
        assert_eq!(tool("org.codehaus.plexus.classworlds.launcher.Launcher test"), Some("Maven"));
        assert_eq!(tool("org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5"), Some("Gradle"));
        assert_eq!(tool("/app/gradle/wrapper/gradle-wrapper.jar test"), Some("Gradle"));
        assert_eq!(tool("jdk.compiler/com.sun.tools.javac.Main -d x"), Some("the JDK"));
    }

    #[test]
    fn programs_and_their_tests_are_watched() {
        for command in [
            "",
            "com.acme.Main",
            "app.jar --serve",
            "com.acme/com.acme.Main",
            "/tmp/surefire/surefirebooter.jar /tmp/surefire x",
            "worker.org.gradle.process.internal.worker.GradleWorkerMain 'Gradle Test Executor 1'",
        ] {
            assert_eq!(tool(command), None, "{command}");
        }
    }
}
