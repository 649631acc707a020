
// The page of one finding.
function facts(finding, told) {
  const pairs = [
    ["seen", plural(finding.count, "time", "times")],
    ["by", finding.detectors.join(", ")],
    finding.roads === "" ? null : ["found", finding.roads],
    finding.owners.length > 0 ? ["owned by", finding.owners.join(", ")] : null,
    told.tests.length > 0 ? ["in the test", told.tests.join(", ")] : null,
    ["fingerprint", el("code", {}, finding.fingerprint)],
  ];
  return el("dl", {class: "facts"}, pairs.filter(Boolean).map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, value))));
}

function around(finding) {
  const at = shown.indexOf(finding);
  const go = (to, text, key) => {
    const target = shown[to];
    return el("button", {type: "button", class: "plain", disabled: target === undefined, "aria-keyshortcuts": key, click: () => openFinding(target)}, text);
  };
  return el("nav", {class: "around", "aria-label": "Other findings"},
    el("a", {class: "back", href: listRoute()}, "← All findings"),
    at < 0 ? null : [el("span", {class: "soft"}, `${thousands(at + 1)} of ${thousands(shown.length)}`), go(at - 1, "Previous", "k"), go(at + 1, "Next", "j")]);
}

function openFinding(finding) {
  if (finding) location.hash = `#/finding/${encodeURIComponent(findingKey(finding))}`;
}

function heldNode(step) {
  const takes = step.role === "holds" || step.role === "acquire";
  const locks = step.locks.filter((lock) => !takes || lock !== step.target);
  const where = (lock) => step.taken.find((taken) => taken.lock === lock);
  const none = takes ? "holding no other lock" : "holding no lock";
  const items = locks.map((lock) => {
    const taken = where(lock);
    const at = taken ? placeText(taken.at, true) : "";
    return el("span", {class: "held-lock"}, lockNode(lock), at === "" ? null : ` ${taken.example ? "taken for example at" : "taken at"} ${at}`);
  });
  return el("div", {class: "held"}, locks.length === 0 ? none : ["holding ", between(items, ", ")],
    step.readLocks.length > 0 ? [locks.length === 0 ? "; in read mode only " : ", in read mode only ", step.readLocks.map(lockNode)] : null);
}

// What stands at the place of the step before, and was reached in the same way, is shown once.
function stepNode(step, before) {
  const again = before !== undefined && step.key === before.key;
  return el("div", {class: "step"},
    el("p", {class: "does"}, step.does, step.target === "" ? null : [" ", el("code", {}, step.target)]),
    step.remark === "" ? null : el("p", {class: "remark small"}, step.remark),
    heldNode(step),
    el("p", {class: "place"}, el("span", {class: "soft"}, "at "), placeNode(step.place)),
    again ? null : [excerpt(step), stackNode(step.stack, step.example)]);
}

// What each thread does, a panel for each.
function sides(told, hue) {
  const threads = new Map();
  for (const step of told.steps) threads.set(step.thread, [...(threads.get(step.thread) ?? []), step]);
  const panels = [...threads].map(([thread, steps]) => {
    const origin = told.origins.get(thread);
    // Where the program itself did it, and not the library that it called.
    const born = origin ? placeText([origin.at, ...origin.stack].find((at) => at.own) ?? origin.at, true) : "";
    return el("section", {class: `side ${hue(thread)}`},
      el("h3", {}, "Thread ", el("span", {class: "thread"}, thread)),
      origin ? el("p", {class: "origin small soft"}, "started by ", origin.by === "" ? "another thread" : origin.by, born === "" ? "" : ` at ${born}`) : null,
      steps.map((step, i) => stepNode(step, steps[i - 1])));
  });
  return [el("div", {class: "sides"}, panels), told.more > 0 ? el("p", {class: "small soft"}, `${plural(told.more, "more step is", "more steps are")} not shown.`) : null];
}

function notesNode(told) {
  const known = namesOf(told);
  const notes = told.notes.filter((note) => note !== told.advice);
  return notes.length === 0 ? null : el("ul", {class: "notes"}, notes.map((note) => el("li", {}, sentence(note, known))));
}

function others(told, main, hue) {
  const rest = told.witnesses.filter((_, i) => i !== main);
  if (rest.length === 0) return null;
  return part("Also seen", rest.map((one) => {
    const body = el("div", {});
    const box = el("details", {class: "more"}, el("summary", {}, `by ${one.detector}`), body);
    // Only when somebody looks: there may be many.
    const look = () => {
      if (box.open && body.childElementCount === 0) fill(body, [sides(one, hue), notesNode(one)]);
    };
    box.addEventListener("toggle", look);
    box.addEventListener("print", look);
    return box;
  }));
}

function labelled(title, code) {
  return el("div", {class: "labelled"}, el("h3", {}, title), el("pre", {class: "block", tabindex: 0}, el("code", {}, code)));
}

function paragraphs(text) {
  return text.split("\n\n").map((one) => el("p", {}, one));
}

function about(rule) {
  return el("details", {class: "more"}, el("summary", {}, `What a ${rule.title} is, why it is bad, and an example`),
    el("div", {}, el("div", {class: "prose"}, paragraphs(rule.what), paragraphs(rule.why), paragraphs(rule.found)),
      el("div", {class: "columns"}, labelled("With the defect", rule.bad), labelled("Without it", rule.good))));
}

function copyButton(text) {
  const button = el("button", {type: "button", class: "plain", click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it to copy";
    }
    say(button.textContent);
  }}, "Copy");
  return button;
}

function silencing(finding, told) {
  const [key, value] = told.silence;
  const lines = `[[suppress]]\nrule = "${finding.rule.name}"\n${key} = ${value}\nreason = "…"\n`;
  return part("How to silence it",
    told.suppressed
      ? el("p", {class: "lead"}, "It is suppressed: ", el("strong", {}, told.suppressed.reason), " (", el("code", {}, told.suppressed.by), ").") : null,
    el("div", {class: "prose"}, el("p", {}, rest.silence)),
    el("div", {class: "columns"}, el("div", {class: "labelled"}, el("h3", {}, "In raddle.toml"),
      el("div", {class: "snippet"}, el("pre", {class: "block", tabindex: 0}, el("code", {}, lines)), copyButton(lines)))));
}

function findingPage(finding) {
  const told = evidence(finding);
  const pictured = told.picture;
  const main = pictured ? pictured.witness : 0;
  const witness = told.witnesses[main];
  const everybody = told.witnesses.flatMap((one) => one.steps.map((step) => step.thread));
  const hue = hues([...(pictured ? pictured.threads.map((thread) => thread.name) : []), ...everybody]);
  const node = el("article", {},
    around(finding),
    el("header", {class: "headline"},
      el("div", {class: "kind"}, el("span", {class: "rule"}, finding.rule.title), el("span", {class: `badge ${finding.confidence}`}, `${finding.confidence} confidence`),
        finding.state === "open" ? null : el("span", {class: "badge state"}, finding.state === "known" ? "known from the baseline" : "suppressed")),
      el("h1", {tabindex: -1}, subjectNode(finding.subject)),
      el("p", {class: "message"}, sentence(finding.message, new Set([...namesOf(witness), finding.subject, ...finding.subject.split(", ")]))),
      facts(finding, told)),
    witness ? part(new Set(witness.steps.map((step) => step.thread)).size === 2 ? "Both sides" : "The evidence", sides(witness, hue)) : part("Evidence", el("p", {class: "lead"}, "There is no evidence on this page; the JSON report has it.")),
    pictured && pictured.moments.length > 0
      ? part("How it happens", el("p", {class: "lead"}, "An order of steps in which the defect shows."), interleaving(pictured, hue), lanes(pictured, hue)) : null,
    pictured ? rulePicture(finding, pictured.explanation, hue) : null,
    witness && notesNode(witness) ? part("What this means", notesNode(witness)) : null,
    part("How to fix it", witness && witness.advice !== "" ? el("p", {class: "advice"}, sentence(witness.advice, namesOf(witness))) : null, el("div", {class: "prose"}, paragraphs(finding.rule.fix)), el("div", {class: "columns one"}, about(finding.rule))),
    others(told, main, hue),
    silencing(finding, told));
  return {node, title: `${finding.headline} – Raddle`};
}
