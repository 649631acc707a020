
// The interleaving: a column a thread, a row a moment, in an order in which the defect happens.
const MARKS = {
  none: "", defect: "", commit: "takes effect", interference: "comes in between", violation: "broken here", blocked: "waits for ever",
};

function interleaving(shown, hue) {
  const {threads, moments} = shown;
  const held = threads.map(() => []);
  const head = el("tr", {}, el("th", {scope: "col", class: "number"}, el("span", {class: "unseen"}, "Moment")),
    threads.map((thread) => el("th", {scope: "col", class: hue(thread.name)},
      el("span", {class: thread.imagined ? "thread imagined" : "thread"}, thread.name))));
  const rows = moments.map((moment, i) => {
    const before = held.map((locks) => locks.length > 0);
    held[moment.thread] = moment.held;
    const cells = threads.map((thread, column) => {
      const holding = before[column] || held[column].length > 0;
      const classes = ["moment", hue(thread.name), holding ? "holding" : "", column === moment.thread ? moment.mark : "empty"];
      const title = holding ? `holds ${(held[column].length > 0 ? held[column] : [moment.target]).join(", ")}` : null;
      return el("td", {class: classes.filter(Boolean).join(" "), title}, column === moment.thread ? momentNode(moment) : null);
    });
    return el("tr", {}, el("th", {scope: "row", class: "number"}, i + 1), cells);
  });
  const table = el("table", {class: "interleaving"}, el("thead", {}, head), el("tbody", {}, rows));
  table.style.minWidth = `${2.5 + threads.length * 9}rem`;
  return [
    el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Interleaving, a table"}, table),
    shown.leftOut > 0 ? el("p", {class: "small soft"}, `${plural(shown.leftOut, "step is", "steps are")} not shown.`) : null,
  ];
}

function momentNode(moment) {
  const place = placeText(moment.at, true);
  return [
    el("div", {class: "words"}, moment.words, MARKS[moment.mark] ? el("span", {class: "mark-word"}, MARKS[moment.mark]) : null),
    place === "" ? null : el("div", {class: "at"}, moment.example ? "for example " : "", place),
  ];
}
