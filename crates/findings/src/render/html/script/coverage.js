
// What was looked at, and what was not.
const SEEN = [
  ["events", "events"], ["threads", "threads"], ["locks", "locks"], ["variables", "variables"],
  ["classes_seen", "classes seen"], ["classes_woven", "classes watched"], ["methods_analysed", "methods read"],
];

function coveragePage() {
  const seen = SEEN.filter(([key]) => rest.coverage[key] > 0 || key === "events");
  const leftOut = Object.entries(rest.coverage.left_out || {});
  const gaps = rest.gaps.length + rest.cut.gaps;
  const node = el("article", {},
    el("h1", {tabindex: -1}, "Coverage and gaps"),
    ...cutNotices(),
    part("Looked at", el("dl", {class: "numbers"}, seen.map(([key, words]) => el("div", {}, el("dt", {}, words), el("dd", {}, thousands(rest.coverage[key])))))),
    leftOut.length > 0 ? part("Classes left out", table(["How many", "Why"], leftOut.map(([why, classes]) => [thousands(classes), why]))) : null,
    part(gaps === 0 ? "No gaps" : plural(gaps, "gap", "gaps"), gaps === 0
      ? el("p", {class: "lead"}, "Everything that was to be watched was watched.")
      : [el("p", {class: "lead"}, "This could not be watched, read or kept. A defect in it would not have been seen."), gapTable()]),
    rest.stale.length > 0 ? part("Suppressions that suppress nothing", table(["What", "Where it stands"], rest.stale)) : null,
    rest.gone.length > 0 ? part("In the baseline, but not seen", el("p", {class: "lead"}, "Of ", el("code", {}, rest.baseline), ": perhaps mended, perhaps only not run."), table(["Rule", "Subject"], rest.gone)) : null,
    part("Detectors", table(["Detector", "How it finds what it finds"], rest.detectors)));
  return {node, title: "Coverage and gaps – Raddle"};
}

function gapTable() {
  const head = el("tr", {}, el("th", {scope: "col"}, "What"), el("th", {scope: "col"}, "Why"), el("th", {scope: "col", class: "count"}, "How many"));
  const rows = rest.gaps.map(([what, why, count]) => el("tr", {}, el("td", {}, el("code", {}, what)), el("td", {}, why), el("td", {class: "count"}, thousands(count))));
  return el("table", {class: "rows"}, el("thead", {}, head), el("tbody", {}, rows));
}

function table(heads, rows) {
  return el("table", {class: "rows"}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", {scope: "col"}, head)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell, i) => el("td", {}, i === 0 ? el("code", {}, cell) : cell))))));
}
