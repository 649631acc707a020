
// A place in the code: where, the lines around it, and the calls that led there.
const CALLS = 12;

function placeNode(at) {
  const text = placeText(at, false);
  return text === "" ? el("span", {class: "soft"}, "a place that is not known") : el("code", {}, text);
}

const AROUND_LINE = 3;

// The lines around the place of a step, if the source was at hand.
function excerpt(step) {
  const source = raw.sources[step.source];
  if (source === undefined) return null;
  const [path, known] = source;
  const at = step.place.line;
  const [, folder, file] = name(path).match(/^(.*\/)?([^/]*)$/s) ?? [null, "", name(path)];
  const lines = el("div", {class: "lines"});
  for (let line = at - AROUND_LINE; line <= at + AROUND_LINE; line++) {
    if (known[line] === undefined) continue;
    const here = line === at ? " here" : "";
    lines.append(el("span", {class: `number${here}`}, line), el("code", {class: `text${here}`}, name(known[line])));
  }
  return el("figure", {class: "source", tabindex: 0, "aria-label": `Source, line ${at}`},
    el("figcaption", {class: "path", title: `${name(path)}:${at}`}, el("b", {}, `${file}:${at}`), folder), lines);
}

function call(at, hidden) {
  return el("li", {class: at.own ? null : "foreign", hidden}, el("span", {class: "at"}, "at "), el("code", {}, placeText(at, false)));
}

// A button that shows what stands behind it.
function fold(text, items) {
  const button = el("button", {type: "button", class: "fold", "aria-expanded": "false", click: () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    items.forEach((item) => { item.hidden = !open; });
  }}, text);
  return [el("li", {}, button), items];
}

// The calls, innermost first. Those of libraries are folded, unless there are no others, and so is what is very deep.
function stackNode(stack, example) {
  if (stack.length === 0) return null;
  const list = el("ol", {class: "stack", "aria-label": "Calls, innermost first"});
  const anyOwn = stack.some((at) => at.own);
  let lines = 0;
  let from = 0;
  while (from < stack.length && lines < CALLS) {
    let to = from;
    while (anyOwn && to < stack.length && !stack[to].own) to += 1;
    if (to - from > 1) fill(list, fold(`${to - from} calls in libraries`, stack.slice(from, to).map((at) => call(at, true))));
    else list.append(call(stack[from], false));
    from = Math.max(to, from + 1);
    lines += 1;
  }
  const deep = stack.slice(from);
  if (deep.length > 0) fill(list, fold(plural(deep.length, "more call", "more calls"), deep.map((at) => call(at, true))));
  return [example ? el("p", {class: "example"}, "an example of how this place is reached:") : null, list];
}
