
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
