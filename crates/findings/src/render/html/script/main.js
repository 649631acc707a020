
// Routes, keys, and the start.
let page = "";

function showNav() {
  const gaps = rest.gaps.length + rest.cut.gaps;
  const open = findings.filter((finding) => finding.state === "open").length;
  const link = (route, current, cls, ...children) => el("a", {href: route, class: cls, "aria-current": page === current ? "page" : null}, children);
  document.getElementById("nav").replaceChildren(
    link(listRoute(), "list", null, "Findings", el("span", {class: "number"}, thousands(open))),
    link("#/coverage", "coverage", gaps > 0 ? "gaps" : null, "Coverage", gaps > 0 ? el("span", {class: "number"}, `· ${plural(gaps, "gap", "gaps")}`) : null));
}

function missingPage() {
  return {node: el("div", {class: "nothing"}, el("h1", {tabindex: -1}, "Not in this report"), el("p", {}, "The address names a finding that this report does not have."), el("p", {}, el("a", {href: "#/"}, "All findings"))), title: "Raddle"};
}

function route() {
  const path = location.hash.replace(/^#/, "");
  const [where, query] = [path.split("?")[0], path.split("?").slice(1).join("?")];
  if (where === "/coverage") return ["coverage", coveragePage];
  if (where.startsWith("/finding/")) {
    let key = "";
    try {
      key = decodeURIComponent(where.slice("/finding/".length));
    } catch {
      // A damaged address names nothing.
    }
    const finding = findingOf(key);
    if (finding) left.focus = Math.max(0, shown.indexOf(finding));
    return ["finding", finding ? () => findingPage(finding) : missingPage];
  }
  filter = filterFrom(query);
  return ["list", listPage];
}

function showPage() {
  if (location.hash === "#main") return;
  const before = page;
  if (before === "list") left.scroll = window.scrollY;
  const [kind, make] = route();
  page = kind;
  const made = make();
  document.getElementById("main").replaceChildren(made.node);
  document.title = made.title || "Raddle";
  showNav();
  made.ready?.();
  if (kind === "list" && before !== "" && before !== "list") {
    window.scrollTo(0, left.scroll);
    redraw();
    focusRow(left.focus);
  } else if (kind !== "list") {
    window.scrollTo(0, 0);
    if (before !== "") made.node.querySelector("h1")?.focus({preventScroll: true});
  }
}

function nextFinding(by) {
  const finding = findingOf(decodeURIComponent(location.hash.slice("#/finding/".length)));
  openFinding(shown[shown.indexOf(finding) + by]);
}

const KEYS = {
  "/": () => {
    if (page !== "list") location.hash = listRoute();
    setTimeout(() => document.getElementById("filter-q")?.focus(), 0);
  },
  Escape: () => {
    if (page !== "list") location.hash = listRoute();
  },
  j: () => (page === "finding" ? nextFinding(1) : focusRow(document.activeElement?.dataset.row === undefined ? left.focus : left.focus + 1)),
  k: () => (page === "finding" ? nextFinding(-1) : focusRow(left.focus - 1)),
  t: switchTheme,
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("input")) {
    if (event.key === "Escape") {
      if (target.value === "") target.blur();
      target.value = "";
      target.dispatchEvent(new Event("input"));
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      focusRow(0);
    } else {
      return;
    }
    event.preventDefault();
  } else if (!target.matches("select") && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
}

// On paper there is no scrolling: every row is there, and every fold is open.
function beforePrint() {
  const list = document.querySelector(".list");
  if (list) list.replaceChildren(...shown.map((finding, i) => row(finding, i, shown.length)));
  document.querySelectorAll("details:not([open])").forEach((box) => {
    box.open = true;
    box.dataset.closed = "";
    box.dispatchEvent(new Event("print"));
  });
}

function afterPrint() {
  document.querySelector(".list")?.replaceChildren();
  document.querySelectorAll("details[data-closed]").forEach((box) => {
    box.open = false;
    delete box.dataset.closed;
  });
  redraw();
}

function start() {
  const key = (text, words) => el("span", {class: "key"}, el("kbd", {}, text), ` ${words}`);
  document.getElementById("foot").replaceChildren(
    key("/", "search"), key("↑ ↓", "move in the list"), key("Enter", "open"), key("j k", "next, previous"), key("Esc", "back"), key("t", "theme"),
    el("span", {class: "key"}, `Raddle ${rest.version}`));
  document.getElementById("theme").addEventListener("click", switchTheme);
  showTheme();
  history.scrollRestoration = "manual";
  shown = listed();
  window.addEventListener("hashchange", showPage);
  window.addEventListener("scroll", () => redraw(), {passive: true});
  window.addEventListener("resize", () => redraw());
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", afterPrint);
  document.addEventListener("keydown", pressed);
  showPage();
}

start();
