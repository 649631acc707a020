
// How names are shown: the package faint, the member strong.
function cutName(text) {
  const at = text.match(/^((?:\p{Ll}[\p{L}\p{N}_]*\.)+)(?=[\p{Lu}$_])/u);
  return at ? [at[1], text.slice(at[1].length)] : ["", text];
}

function nameNode(text) {
  const [pack, rest] = cutName(text);
  return el("span", {class: "name"}, pack === "" ? null : el("span", {class: "package"}, pack), el("span", {class: "last"}, rest));
}

// A subject may be several names.
function subjectNode(text) {
  return between(text.split(", ").map(nameNode), ", ");
}

function shortName(text) {
  return cutName(text)[1];
}

function fileText(at) {
  if (at.file === "") return at.line === 0 ? "" : `line ${at.line}`;
  return at.line === 0 ? at.file : `${at.file}:${at.line}`;
}

function placeText(at, short) {
  const cls = short ? shortName(at.class) : at.class;
  const code = at.class === "" ? at.method : at.method === "" ? cls : `${cls}.${at.method}`;
  const file = fileText(at);
  if (code === "") return file;
  return file === "" ? code : `${code} (${file})`;
}

// One colour a thread, the same everywhere on a page.
function hues(threads) {
  const order = [...new Set(threads)];
  return (thread) => `hue-${Math.max(0, order.indexOf(thread)) % 6}`;
}

function lockNode(lock) {
  return el("code", {class: "lock", title: lock}, shortName(lock));
}

// A sentence in which the names that the finding speaks of are set as code, so that they are told from words.
function sentence(text, known) {
  const list = [...known].filter((one) => one.length > 1 && one.length < 200).sort((a, b) => b.length - a.length).slice(0, 80);
  if (list.length === 0) return [text];
  const escaped = list.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w.$@-])(${escaped.join("|")})(?![\\w$@-])`, "gu");
  const out = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    out.push(text.slice(from, match.index), el("code", {}, match[0]));
    from = match.index + match[0].length;
  }
  return [...out, text.slice(from)];
}

// The names of a witness: threads, locks, what they are used with.
function namesOf(told) {
  const known = new Set();
  for (const step of told?.steps ?? []) [step.thread, step.target, ...step.locks].forEach((one) => known.add(one));
  known.delete("");
  return known;
}
