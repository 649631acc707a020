
// The page with all findings. Only the rows on the screen exist, and the one that has the focus.
const ROW = 68;
const AROUND = 12;

// What the list was like when it was left.
const left = {scroll: 0, focus: 0};
let shown = [];
let redraw = () => {};

function summary() {
  const open = findings.filter((finding) => finding.state === "open");
  const counts = rest.rules.map((rule) => [rule, open.filter((finding) => finding.rule === rule).length]);
  const each = counts.filter(([, n]) => n > 0).map(([rule, n]) => plural(n, rule.title, rule.titles));
  const others = [];
  const known = findings.filter((finding) => finding.state === "known").length;
  const suppressed = findings.filter((finding) => finding.state === "suppressed").length;
  if (known > 0) others.push(`${thousands(known)} known from the baseline`);
  if (suppressed > 0) others.push(`${thousands(suppressed)} suppressed`);
  const fresh = rest.baseline === null ? "" : "new ";
  const title = open.length === 0 ? `No ${fresh}findings` : plural(open.length, `${fresh}finding`, `${fresh}findings`);
  return el("div", {class: "summary"},
    el("h1", {tabindex: -1}, title),
    each.length > 0 ? el("p", {}, each.join(" · ")) : null,
    el("p", {class: "small"}, [rest.looked_at, ...others].join(" · ")));
}

// Nobody shall take a list for complete that is not.
function notices() {
  const found = [];
  if (rest.gaps.length > 0 || rest.cut.gaps > 0) {
    const number = rest.gaps.length + rest.cut.gaps;
    found.push(el("p", {class: "notice"}, el("strong", {}, plural(number, "gap", "gaps")),
      ": something was not watched, and nothing is said about it. ", el("a", {href: "#/coverage"}, "See what")));
  }
  found.push(...cutNotices());
  return found;
}

function cutNotices() {
  const cut = rest.cut;
  const parts = [];
  if (cut.findings > 0) parts.push(`${plural(cut.findings, "finding is", "findings are")} missing`);
  if (cut.evidence > 0) parts.push(`${plural(cut.evidence, "finding comes", "findings come")} without evidence`);
  if (cut.witnesses > 0) parts.push(`${plural(cut.witnesses, "finding comes", "findings come")} with the evidence of one detector only`);
  if (cut.names > 0) parts.push(`${plural(cut.names, "name is", "names are")} left out`);
  if (cut.gaps > 0) parts.push(`${plural(cut.gaps, "gap is", "gaps are")} not listed`);
  if (cut.others > 0) parts.push(`${plural(cut.others, "stale suppression or known finding is", "stale suppressions or known findings are")} not listed`);
  if (parts.length === 0) return [];
  return [el("p", {class: "notice"}, el("strong", {}, "Cut"),
    `: the whole report would be too large for one page. ${parts.join("; ")}. The JSON report has everything.`)];
}

function row(finding, i, total) {
  const where = places(finding);
  const times = `${thousands(finding.count)}×`;
  const marks = [el("span", {class: `badge ${finding.confidence}`}, finding.confidence)];
  if (finding.state !== "open") marks.unshift(el("span", {class: "badge state"}, finding.state));
  const link = el("a", {
    href: `#/finding/${encodeURIComponent(findingKey(finding))}`, "data-row": i, tabindex: i === left.focus ? 0 : -1,
    class: finding.state === "open" ? null : "closed",
  },
    el("div", {class: "what"}, el("span", {class: "rule"}, finding.rule.title), el("span", {class: "code"}, subjectNode(finding.subject))),
    el("div", {class: "marks"}, marks),
    el("div", {class: "where"}, where.length > 0 ? where.join("  ·  ") : finding.message),
    el("div", {class: "times"}, el("span", {class: "unseen"}, "seen "), times));
  const item = el("li", {class: "row", "aria-setsize": total, "aria-posinset": i + 1}, link);
  item.style.top = `${i * ROW}px`;
  return item;
}

function field(key, input, isSet) {
  input.id = `filter-${key}`;
  const label = key === "q" ? "Search" : FACETS[key].label;
  return el("div", {class: `field${key === "q" ? " search" : ""}${isSet ? " set" : ""}`}, el("label", {for: input.id}, label), input);
}

function filters(change) {
  const search = el("input", {
    type: "search", placeholder: "class, field, thread, file …  ( / )", autocomplete: "off", spellcheck: "false",
    input: (event) => change("q", event.target.value),
  });
  search.value = filter.q;
  const fields = [field("q", search, filter.q !== "")];
  for (const [key, facet] of Object.entries(FACETS)) {
    const all = choices(key);
    if (key === "owner" && all.length === 0) continue;
    const select = el("select", {change: (event) => change(key, event.target.value)}, el("option", {value: ""}, facet.all),
      all.map(([value, n]) => el("option", {value}, `${facet.words ? facet.words(value) : value} (${thousands(n)})`)));
    // An address may name something that is not there; the choice shows it, and the list is empty.
    if (filter[key] !== "" && !all.some(([value]) => value === filter[key])) {
      select.append(el("option", {value: filter[key]}, `${filter[key]} (0)`));
    }
    select.value = filter[key];
    fields.push(field(key, select, filter[key] !== emptyFilter()[key]));
  }
  return fields;
}

function nothing(clear) {
  if (findings.length === 0) {
    return el("div", {class: "nothing"}, el("h2", {}, "Nothing was found"), el("p", {}, `Raddle ${rest.looked_at}.`));
  }
  const others = findings.length - findings.filter((finding) => finding.state === "open").length;
  const hint = filterQuery() === "" && others > 0
    ? `No finding is open; ${thousands(others)} known or suppressed can be listed by their state.` : "No finding fits.";
  return el("div", {class: "nothing"}, el("h2", {}, "Nothing to show"), el("p", {}, hint),
    filterQuery() === "" ? null : el("p", {}, el("button", {type: "button", class: "plain", click: clear}, "Clear the filter")));
}

function listPage() {
  const page = el("div", {});
  const bar = el("div", {class: "filters", role: "search"});
  const found = el("div", {class: "found"});
  const list = el("ol", {class: "list", "aria-label": "Findings", keydown: (event) => moveInList(event, list)});
  const clear = () => {
    filter = emptyFilter();
    refresh(true);
    document.getElementById("filter-q").focus();
  };
  const change = (key, value) => {
    filter[key] = value;
    left.focus = 0;
    refresh(key !== "q");
    if (key !== "q") document.getElementById(`filter-${key}`).focus();
  };
  // While somebody types, the fields stay: only the counts behind the choices are drawn anew.
  function refresh(fields) {
    history.replaceState(null, "", listRoute());
    shown = listed();
    const search = document.getElementById("filter-q");
    const drawn = filters(change);
    if (fields || search === null) bar.replaceChildren(...drawn);
    else [...bar.children].slice(1).forEach((old, i) => old.replaceWith(drawn[i + 1]));
    const text = shown.length === findings.length ? plural(shown.length, "finding", "findings")
      : `${thousands(shown.length)} of ${plural(findings.length, "finding", "findings")}`;
    found.replaceChildren(el("span", {}, text));
    if (filterQuery() !== "") found.append(el("button", {type: "button", class: "plain", click: clear}, "Clear the filter"));
    say(text);
    list.replaceChildren();
    list.style.height = `${shown.length * ROW}px`;
    page.querySelector(".nothing")?.remove();
    if (shown.length === 0) page.append(nothing(clear));
    draw();
  }
  function draw() {
    if (!list.isConnected) return;
    const top = -list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / ROW) - AROUND);
    const last = Math.min(shown.length, Math.ceil((top + window.innerHeight) / ROW) + AROUND);
    drawRows(list, first, last);
  }
  redraw = draw;
  page.append(summary(), ...notices(), bar, found, list);
  return {node: page, title: document.title, ready: () => refresh(true)};
}

// Brings the rows from `first` to `last` about, keeps those that are there already, and the one that has the focus.
function drawRows(list, first, last) {
  const there = new Map();
  for (const item of [...list.children]) {
    const i = Number(item.firstChild.dataset.row);
    const focused = item.contains(document.activeElement);
    if ((i < first || i >= last) && !focused) item.remove();
    else there.set(i, item);
  }
  for (let i = first; i < last; i++) {
    if (there.has(i)) continue;
    const made = row(shown[i], i, shown.length);
    // In the order of the list, for those who go by it and not by sight.
    const after = [...list.children].find((item) => Number(item.firstChild.dataset.row) > i);
    list.insertBefore(made, after ?? null);
  }
  if (shown.length > 0 && list.querySelector("a[tabindex='0']") === null) {
    list.querySelector("a")?.setAttribute("tabindex", "0");
  }
}

// Moves the focus to a row, wherever it is.
function focusRow(i) {
  const list = document.querySelector(".list");
  if (list === null || shown.length === 0) return;
  const to = Math.min(Math.max(i, 0), shown.length - 1);
  left.focus = to;
  const top = list.getBoundingClientRect().top + window.scrollY + to * ROW;
  const bar = document.querySelector(".filters");
  const above = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  if (top - above < window.scrollY) window.scrollTo(0, Math.max(0, top - above - 4));
  else if (top + ROW > window.scrollY + window.innerHeight) window.scrollTo(0, top + ROW - window.innerHeight + 4);
  redraw();
  list.querySelectorAll("a").forEach((link) => link.setAttribute("tabindex", link.dataset.row === String(to) ? "0" : "-1"));
  list.querySelector(`a[data-row="${to}"]`)?.focus({preventScroll: true});
}

function moveInList(event, list) {
  const at = Number(document.activeElement?.dataset.row ?? -1);
  if (at < 0 || !list.contains(document.activeElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  const screen = Math.max(1, Math.floor(window.innerHeight / ROW) - 2);
  const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + screen, PageUp: at - screen}[event.key];
  if (to === undefined) return;
  event.preventDefault();
  if (event.key === "ArrowUp" && at === 0) document.getElementById("filter-q").focus();
  else focusRow(to);
}
