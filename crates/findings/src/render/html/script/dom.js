
// Elements and words. Text goes in as text nodes and nothing is ever parsed as markup, so a name stays a name.
const SVG = "http://www.w3.org/2000/svg";

// Children may be nodes, texts, lists of such, or nothing.
function fill(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function decorate(node, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  return node;
}

// el("p", {class: "soft", click: handler}, "text", other)
function el(tag, attributes, ...children) {
  return fill(decorate(document.createElement(tag), attributes), children);
}

function svg(tag, attributes, ...children) {
  return fill(decorate(document.createElementNS(SVG, tag), attributes), children);
}

function part(title, ...children) {
  return el("section", {class: "part"}, el("h2", {}, title), children);
}

function thousands(n) {
  return n.toLocaleString("en-US");
}

function plural(n, one, many) {
  return `${thousands(n)} ${n === 1 ? one : many}`;
}

// Says something to those who cannot see that it has changed.
function say(text) {
  document.getElementById("said").textContent = text;
}

// A list with something between its members.
function between(items, separator) {
  return items.flatMap((item, i) => (i === 0 ? [item] : [separator, item]));
}
