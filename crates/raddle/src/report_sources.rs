//! The project on disk: its folder, its source roots, its compiled classes.
//!
//! Without `--source` the layouts of Maven and Gradle are looked for, in all modules, and beside the classes and jars that
//! are known. The search goes a few folders deep and ends after some thousand: a project that needs more says where its
//! sources are.

use std::path::{Path, PathBuf};

use crate::report_judge::leads_down;

/// Folders to look into, and how deep.
const FOLDERS: usize = 4_000;
const DEPTH: usize = 6;

/// How far above compiled classes or a jar their module may begin.
const ABOVE: usize = 6;

/// Names of folders that hold no sources.
const SKIPPED: [&str; 6] = ["target", "build", "out", "bin", "node_modules", "dist"];

/// Where compiled classes lie beside a module's `src`.
const CLASSES: [&str; 9] = [
    "target/classes",
    "target/test-classes",
    "build/classes/java/main",
    "build/classes/java/test",
    "build/classes/kotlin/main",
    "build/classes/kotlin/test",
    "build/classes/scala/main",
    "out/production/classes",
    "out/test/classes",
];

/// The folder that paths in reports are told from.
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The nearest folder that is a repository, else that of `raddle.toml`, else the current one.
    pub fn find(config: Option<&Path>) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let repository = here.ancestors().find(|folder| folder.join(".git").exists());
        let root = match (repository, config) {
            (Some(folder), _) => folder.to_owned(),
            (None, Some(folder)) => here.join(folder),
            (None, None) => here,
        };
        Self { root: root.canonicalize().unwrap_or(root) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path as reports tell it: from the project's folder, with `/`; one outside as it is.
    pub fn name(&self, path: &Path) -> String {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = whole.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/").replace("//", "/")
    }

    /// The source roots of the project.
    pub fn roots(&self) -> Roots {
        let mut roots = Roots::default();
        let mut budget = FOLDERS;
        roots.search(&self.root, DEPTH, &mut budget);
        // A project of a few files may have none of the layouts.
        roots.sources.push(self.root.clone());
        roots
    }
}

/// Folders below which packages are folders.
#[derive(Default)]
pub struct Roots {
    sources: Vec<PathBuf>,
    modules: Vec<PathBuf>,
}

impl Roots {
    /// Those that the user has named.
    pub fn given(sources: &[PathBuf]) -> Self {
        let module = |source: &PathBuf| {
            source
                .ancestors()
                .find(|folder| folder.ends_with("src"))
                .and_then(Path::parent)
                .map(Path::to_owned)
        };
        let mut modules: Vec<PathBuf> = sources.iter().filter_map(module).collect();
        modules.dedup();
        Self { sources: sources.to_vec(), modules }
    }

    /// Adds what belongs to compiled classes: the module that they were built in, and the folder in which they lie.
    pub fn beside(&mut self, classes: &[PathBuf]) {
        for path in classes {
            let Ok(whole) = path.canonicalize() else { continue };
            let mut above = whole.ancestors().skip(1).take(ABOVE);
            if let Some(module) = above.find(|folder| folder.join("src").is_dir())
                && !self.modules.iter().any(|known| known == module)
            {
                self.module(module, &module.join("src"));
            }
            if whole.is_dir() {
                self.sources.push(whole);
            }
        }
    }

    fn search(&mut self, folder: &Path, depth: usize, budget: &mut usize) {
        let Some(left) = budget.checked_sub(1) else { return };
        *budget = left;
        let source = folder.join("src");
        if source.is_dir() {
            self.module(folder, &source);
        }
        if depth == 0 {
            return;
        }
        for name in folders(folder) {
            let skipped = name.starts_with('.') || name == "src" || SKIPPED.contains(&name.as_str());
            if !skipped {
                self.search(&folder.join(name), depth - 1, budget);
            }
        }
    }

    /// `src/main/java`, `src/test/kotlin` and the like; `src` itself where there are none.
    fn module(&mut self, module: &Path, source: &Path) {
        self.modules.push(module.to_owned());
        let before = self.sources.len();
        for set in folders(source) {
            for language in ["java", "kotlin", "scala", "groovy"] {
                let root = source.join(&set).join(language);
                if root.is_dir() {
                    self.sources.push(root);
                }
            }
        }
        if self.sources.len() == before {
            self.sources.push(source.to_owned());
        }
    }

    /// The file of a name such as `com/acme/Account.java`.
    pub fn find(&self, source: &str) -> Option<PathBuf> {
        if !leads_down(source) {
            return None;
        }
        self.sources.iter().map(|root| root.join(source)).find(|path| path.is_file())
    }

    /// Where the modules' compiled classes lie.
    pub fn classes(&self) -> Vec<PathBuf> {
        let all = self.modules.iter().flat_map(|module| CLASSES.iter().map(|name| module.join(name)));
        all.filter(|folder| folder.is_dir()).collect()
    }
}

/// The names of the folders in a folder, in order, without links: these can go in circles.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
